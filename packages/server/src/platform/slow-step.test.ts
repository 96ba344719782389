import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { logIfSlow } from './slow-step.ts';

/** A step that the test completes, and the lines logged meanwhile. */
function watched() {
  const clock = new ManualClock(0);
  const lines: string[] = [];
  const warn = (_: object, message: string): void => void lines.push(message);
  const log = { debug: () => {}, info: () => {}, warn, error: () => {} };
  let end: (value: number) => void = () => {};
  const work = new Promise<number>((resolve) => {
    end = resolve;
  });
  const step = logIfSlow('the store', work, { log, clock });
  return { clock, lines, step, end };
}

it('names a step of the start that takes long, once', async () => {
  const { clock, lines, step, end } = watched();
  clock.advance(29_000);
  expect(lines).toEqual([]);
  clock.advance(600_000);
  expect(lines).toEqual(['still starting: waiting for the store']);
  end(7);
  expect(await step).toBe(7);
});

it('logs nothing about a step that has ended', async () => {
  const { clock, lines, step, end } = watched();
  end(7);
  await step;
  clock.advance(60_000);
  expect(lines).toEqual([]);
});
