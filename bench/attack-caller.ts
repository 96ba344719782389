/** A caller that is no attacker: how long its requests take, one after the other. */
import { performance } from 'node:perf_hooks';

export interface CallerOrder {
  readonly url: string;
  readonly key: string;
  readonly seconds: number;
}

interface Times {
  readonly requests: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface CallerSeen {
  readonly healthz: Times;
  readonly cached: Times;
}

/** Both together stay below what a pro key and an address may ask for in a minute. */
const PAUSE_MS = 25;

const { url, key, seconds } = JSON.parse(process.argv[2] ?? '') as CallerOrder;
const taken = { healthz: [] as number[], cached: [] as number[] };

async function ask(kind: keyof typeof taken, path: string): Promise<void> {
  const startedMs = performance.now();
  const response = await fetch(url + path, { headers: { 'X-API-Key': key } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  taken[kind].push(performance.now() - startedMs);
}

function timesOf(all: number[]): Times {
  all.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((all[Math.floor(share * (all.length - 1))] ?? 0) * 10) / 10;
  return { requests: all.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

const untilMs = performance.now() + seconds * 1_000;
while (performance.now() < untilMs) {
  await ask('healthz', '/healthz');
  await ask('cached', '/api/v1/perps/tickers');
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
process.send?.({ healthz: timesOf(taken.healthz), cached: timesOf(taken.cached) } satisfies CallerSeen);
process.disconnect();
