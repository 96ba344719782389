import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { openBusyWire } from './dashboard-trades.ts';

/**
 * What the market page costs while the tape runs at 2,000 trades a second: the work of its main thread per frame, from
 * a trace, and what page and worker hold in memory after a forced collection, minute by minute. Before that, how long
 * a first visit takes until the overview shows figures in every panel.
 *
 *     npm run bench:dashboard -- --minutes 10
 */
const TRADES_PER_SECOND = 2_000;
const TRACE_SECONDS = 20;
const FRAME_MS_MAX = 8;
const VISITS = 5;
const USABLE_MS_MAX = 2_000;
/** What the memory may grow by between the first third and the end: a share, and what the bars of these minutes take. */
const GROWTH_MAX = 1.1;
const GROWTH_BYTES_MAX = 1e6;
const minutes = Number(process.argv[process.argv.indexOf('--minutes') + 1]) || 10;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

/** Scripting, collecting and layout; not what painting takes, which has a thread of its own where there is a GPU. */
const counted = new Set([
  'FunctionCall',
  'RunMicrotasks',
  'EvaluateScript',
  'MinorGC',
  'MajorGC',
  'UpdateLayoutTree',
  'Layout',
]);

const path = spawnSync('which', ['chromium']).stdout.toString().trim();
if (path === '') throw new Error('chromium is not on the PATH');
const folder = mkdtempSync(join(tmpdir(), 'crosstape-bench-'));
const service = spawn(
  process.execPath,
  [
    'packages/server/bin/crosstape.js',
    ...'--port 0 --log info --upstream sim --seed 7 --sim-history-days 1 --sim-market-history-hours 0 --data'.split(
      ' ',
    ),
    folder,
  ],
  { stdio: ['ignore', 'pipe', 'pipe'] },
);
const said = (stream: Readable, words: RegExp): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    stream.on('data', (part: Buffer) => {
      text = (text + part.toString()).slice(-10_000);
      const found = words.exec(text)?.[1];
      if (found) resolve(found);
    });
  });
// A service makes its past once in its life, on all cores; visitors come later.
const [url] = await Promise.all([
  said(service.stdout, /listening on (\S+)/),
  said(service.stderr, /(the simulated market has its history)/),
]);
for (;;) {
  if ((await fetch(`${url}/readyz`)).ok) break;
  await new Promise((resolve) => setTimeout(resolve, 500));
}
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
const usableMs = await firstVisit(browser, url);
console.log(`a first visit: figures in every panel of the overview after ${Math.round(usableMs)} ms`);
const wire = await openBusyWire(url, TRADES_PER_SECOND);
const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
await page.goto(`${wire.url}/m/BTC?days=0.1`);
await page.locator('[data-bars]').waitFor({ timeout: 300_000 });
const cdp = await page.context().newCDPSession(page);
const worker = await attachWorker(await browser.newBrowserCDPSession());

await page.waitForTimeout(5_000);
const before = { sent: wire.sent(), atMs: performance.now() };
const frames = await traceFrames(cdp, page);
const rate = (wire.sent() - before.sent) / ((performance.now() - before.atMs) / 1_000);
const p = (share: number): number =>
  frames[Math.min(frames.length - 1, Math.floor(frames.length * share))] ?? 0;
console.log(`${Math.round(rate)} trades/s over ${TRACE_SECONDS} s, ${frames.length} frames`);
console.log(
  `scripting and layout per frame: p50 ${p(0.5).toFixed(2)} ms, p95 ${p(0.95).toFixed(2)} ms, most ${p(1).toFixed(2)} ms`,
);

const held: { page: number; worker: number }[] = [];
for (let minute = 0; minute <= minutes; minute += 1) {
  if (minute > 0) await page.waitForTimeout(60_000);
  held.push({
    page: await heapOf((method) => cdp.send(method as 'HeapProfiler.enable')),
    worker: await heapOf(worker),
  });
  const { page: ofPage, worker: ofWorker } = held.at(-1) ?? { page: 0, worker: 0 };
  const bars = await page.locator('[data-bars]').getAttribute('data-bars');
  console.log(`minute ${minute}: page ${mb(ofPage)}, worker ${mb(ofWorker)}, ${bars} bars`);
}
const from = held[Math.ceil(held.length / 3)] ?? held[0];
const to = held.at(-1);
const growth = from && to ? Math.max(grown(from.page, to.page), grown(from.worker, to.worker)) : 1;
const isGood = usableMs < USABLE_MS_MAX && p(0.95) < FRAME_MS_MAX && growth < GROWTH_MAX;
console.log(
  `${isGood ? 'within' : 'BEYOND'} the limits: first visit below ${USABLE_MS_MAX} ms, p95 below ${FRAME_MS_MAX} ms, growth ×${growth.toFixed(3)} below ×${GROWTH_MAX}`,
);

await browser.close();
wire.close();
service.kill('SIGTERM');
await new Promise((resolve) => service.once('exit', resolve));
rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);

/** Until no panel of the overview is without figures, for somebody who was never here: the median of some visits. */
async function firstVisit(visitors: Browser, site: string): Promise<number> {
  const tookMs: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await visitors.newContext({ viewport: { width: 1920, height: 1080 } });
    const tab = await context.newPage();
    const startMs = performance.now();
    await tab.goto(site);
    await tab.locator('[data-freshness]').first().waitFor();
    await tab.locator('[data-freshness=loading]').first().waitFor({ state: 'detached' });
    tookMs.push(performance.now() - startMs);
    await context.close();
  }
  return tookMs.toSorted((a, b) => a - b)[Math.floor(VISITS / 2)] as number;
}

/** Beyond what the bars take. */
function grown(fromBytes: number, toBytes: number): number {
  return (toBytes - GROWTH_BYTES_MAX) / fromBytes;
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

/** What a target holds once everything that can go has gone. */
async function heapOf(send: (method: string) => Promise<unknown>): Promise<number> {
  await send('HeapProfiler.enable');
  await send('HeapProfiler.collectGarbage');
  return ((await send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize;
}

/** Scripting and layout of the page from frame to frame in ms, least first: CPU time, whatever else the machine does. */
async function traceFrames(session: CDPSession, on: Page): Promise<readonly number[]> {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories },
  });
  await on.waitForTimeout(TRACE_SECONDS * 1_000);
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  const starts = events.filter(({ name }) => name === 'BeginCommitCompositorFrame');
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const countOf = (thread: string): number => starts.filter((event) => threadOf(event) === thread).length;
  // The page's: no other draws as many frames.
  const [thread] = [...new Set(starts.map(threadOf))].toSorted((a, b) => countOf(b) - countOf(a));
  const own = events.filter((event) => threadOf(event) === thread);
  const bounds = starts
    .filter((event) => threadOf(event) === thread)
    .map(({ ts }) => ts)
    .toSorted((a, b) => a - b);
  const tasks = own.filter(({ name, ph }) => ph === 'X' && counted.has(name)).toSorted((a, b) => a.ts - b.ts);
  const work = bounds.slice(1).map(() => 0);
  let untilTs = 0;
  for (const { ts, tdur, dur = 0 } of tasks) {
    // What happens within something that is counted is counted with it.
    if (ts < untilTs) continue;
    untilTs = ts + dur;
    const at = bounds.findLastIndex((bound) => bound <= ts);
    if (at >= 0 && at < work.length) work[at] = (work[at] ?? 0) + (tdur ?? dur) / 1_000;
  }
  return work.toSorted((a, b) => a - b);
}

/** A way to ask the shared worker. */
async function attachWorker(session: CDPSession): Promise<(method: string) => Promise<unknown>> {
  const { targetInfos } = await session.send('Target.getTargets');
  const target = targetInfos.find(({ type }) => type === 'shared_worker');
  if (!target) throw new Error('the page has no shared worker');
  const { sessionId } = await session.send('Target.attachToTarget', {
    targetId: target.targetId,
    flatten: false,
  });
  const waiting = new Map<number, (result: unknown) => void>();
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message) as { id: number; result: unknown };
    waiting.get(id)?.(result);
  });
  let lastId = 0;
  return async (method) => {
    const id = (lastId += 1);
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return answer;
  };
}
