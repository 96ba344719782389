import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { type UnreadableSpan, UnreadableSpans } from './unreadable-spans.ts';

it('a reported span does not shrink when the clock is set back', () => {
  const clock = new ManualClock(0);
  const reported: UnreadableSpan[] = [];
  const spans = new UnreadableSpans({ clock, flightMs: () => 0, onStretch: (span) => reported.push(span) });
  const refuse = (atMs: number, endMs: number): number | undefined => {
    spans.refuse(0, atMs);
    spans.look([0], atMs);
    return spans.end(endMs);
  };
  expect(refuse(100_000, 190_000)).toBe(190_000);
  // Within it; then before it.
  expect(refuse(140_000, 141_000)).toBe(141_000);
  expect(refuse(40_000, 41_000)).toBe(41_000);
  spans.close();
  expect(reported).toEqual([
    { fromMs: 100_000, toMs: 190_000 },
    { fromMs: 100_000, toMs: 190_000 },
    { fromMs: 40_000, toMs: 41_000 },
  ]);
  spans.stop();
});
