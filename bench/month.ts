/**
 * Records a simulated month in virtual time, under random faults: frozen, cut, slow, lossy and empty sockets, restarts,
 * kills, a full disk, clock steps, suspends of hours, listings and delistings. Every day compares the tape with the
 * market's own trades, and measures memory, descriptors and the store.
 *
 *     npm run -s month
 *     npm run -s month -- --days 2 --seed 3
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  createMonthFolder,
  type MonthCheck,
  SimulatedMonth,
} from '../packages/server/src/features/tape/testing/simulated-month.ts';
import { monthFailures } from '../packages/server/src/features/tape/testing/month-failures.ts';

const HOUR_MS = 3_600_000;
const { values } = parseArgs({
  options: { days: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const days = Number(values.days);
const seed = Number(values.seed);
if (!(days > 0) || !Number.isSafeInteger(seed))
  throw new Error('--days is above 0, and --seed a whole number');
const folder = createMonthFolder();
const startedMs = performance.now();

function print({ fromMs, toMs, made, recorded, reported, gapShare, ...measured }: MonthCheck): void {
  const day = new Date(toMs).toISOString().slice(0, 16);
  const hours = ((toMs - fromMs) / HOUR_MS).toFixed(1);
  const { heapMb, descriptors, storeMb } = measured;
  const memory = `heap ${heapMb.toFixed(1)} MB, ${descriptors} descriptors, store ${storeMb.toFixed(1)} MB`;
  const share = `${(100 * gapShare).toFixed(1)} % of the time reported as gaps`;
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  console.log(
    `${day}: ${hours} h, ${made} trades, ${recorded} recorded, ${reported} in gaps, ${share}; ${memory}; after ${minutes} min`,
  );
}

try {
  const month = new SimulatedMonth({
    startMs: Date.UTC(2026, 10, 1),
    days,
    seed,
    folder,
    retentionDays: 7,
    faultEveryMs: HOUR_MS,
    listingMs: 17 * HOUR_MS,
    onCheck: print,
  });
  const report = await month.run();
  const counts = new Map<string, number>();
  for (const { kind } of report.faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  console.log([...counts].map(([kind, times]) => `${times} × ${kind}`).join(', '));
  const { user, system } = process.cpuUsage();
  console.log(`${((user + system) / 60e6).toFixed(1)} minutes of CPU time for ${days} days`);
  const failures = monthFailures(report);
  for (const failure of failures) console.log(`FAILED: ${failure}`);
  if (failures.length === 0) console.log('passed');
  else {
    for (const { atMs, kind } of report.faults) console.log(new Date(atMs).toISOString(), kind);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
