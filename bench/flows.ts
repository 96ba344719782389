/**
 * The cost of a warm answer about flows, which are reported anew every second: processor time per request of the whole
 * service against that of a cached `/perps/oi` of the same size, whose table stands still. Both are asked of one process,
 * in turns, and the median of the turns' ratios counts. What the reports themselves cost is in both. The bound is the
 * goal itself, so that on a busy machine a ratio of 1 may be called more: then ask for more rounds.
 *
 *     npm run bench:flows
 *     REQUESTS=10000 ROUNDS=3 npm run bench:flows
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roundTo } from '@crosstape/core';
import { load } from './http-load.ts';

const CONNECTIONS = 32;
/** To the hundredth: less is noise. */
const RATIO_MAX = 1;
const RATIO_DECIMALS = 2;
/** Large answers are asked for less often. */
const BYTES_PER_TURN_MAX = 400e6;
/** Answers that differ by less in size are of the same. */
const LIKE_SHARE = 0.1;
/** A report must be there before anything is asked. */
const FIRST_REPORT_MS = 2_000;
const rounds = Number(process.env.ROUNDS ?? 5);
const requests = Number(process.env.REQUESTS ?? 20_000);
const base = '/api/v1';
const paths = [
  '/flows/venue-spreads',
  '/flows/kimchi',
  '/flows/etf',
  '/flows/signals',
  '/flows/summary',
  '/flows/history?coin=BTC&metric=flowPressureScore',
];

const child: ChildProcess = fork(fileURLToPath(new URL('flows-subject.mjs', import.meta.url)), [], {
  execArgv: [],
});
const [{ port }] = (await once(child, 'message')) as [{ port: number }];

async function cpuUs(): Promise<number> {
  child.send('usage');
  const [{ cpuUs: used }] = (await once(child, 'message')) as [{ cpuUs: number }];
  return used;
}

/** Microseconds of processor time per request. */
async function measure(path: string, times: number): Promise<number> {
  const before = await cpuUs();
  await load({
    port,
    path: base + path,
    acceptEncoding: 'identity',
    connections: CONNECTIONS,
    requests: times,
  });
  return ((await cpuUs()) - before) / times;
}

async function sizeOf(path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${base}${path}`);
  if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
  return (await response.text()).length;
}

/** A question about open interest whose answer has about so many bytes. */
async function likeFor(bytes: number): Promise<string> {
  const whole = '/perps/oi';
  if (Math.abs(bytes / (await sizeOf(whole)) - 1) < LIKE_SHARE) return whole;
  const listed = (count: number): string =>
    `/perps/oi?coins=${['BTC', ...Array.from({ length: count - 1 }, (_, i) => `C${i.toString(36).toUpperCase()}`)].join(',')}`;
  const [one, eleven] = [await sizeOf(listed(1)), await sizeOf(listed(11))];
  return listed(Math.max(1, Math.round((10 * (bytes - one)) / (eleven - one)) + 1));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await new Promise((resolve) => setTimeout(resolve, FIRST_REPORT_MS));
const rows: Record<string, object> = {};
let worst = 0;
for (const path of paths) {
  const bytes = await sizeOf(path);
  const like = await likeFor(bytes);
  const times = Math.min(requests, Math.ceil(BYTES_PER_TURN_MAX / bytes));
  const costs = { flows: [] as number[], like: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const flows = await measure(path, times);
    const other = await measure(like, times);
    // The first round warms both up.
    if (round === 0) continue;
    costs.flows.push(flows);
    costs.like.push(other);
  }
  const ratio = roundTo(median(costs.flows.map((cost, i) => cost / (costs.like[i] ?? 0))), RATIO_DECIMALS);
  worst = Math.max(worst, ratio);
  rows[path] = {
    bytes,
    'of /perps/oi': await sizeOf(like),
    'µs/request': median(costs.flows).toFixed(2),
    'µs of /perps/oi': median(costs.like).toFixed(2),
    ratio: ratio.toFixed(RATIO_DECIMALS),
  };
}
child.disconnect();
console.table(rows);
console.log(`worst ratio ${worst.toFixed(RATIO_DECIMALS)} (at most ${RATIO_MAX})`);
if (worst > RATIO_MAX) process.exitCode = 1;
