import { seededRandom } from '@crosstape/core';
import { expect, it } from 'vitest';
import { printByTime } from './aggr.ts';

it('prints the rows of several markets by time, those of the same time in the order of the markets', async () => {
  const random = seededRandom(7);
  const lists = ['A', 'B', 'C'].map((market) => {
    const times = Array.from({ length: 1_500 }, (_, i) => i).filter(() => random() < 0.9);
    return times.map((time) => [time, market, random()]);
  });
  const sorted = [...lists, []].flat().toSorted(([a], [b]) => Number(a) - Number(b));
  expect(`[${await printByTime([...lists, []], '')}]`).toBe(JSON.stringify(sorted));
  expect(await printByTime([[], []], '')).toBe('');
});
