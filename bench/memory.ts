/**
 * Memory of a service on a simulated market of real size, which runs in another process, or of the default: everyday
 * size, first-run history and the simulator in the same process. Prints RSS (the median and the highest since the last
 * line: it rises and falls as memory is freed and given back), the heaps of both threads, external memory, the rows of each
 * venue's tables and the load average at minutes 1, 5, 10, 15, 20, 25 and 30, then the highest RSS of all, how much it grew
 * after minute 10, the sources that are not ok and the venue limits that were broken.
 *
 *     npm run -s bench:memory
 *     npm run -s bench:memory -- --default
 *     npm run -s bench:memory -- --minutes 1,3 --size everyday
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { judge } from './part.ts';
import { endProgram, nodeFlags, residentMb, startProgram } from './program.ts';

const RSS_MB_MAX = { service: 400, withSimulator: 450 };
/** Flat: the last median exceeds the first one after minute 10 by no more than this factor. */
const GROWTH_MAX = 1.05;
const SETTLED_MINUTE = 10;
const MEBIBYTE = 2 ** 20;
const READ_EVERY_MS = 500;
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1,5,10,15,20,25,30' },
    size: { type: 'string', default: 'real' },
    default: { type: 'boolean', default: false },
  },
});
const minutes = values.minutes.split(',').map(Number);
const folder = mkdtempSync(join(tmpdir(), 'crosstape-bench-memory-'));

const get = async (url: string): Promise<string> => (await fetch(url)).text();

interface Reading {
  readonly minute: number;
  /** Median since the previous reading. */
  readonly rss: number;
  readonly highest: number;
}

/** Reads RSS until a time, and prints what it was. */
async function read(minute: number, untilMs: number, service: ChildProcess, url: string): Promise<Reading> {
  const readings = [residentMb(service)];
  while (performance.now() < untilMs) {
    await wait(READ_EVERY_MS);
    readings.push(residentMb(service));
  }
  const byRss = readings.toSorted((a, b) => a.rss - b.rss);
  const { rss, file } = byRss[Math.floor(readings.length / 2)] as (typeof readings)[number];
  const highest = byRss.at(-1)?.rss ?? 0;
  const metrics = await get(`${url}/metrics`);
  const series = [
    ...metrics.matchAll(/^crosstape_thread_memory_bytes\{thread="(\w+)",kind="(\w+)"\} (\d+)/gm),
  ];
  const threads = series.map(
    ([, thread, kind, bytes]) => `${thread} ${kind} ${Math.round(Number(bytes) / MEBIBYTE)}`,
  );
  console.log(
    `minute ${minute} (load ${loadavg()[0]?.toFixed(1)}): RSS ${Math.round(rss)} MB (${Math.round(file)} of it files), highest ${Math.round(highest)}; MB: ${threads.join(', ')}`,
  );
  const rows = new Map<string, number>();
  for (const [, venue = '', count] of metrics.matchAll(/^crosstape_table_rows\{venue="([\w-]+)".*\} (\d+)/gm))
    rows.set(venue, (rows.get(venue) ?? 0) + Number(count));
  console.log(`  rows of tables: ${[...rows].map(([venue, count]) => `${venue} ${count}`).join(', ')}`);
  return { minute, rss, highest };
}

async function judgeViolations(url: string): Promise<void> {
  const { venues } = JSON.parse(await get(`${url}/sim`)) as {
    readonly venues: Readonly<Record<string, { readonly violations: unknown }>>;
  };
  const broken = Object.entries(venues).filter(
    ([, { violations }]) => Object.keys(violations as object).length > 0,
  );
  console.log(
    `venue limits broken: ${JSON.stringify(broken.map(([id, { violations }]) => [id, violations]))}`,
  );
  judge('venues whose limits were broken', broken.length, 0, '');
}

const run = (...args: readonly string[]) => startProgram(args, { node: nodeFlags });
const simulator = values.default ? undefined : await run('sim', '--size', values.size, '--port', '0');
const flags = ['--port', '0', '--log', 'error', '--upstream', 'sim'];
if (simulator) flags.push('--sim-url', simulator.url);
const service = await run(...flags, '--data', folder);
const startedMs = performance.now();
const readings: Reading[] = [];
try {
  for (const minute of minutes) {
    readings.push(await read(minute, startedMs + minute * 60_000, service.child, service.url));
  }
  const sources = JSON.parse(await get(`${service.url}/api/v1/sources`)) as {
    readonly data: readonly {
      readonly feeds?: readonly { readonly source: string; readonly status: string }[];
    }[];
  };
  const feeds = sources.data.flatMap((venue) => venue.feeds ?? []);
  const notOk = feeds.filter(({ status }) => status !== 'ok' && status !== 'idle');
  console.log(
    `sources that are not ok: ${notOk.map(({ source, status }) => `${source} ${status}`).join(', ') || 'none'}`,
  );
  judge('sources that are not ok', notOk.length, 0, '');
  if (simulator) await judgeViolations(simulator.url);
} finally {
  await endProgram(service);
  simulator?.child.kill();
  rmSync(folder, { recursive: true });
}
const last = readings.at(-1)?.rss ?? Number.NaN;
const settled = readings.find(({ minute }) => minute > SETTLED_MINUTE);
const highest = Math.max(...readings.map((reading) => reading.highest));
judge('highest RSS', highest, simulator ? RSS_MB_MAX.service : RSS_MB_MAX.withSimulator, 'MB');
if (settled && settled !== readings.at(-1))
  judge(`growth since minute ${SETTLED_MINUTE}`, last / settled.rss, GROWTH_MAX);
