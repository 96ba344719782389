import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { load } from './http-load.ts';
import { median } from './part.ts';

/**
 * Processor time of `/candles` with 10,000 minutes: cached, against a bare server that sends the same bytes; cold, when
 * every request asks for another range of hours that were read lately; for the first time, in a process that has read
 * others (`first`) and in a new one (`new`); a week of minutes over the 14 markets of a coin that was not read before, in
 * a process that has read another (`allMinutes`) and in one that has read none (`newAll`), and as many as are sent by
 * default (`allDefault`). Then the polls of 1,000 charts of 50 symbols, every ten seconds each. Server, bare server and
 * clients are separate processes; each round starts them again, and medians are compared.
 */
const ROWS = 10_000;
const rounds = Number(process.env.ROUNDS ?? 5);
const CACHED_REQUESTS = 400;
const COLD_REQUESTS = 100;
const WARM_REQUESTS = 100;
const CONNECTIONS = 4;
const CACHED_RATIO_MAX = 1.5;
const COLD_MS_MAX = 15;
/** Markets of the subject, `C0` and so on, that nothing else asks for; those after them warm up. */
const FIRST_REQUESTS = 35;
const FIRST_WARM_REQUESTS = 14;
/** Of a coin with 14 markets: how long its first answer may take, and the turn of the event loop that takes longest. */
const AGGREGATED_MS_MAX = 300;
const CHART_SYMBOLS = 49;
const CHART_REQUESTS = 1_000;
const CHARTS = 1_000;
const CHART_POLL_SECONDS = 10;
const CHARTS_CORE_MAX = 0.2;

interface Server {
  readonly port: number;
  readonly child: ChildProcess;
}

interface Subject extends Server {
  readonly endMs: number;
}

async function start<Ready extends { readonly port: number }>(
  file: string,
  execArgv: readonly string[],
  body?: Buffer,
): Promise<Ready & { readonly child: ChildProcess }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: [...execArgv] });
  if (body) child.send(body.toString('latin1'));
  const [ready] = (await once(child, 'message')) as [Ready];
  return { ...ready, child };
}

async function usageOf({ child }: Server): Promise<{ readonly cpuUs: number; readonly loopMs: number }> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [{ cpuUs: number; loopMs: number }];
  return usage;
}

async function cpuMsOf(server: Server): Promise<number> {
  return (await usageOf(server)).cpuUs / 1_000;
}

/** Milliseconds of processor time per request. */
async function cost(server: Server, requests: number, run: () => Promise<void>): Promise<number> {
  const before = await cpuMsOf(server);
  await run();
  return ((await cpuMsOf(server)) - before) / requests;
}

function same(server: Server, path: string, requests: number): Promise<number> {
  const options = { port: server.port, path, acceptEncoding: 'identity', connections: CONNECTIONS, requests };
  return cost(server, requests, () => load(options));
}

const pathTo = (endMs: number, coin = 'BTC'): string =>
  `/api/v1/candles?market=hyperliquid:${coin}&limit=${ROWS}&end=${endMs}`;

/** One request after the other. */
function each(server: Server, paths: readonly string[]): Promise<number> {
  return cost(server, paths.length, async () => {
    for (const path of paths)
      await load({ port: server.port, path, acceptEncoding: 'identity', connections: 1, requests: 1 });
  });
}

/** What the library of a chart asks for: the newest two bars of ten. Every second answer was made before. */
function chartPath(endMs: number, n: number): string {
  const to = endMs / 1_000 - 60 * Math.floor(n / (2 * CHART_SYMBOLS));
  const symbol = `HYPERLIQUID:C${n % CHART_SYMBOLS}`;
  return `/udf/history?symbol=${symbol}&resolution=1&from=${to - 600}&to=${to}&countback=2`;
}

function charts(server: Subject, from: number): Promise<number> {
  return cost(server, CHART_REQUESTS, async () => {
    for (let n = from; n < from + CHART_REQUESTS; n += 1) {
      // Browsers keep their connection.
      const answer = await fetch(`http://127.0.0.1:${server.port}${chartPath(server.endMs, n)}`);
      await answer.arrayBuffer();
    }
  });
}

async function cold(server: Subject, requests: number, from: number): Promise<number> {
  // Another range each time, with as many rows.
  return each(
    server,
    Array.from({ length: requests }, (_, i) => pathTo(server.endMs - from - i)),
  );
}

/** Markets that were not read before. */
async function first(server: Subject, requests: number, from: number): Promise<number> {
  return each(
    server,
    Array.from({ length: requests }, (_, i) => pathTo(server.endMs, `C${from + i}`)),
  );
}

/** Of every market of a coin that was not read before: when the answer is there, and the longest turn of the event loop. */
async function aggregated(server: Subject, coin: string, rows: number) {
  const before = await usageOf(server);
  const begun = performance.now();
  const path = `/api/v1/candles?market=all:${coin}&limit=${rows}&end=${server.endMs}`;
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    headers: { 'accept-encoding': 'identity' },
  });
  const text = await answer.text();
  const ms = performance.now() - begun;
  const { cpuUs, loopMs } = await usageOf(server);
  const { data, meta } = JSON.parse(text) as {
    data: readonly unknown[];
    meta: { members: readonly unknown[] };
  };
  if (data.length !== rows || meta.members.length !== 14) throw new Error('an aggregate is not whole');
  return { ms, cpuMs: (cpuUs - before.cpuUs) / 1_000, loopMs };
}

async function round() {
  const tsx = ['--import', 'tsx', '--conditions=crosstape-source'];
  const subject = await start<Subject>('candles-subject.ts', tsx);
  const path = pathTo(subject.endMs);
  let body = Buffer.alloc(0);
  // The very first request of a process: mostly compiling.
  const started = await cost(subject, 1, async () => {
    const response = await fetch(`http://127.0.0.1:${subject.port}${path}`);
    body = Buffer.from(await response.arrayBuffer());
  });
  const { data } = JSON.parse(body.toString()) as { data: readonly unknown[] };
  if (data.length !== ROWS) throw new Error(`${data.length} rows were answered`);
  const bare = await start<Server>('candles-baseline.mjs', [], body);
  await cold(subject, WARM_REQUESTS, 1);
  await same(bare, path, WARM_REQUESTS);
  await first(subject, FIRST_WARM_REQUESTS, FIRST_REQUESTS);
  const costs = {
    new: started,
    cold: await cold(subject, COLD_REQUESTS, 1 + WARM_REQUESTS),
    cached: await same(subject, path, CACHED_REQUESTS),
    bare: await same(bare, path, CACHED_REQUESTS),
    first: await first(subject, FIRST_REQUESTS, 0),
    newAll: await aggregated(subject, 'A0', ROWS),
    allMinutes: await aggregated(subject, 'A1', ROWS),
    allDefault: await aggregated(subject, 'A2', 1_000),
    // The first polls of a process are compiled; charts are polled for hours.
    newChart: await charts(subject, 0),
    chart: await charts(subject, CHART_REQUESTS),
    bytes: body.length,
  };
  subject.child.disconnect();
  bare.child.disconnect();
  return costs;
}

const done: Awaited<ReturnType<typeof round>>[] = [];
while (done.length < rounds) done.push(await round());
const names = ['new', 'first', 'cold', 'cached', 'bare', 'newChart', 'chart'] as const;
const of = (name: (typeof names)[number]): readonly number[] => done.map((costs) => costs[name]);
console.log(`${ROWS} candles, ${done[0]?.bytes} bytes; ms of CPU per request, ${rounds} rounds`);
for (const name of names)
  console.log(
    `${name.padEnd(9)} ${median(of(name)).toFixed(2)} (${of(name)
      .map((ms) => ms.toFixed(2))
      .join(' ')})`,
  );
const ratio = median(done.map(({ cached, bare }) => cached / bare));
console.log(
  `cached / bare: ${ratio.toFixed(2)} (limit: ${CACHED_RATIO_MAX}); limit of first and cold: ${COLD_MS_MAX} ms`,
);
const core = (median(of('chart')) * CHARTS) / CHART_POLL_SECONDS / 1_000;
console.log(`${CHARTS} charts: ${(100 * core).toFixed(1)} % of a core (limit: ${100 * CHARTS_CORE_MAX} %)`);
let slowestAll = 0;
for (const name of ['allDefault', 'allMinutes', 'newAll'] as const) {
  const ofAll = (figure: 'ms' | 'cpuMs' | 'loopMs'): number =>
    median(done.map((costs) => costs[name][figure]));
  if (name !== 'newAll') slowestAll = Math.max(slowestAll, ofAll('ms'));
  const limit = name === 'newAll' ? '' : ` (limit: ${AGGREGATED_MS_MAX})`;
  console.log(
    `${name.padEnd(10)} ${ofAll('ms').toFixed(0)} ms${limit}, ${ofAll('cpuMs').toFixed(0)} ms of CPU, event loop at most ${ofAll('loopMs').toFixed(0)} ms at a time`,
  );
}
const slowest = Math.max(median(of('first')), median(of('cold')));
if (
  ratio > CACHED_RATIO_MAX ||
  slowest > COLD_MS_MAX ||
  core > CHARTS_CORE_MAX ||
  slowestAll > AGGREGATED_MS_MAX
)
  process.exitCode = 1;
