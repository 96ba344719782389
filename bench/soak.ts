/**
 * Runs the service for hours under a steady load from another process: 500 sockets, 200 streams, REST requests and
 * builds. Prints RSS, heaps, event-loop delay and descriptors each minute, and judges by their slope after a warm-up.
 *
 *     npm run -s soak -- --hours 3
 *     npm run -s soak -- --hours 0.1 --sockets 50 --streams 20
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { answer, judge, median, start } from './part.ts';
import { endProgram, nodeFlags, residentMb, startProgram } from './program.ts';

const MINUTE_MS = 60_000;
/** Logs of the last 12 minutes and caches fill up first. */
const WARM_UP_MINUTES = 15;
/** Growth per hour, as a share of the median. */
const SLOPE_MAX = 0.02;
const LOOP_DELAY_MS_MAX = 100;
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '3' },
    sockets: { type: 'string', default: '500' },
    streams: { type: 'string', default: '200' },
  },
});
const minutes = Math.max(1, Math.round(Number(values.hours) * 60));
const warmUp = Math.min(WARM_UP_MINUTES, Math.floor(minutes / 3));

interface Reading {
  readonly rssMb: number;
  readonly heapMb: number;
  readonly loopDelayMs: number;
  readonly descriptors: number;
}

function valueOf(metrics: string, series: RegExp): number {
  return [...metrics.matchAll(series)].reduce((sum, [, value]) => sum + Number(value), 0);
}

async function read(child: ChildProcess, url: string): Promise<Reading> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return {
    rssMb: residentMb(child).rss,
    heapMb: valueOf(metrics, /^crosstape_thread_memory_bytes\{.*kind="heap_used"\} (\d+)/gm) / 2 ** 20,
    loopDelayMs: 1_000 * valueOf(metrics, /^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)/gm),
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
  };
}

/** Least squares over the minutes, as a share of the median per hour. */
function slopePerHour(series: readonly number[]): number {
  const meanX = (series.length - 1) / 2;
  const meanY = series.reduce((sum, y) => sum + y, 0) / series.length;
  let above = 0;
  let below = 0;
  for (const [x, y] of series.entries()) {
    above += (x - meanX) * (y - meanY);
    below += (x - meanX) ** 2;
  }
  return (60 * above) / below / median(series);
}

const folder = mkdtempSync(join(tmpdir(), 'crosstape-soak-'));
const flags = ['--port', '0', '--log', 'error', '--upstream', 'sim', '--quota', 'off', '--data', folder];
const service = await startProgram(flags, { node: nodeFlags });
const { url } = service;
const load = start('soak-load.ts', { url, sockets: Number(values.sockets), streams: Number(values.streams) });
const readings: Reading[] = [];
try {
  for (let minute = 1; minute <= minutes; minute += 1) {
    await wait(MINUTE_MS);
    const reading = await read(service.child, url);
    readings.push(reading);
    load.send('report');
    const counts = await answer<Record<string, number>>(load);
    const { rssMb, heapMb, loopDelayMs, descriptors } = reading;
    console.log(
      `minute ${minute}: RSS ${rssMb.toFixed(0)} MB, heaps ${heapMb.toFixed(0)} MB, loop p99 ${loopDelayMs.toFixed(1)} ms, ${descriptors} descriptors; ${JSON.stringify(counts)}`,
    );
  }
} finally {
  load.send('stop');
  await endProgram(service);
  rmSync(folder, { recursive: true });
}
const settled = readings.slice(warmUp);
for (const field of ['rssMb', 'heapMb', 'descriptors'] as const)
  judge(
    `${field}, growth per hour`,
    slopePerHour(settled.map((one) => one[field])),
    SLOPE_MAX,
    'of the median',
  );
const delays = settled.map(({ loopDelayMs }) => loopDelayMs);
judge('event-loop delay p99, median', median(delays), LOOP_DELAY_MS_MAX, 'ms');
process.exit();
