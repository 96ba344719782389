/**
 * The cost of a warm answer about flows, which are reported anew every second: processor time per request of the whole
 * service against that of a cached `/perps/oi` of the same size, whose table stands still. Both are asked of one process,
 * in turns; medians are compared. What the reports themselves cost is in both.
 *
 *     npm run bench:flows
 *     REQUESTS=10000 ROUNDS=3 npm run bench:flows
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { load } from './http-load.ts';

const CONNECTIONS = 32;
const RATIO_MAX = 1.1;
/** A report must be there before anything is asked. */
const FIRST_REPORT_MS = 2_000;
const rounds = Number(process.env.ROUNDS ?? 5);
const requests = Number(process.env.REQUESTS ?? 20_000);
const base = '/api/v1';
const paths = ['/flows/venue-spreads', '/flows/kimchi', '/flows/etf', '/flows/signals', '/flows/summary'];

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
async function measure(path: string): Promise<number> {
  const before = await cpuUs();
  await load({ port, path: base + path, acceptEncoding: 'identity', connections: CONNECTIONS, requests });
  return ((await cpuUs()) - before) / requests;
}

async function sizeOf(path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${base}${path}`);
  if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
  return (await response.text()).length;
}

/** A question about open interest whose answer has about so many bytes. */
async function likeFor(bytes: number): Promise<string> {
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
  const costs = { flows: [] as number[], like: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const flows = await measure(path);
    const other = await measure(like);
    // The first round warms both up.
    if (round === 0) continue;
    costs.flows.push(flows);
    costs.like.push(other);
  }
  const ratio = median(costs.flows) / median(costs.like);
  worst = Math.max(worst, ratio);
  rows[path] = {
    bytes,
    'of /perps/oi': await sizeOf(like),
    'µs/request': median(costs.flows).toFixed(2),
    'µs of /perps/oi': median(costs.like).toFixed(2),
    ratio: ratio.toFixed(3),
  };
}
child.disconnect();
console.table(rows);
console.log(`worst ratio ${worst.toFixed(3)} (at most ${RATIO_MAX}; goal 1)`);
if (worst > RATIO_MAX) process.exitCode = 1;
