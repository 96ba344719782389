/**
 * Times whole builds (read, decode, build, pack) against gunzip alone on the same chunks, and time bars against DuckDB
 * over the same trades in Parquet. Runs the built server in a separate process, without a loader. CPU time of all
 * threads, which counts, and the time on the clock beside it; alternating rounds, medians.
 *
 *     node rotations-builds.mjs <JSON of {folder, fromTs, toTs, trades, parquet, rounds}>
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { createTickColumns, validateSpec } from '@crosstape/core';
import { systemClock } from '../packages/server/dist/platform/system-clock.js';
import { buildBars } from '../packages/server/dist/features/rotations/build-bars.js';
import { LmdbStore } from '../packages/server/dist/store/lmdb-store.js';
import { TickTable } from '../packages/server/dist/features/tape/tick-table.js';
import { cases } from './rotations-cases.mjs';
import { COIN } from './rotations-tape.mjs';

const { folder, fromTs, toTs, trades, parquet, rounds } = JSON.parse(process.argv[2]);
const table = new TickTable(new LmdbStore(folder, { isReadOnly: true }));
const members = (await table.chunks(COIN, fromTs, toTs, 1_000_000)).map(({ data }) => data);
const bytes = members.reduce((sum, { length }) => sum + length, 0);

function build({ kind, params }) {
  const { spec } = validateSpec(kind, params, 1);
  const order = { folder, coin: COIN, spec, fromTs, toTs, tail: createTickColumns(0), gaps: [] };
  return buildBars(order, { clock: systemClock, report: () => undefined, table });
}

const duckdb = fork(fileURLToPath(new URL('rotations-duckdb.mjs', import.meta.url)), [parquet]);
await once(duckdb, 'message');
const query = async () => {
  const answer = once(duckdb, 'message');
  duckdb.send({});
  return (await answer)[0];
};

/** The cost of a step on this process. */
async function timed(run) {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const outcome = await run();
  const { user, system } = process.cpuUsage(before);
  const clockS = (performance.now() - startedMs) / 1e3;
  return { cpuS: (user + system) / 1e6, clockS, bars: outcome?.stats?.bars };
}

const ways = [
  {
    name: 'gunzip alone',
    run: () => timed(() => members.forEach((member) => gunzipSync(member))),
  },
  ...cases.map((one) => ({
    ...one,
    name: `${one.kind} ${JSON.stringify(one.params)}`,
    run: () => timed(() => build(one)),
  })),
  { name: 'DuckDB, 1-minute bars in SQL', run: query },
].map((way) => ({ ...way, costs: [], clockS: [], bars: undefined }));

// The first round warms up.
for (let round = -1; round < rounds; round += 1) {
  for (const way of ways) {
    const { cpuS, clockS, bars } = await way.run();
    way.bars = bars;
    if (round < 0) continue;
    way.costs.push(cpuS);
    way.clockS.push(clockS);
  }
}
duckdb.disconnect();

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const [gunzip] = ways;
const base = median(gunzip.costs);
const baseClock = median(gunzip.clockS);
console.log(
  `${trades} trades in ${members.length} chunks, ${(bytes / trades).toFixed(2)} bytes each; gunzip alone = 1`,
);
console.table(
  ways.map(({ name, costs, clockS, bars }) => ({
    name,
    'CPU s': Number(median(costs).toFixed(3)),
    ratio: Number((median(costs) / base).toFixed(2)),
    'clock ratio': Number((median(clockS) / baseClock).toFixed(2)),
    'M trades/s': Number((trades / median(costs) / 1e6).toFixed(1)),
    'trades/bar': bars ? Math.round(trades / bars) : '',
  })),
);
const worst = Math.max(...ways.slice(1, -1).map(({ costs }) => median(costs))) / base;
console.log(`slowest build ${worst.toFixed(2)} (at most 2.5; goal 1.8)`);
const time = ways.find(({ kind, params }) => kind === 'time' && params.intervalMs === 60_000);
const speed = median(ways.at(-1).costs) / median(time.costs);
console.log(`1-minute bars: ${speed.toFixed(2)} times as fast as DuckDB (at least 1; goal 1.5)\n`);
process.exitCode = worst > 2.5 || speed < 1 ? 1 : 0;
