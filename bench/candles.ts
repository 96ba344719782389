import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { load } from './http-load.ts';

/**
 * Processor time of `/candles` with 10,000 minutes: cached, against a bare server that sends the same bytes, and cold,
 * when every request reads other minutes of the ledger. Server, bare server and clients are processes of their own; each
 * round starts them again, and medians are compared.
 */
const ROWS = 10_000;
const rounds = Number(process.env.ROUNDS ?? 5);
const CACHED_REQUESTS = 400;
const COLD_REQUESTS = 100;
const WARM_REQUESTS = 100;
const CONNECTIONS = 4;
const CACHED_RATIO_MAX = 1.5;
const COLD_MS_MAX = 15;

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

async function cpuMsOf({ child }: Server): Promise<number> {
  child.send('usage');
  const [{ cpuUs }] = (await once(child, 'message')) as [{ cpuUs: number }];
  return cpuUs / 1_000;
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

const pathTo = (endMs: number): string => `/api/v1/candles?market=hyperliquid:BTC&limit=${ROWS}&end=${endMs}`;

async function cold(server: Subject, requests: number, from: number): Promise<number> {
  return cost(server, requests, async () => {
    for (let i = 0; i < requests; i += 1) {
      // Another range each time, with as many rows.
      const path = pathTo(server.endMs - from - i);
      await load({ port: server.port, path, acceptEncoding: 'identity', connections: 1, requests: 1 });
    }
  });
}

async function round() {
  const tsx = ['--import', 'tsx', '--conditions=crosstape-source'];
  const subject = await start<Subject>('candles-subject.ts', tsx);
  const path = pathTo(subject.endMs);
  const response = await fetch(`http://127.0.0.1:${subject.port}${path}`);
  const body = Buffer.from(await response.arrayBuffer());
  const { data } = JSON.parse(body.toString()) as { data: readonly unknown[] };
  if (data.length !== ROWS) throw new Error(`${data.length} rows were answered`);
  const bare = await start<Server>('candles-baseline.mjs', [], body);
  await cold(subject, WARM_REQUESTS, 1);
  await same(bare, path, WARM_REQUESTS);
  const costs = {
    cold: await cold(subject, COLD_REQUESTS, 1 + WARM_REQUESTS),
    cached: await same(subject, path, CACHED_REQUESTS),
    bare: await same(bare, path, CACHED_REQUESTS),
    bytes: body.length,
  };
  subject.child.disconnect();
  bare.child.disconnect();
  return costs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const done: Awaited<ReturnType<typeof round>>[] = [];
while (done.length < rounds) done.push(await round());
const of = (name: 'cold' | 'cached' | 'bare'): readonly number[] => done.map((costs) => costs[name]);
console.log(`${ROWS} candles, ${done[0]?.bytes} bytes; ms of CPU per request, ${rounds} rounds`);
for (const name of ['cold', 'cached', 'bare'] as const)
  console.log(
    `${name.padEnd(7)} ${median(of(name)).toFixed(2)} (${of(name)
      .map((ms) => ms.toFixed(2))
      .join(' ')})`,
  );
const ratio = median(done.map(({ cached, bare }) => cached / bare));
console.log(`cached / bare: ${ratio.toFixed(2)} (limit: ${CACHED_RATIO_MAX}); cold limit: ${COLD_MS_MAX} ms`);
if (ratio > CACHED_RATIO_MAX || median(of('cold')) > COLD_MS_MAX) process.exitCode = 1;
