import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { startProgress } from './progress.ts';

function open(isTTY: boolean) {
  const clock = new ManualClock(0);
  const written: string[] = [];
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 };
  return { clock, written, progress: startProgress(stream, 'sealing', 200, clock) };
}

it('draws the part and the time that is left, ten times a second at most, and removes the line', () => {
  const { clock, written, progress } = open(true);
  clock.advance(50);
  progress.at(1);
  clock.advance(30_000 - 50);
  progress.at(50);
  progress.stop();
  expect(written).toEqual([
    `\r\u001b[Ksealing ${'░'.repeat(40)} 0%`,
    `\r\u001b[Ksealing ${'█'.repeat(10)}${'░'.repeat(30)} 25% · 1m30s to go`,
    '\r\u001b[K',
  ]);
});

it('draws nothing into a pipe', () => {
  const { clock, written, progress } = open(false);
  clock.advance(1_000);
  progress.at(100);
  progress.stop();
  expect(written).toEqual([]);
});
