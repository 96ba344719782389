import { expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import { sharesOf, statesOf, type Stretch } from './coverage-states.ts';

function bar(openTs: number, more: Partial<Bar> = {}): Bar {
  return { openTs, closeTs: openTs + 9, complete: true, fromVenue: false, ...more } as Bar;
}

const stretches: readonly Stretch[] = [
  { from: 20, to: 34, state: 'complete' },
  { from: 34, to: 36, state: 'refilled' },
  { from: 36, to: 42, state: 'complete' },
  { from: 42, to: 45, state: 'missing' },
  { from: 45, to: 70, state: 'complete' },
];

it('gives each bar the worst state within it, and asks the bar where nothing is known', () => {
  const bars = [
    bar(0, { fromVenue: true }),
    bar(10, { complete: false }),
    bar(20),
    bar(30),
    bar(40),
    bar(50),
    bar(70),
  ];
  expect(statesOf(bars, stretches)).toEqual([
    'venue',
    'partial',
    'complete',
    'refilled',
    'missing',
    'complete',
    'complete',
  ]);
});

it('sums up the time of each state', () => {
  expect(sharesOf(stretches)).toEqual([
    { state: 'complete', share: 0.9 },
    { state: 'refilled', share: 0.04 },
    { state: 'missing', share: 0.06 },
  ]);
  expect(sharesOf([])).toEqual([]);
});
