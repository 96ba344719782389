import { DAY_MS } from '@crosstape/core';
import { expect, it } from 'vitest';
import { newestFiles } from './resources.ts';

it('lists the newest files first, without sorting all of them', () => {
  const files = Array.from({ length: 5_000 }, (_, i) => ({ key: i, maxTs: (i * 7_919) % (50 * DAY_MS) }));
  const sorted = files.toSorted((a, b) => b.maxTs - a.maxTs);
  for (const count of [1, 99, 1_000, 9_000])
    expect(newestFiles(files, count)).toEqual(sorted.slice(0, count));
  expect(newestFiles([], 10)).toEqual([]);
});
