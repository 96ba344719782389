import { rmSync } from 'node:fs';
import { HOUR_MS } from '@crosstape/core';
import { expect, it, onTestFinished } from 'vitest';
import { monthFailures } from './testing/month-failures.ts';
import { createMonthFolder, SimulatedMonth } from './testing/simulated-month.ts';

/** Hours over a midnight; with `LONG=1` two days; `npm run month` runs all of it. */
const length =
  process.env.LONG === '1'
    ? { days: 2, faultEveryMs: HOUR_MS, listingMs: 5 * HOUR_MS, checkEveryMs: 6 * HOUR_MS }
    : {
        days: 1 / 12,
        faultEveryMs: HOUR_MS / 12,
        faultScale: 0.05,
        listingMs: HOUR_MS / 2,
        checkEveryMs: HOUR_MS,
      };

it('loses no trade silently, and neither memory, descriptors nor the store grow', async () => {
  const folder = createMonthFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const month = new SimulatedMonth({
    startMs: Date.UTC(2026, 10, 12, 23),
    seed: 1,
    folder,
    retentionDays: 1,
    ...length,
  });
  const report = await month.run();
  expect(monthFailures(report)).toEqual([]);
  expect(new Set(report.faults.map(({ kind }) => kind)).size).toBe(10);
}, 1_800_000);
