import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { pages } from '../packages/dashboard/src/router/pages.ts';
import { findChromium } from '../test/market.ts';
import { ManyCoins } from './dashboard-coins.ts';
import { openBusyWire } from './dashboard-trades.ts';
import { median } from './part.ts';
import { endProgram, startProgram, untilReady } from './program.ts';

/**
 * The limits of the dashboard, on a simulated service with its history:
 * - how long a first visit takes until the first panel, and until every panel has figures, and what each page loads,
 *   compressed;
 * - the work of the main thread per frame, from a trace, on the market page at 2,000 trades a second, once for each set
 *   of indicators;
 * - the same on the screener with 300 rows while it is scrolled, and prints of all coins come at that rate;
 * - what page and worker hold in memory with four charts, after a forced collection, minute by minute.
 *
 *     npm run bench:dashboard -- --minutes 10
 *     npm run bench:dashboard -- --only memory --minutes 60 --trades 200
 */
const { values: options } = parseArgs({
  options: {
    /** How long the memory is watched. */
    minutes: { type: 'string', default: '10' },
    /** One of the parts: `visits`, `frames`, `screener` or `memory`. */
    only: { type: 'string' },
    /** Trades a second, of all coins together. */
    trades: { type: 'string', default: '2000' },
  },
});
const minutes = Number(options.minutes);
const has = (part: 'visits' | 'frames' | 'screener' | 'memory'): boolean => (options.only ?? part) === part;
const TRACE_SECONDS = 20;
const SETTLE_MS = 5_000;
const FRAME_MS_MAX = 8;
/** A sixtieth of a second. */
const SCREENER_FRAME_MS_MAX = 16;
const SCREENER_ROWS = 300;
/** Turns of the wheel: how often, how far, and how many before it is turned back. */
const WHEEL_EVERY_MS = 50;
const WHEEL_PX = 200;
const WHEEL_TURNS = 30;
const VISITS = 5;
const USABLE_MS_MAX = 1_000;
const PAGE_BYTES_MAX = 200_000;
/** Those of a new visitor with one more, and those that follow every venue. */
const INDICATORS = ['cvd,oi,funding,vwap', 'cvdkinds,cvdvenues,oivenues,liqsides,bookheat'];
const FOUR_CHARTS = '/charts?n=4&ind=cvdvenues,oivenues,liqsides,bookheat';
/** Runs in a page: notes when its first panel, and when all of its panels have figures, in ms since the visit began. */
const LOOK = `globalThis.visit = { first: 0, all: 0 };
const look = () => {
  const panels = [...document.querySelectorAll('[data-freshness]')];
  const loading = panels.filter((panel) => panel.dataset.freshness === 'loading');
  if (loading.length < panels.length) visit.first ||= performance.now();
  if (panels.length > 0 && loading.length === 0) visit.all = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);`;
const screen = { viewport: { width: 1920, height: 1080 } };
/** What the memory may grow by between the first third and the end: a share, and what the bars of these minutes take. */
const GROWTH_MAX = 1.1;
const GROWTH_BYTES_MAX = 1e6;

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

/** Scripting, collecting and layout; not what painting takes, which has its own thread where there is a GPU. */
const counted = new Set([
  'FunctionCall',
  'RunMicrotasks',
  'EvaluateScript',
  'MinorGC',
  'MajorGC',
  'UpdateLayoutTree',
  'Layout',
]);

const path = findChromium();
if (path === undefined) throw new Error('chromium is not on the PATH');
const folder = mkdtempSync(join(tmpdir(), 'crosstape-bench-'));
const flags =
  '--port 0 --log error --upstream sim --seed 7 --sim-history-days 1 --sim-market-history-hours 0 --data';
const service = await startProgram([...flags.split(' '), folder]);
const { url } = service;
// A service makes its history once in its life, on all cores, and is ready after it; visitors come later.
await untilReady(url);
const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
const wire = await openBusyWire(url, Number(options.trades));
const limits: (readonly [name: string, value: number, max: number, unit: string])[] = [];
if (has('visits')) {
  for (const address of ['/', '/m/BTC']) {
    const { firstMs, allMs } = await firstVisit(browser, `${url}${address}`);
    console.log(
      `a first visit of ${address}: first figures after ${firstMs} ms, in every panel after ${allMs} ms`,
    );
    limits.push([`first visit of ${address}`, allMs, USABLE_MS_MAX, 'ms']);
  }
  limits.push(['heaviest page', await weighPages(browser), PAGE_BYTES_MAX, 'bytes']);
}
if (has('frames'))
  for (const indicators of INDICATORS)
    limits.push([`p95 of frames with ${indicators}`, await frameCost(indicators), FRAME_MS_MAX, 'ms']);
if (has('screener')) {
  const cost = await screenerCost();
  limits.push([`p95 of frames of ${SCREENER_ROWS} rows`, cost, SCREENER_FRAME_MS_MAX, 'ms']);
}
if (has('memory')) limits.push(['growth of memory', await memoryGrowth(), GROWTH_MAX, '×']);
for (const [name, value, max, unit] of limits)
  console.log(
    `${value <= max ? 'within' : 'BEYOND'} the limit: ${name} ${Number(value.toFixed(3))} of at most ${max} ${unit}`,
  );
const isGood = limits.every(([, value, max]) => value <= max);

await browser.close();
wire.close();
await endProgram(service);
rmSync(folder, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);

/**
 * Until the first panel and until every panel has figures, for a browser that was never here: medians of some visits, by
 * the clock of the page, which looks before each frame.
 */
async function firstVisit(visitors: Browser, address: string): Promise<{ firstMs: number; allMs: number }> {
  const visits: { first: number; all: number }[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const context = await visitors.newContext(screen);
    await context.addInitScript(LOOK);
    const tab = await context.newPage();
    await tab.goto(address, { waitUntil: 'commit' });
    // A function: the policy of the page forbids text.
    await tab.waitForFunction(() => (globalThis as unknown as { visit: { all: number } }).visit.all > 0);
    visits.push(await tab.evaluate<{ first: number; all: number }>('visit'));
    await context.close();
  }
  const medianOf = (name: 'first' | 'all'): number => Math.round(median(visits.map((one) => one[name])));
  return { firstMs: medianOf('first'), allMs: medianOf('all') };
}

async function shown(tab: Page): Promise<void> {
  await tab.locator('[data-freshness], form, table').first().waitFor();
  await tab.locator('[data-freshness=loading]').first().waitFor({ state: 'detached' });
}

/** Code, styles and document that each page loads, as they are sent: bytes of the heaviest. */
async function weighPages(visitors: Browser): Promise<number> {
  const weights: (readonly [href: string, bytes: number])[] = [];
  for (const { href } of pages) {
    const context = await visitors.newContext(screen);
    const tab = await context.newPage();
    const before = wire.fileBytes();
    await tab.goto(`${wire.url}${href}`);
    await shown(tab);
    weights.push([href, wire.fileBytes() - before]);
    await context.close();
  }
  console.log(weights.map(([href, bytes]) => `${href} ${Math.round(bytes / 1_000)} KB`).join(', '));
  return Math.max(...weights.map(([, bytes]) => bytes));
}

/** p95 of the work per frame of the market page with some indicators. */
async function frameCost(indicators: string): Promise<number> {
  const tab = await browser.newPage(screen);
  await tab.goto(`${wire.url}/m/BTC?ind=${indicators}`);
  await tab.locator('[data-bars]').waitFor({ timeout: 300_000 });
  await tab.waitForTimeout(SETTLE_MS);
  const before = { sent: wire.sent(), atMs: performance.now() };
  const frames = await traceFrames(await tab.context().newCDPSession(tab), tab);
  const rate = (wire.sent() - before.sent) / ((performance.now() - before.atMs) / 1_000);
  console.log(`${indicators}: ${Math.round(rate)} trades/s over ${TRACE_SECONDS} s, ${costText(frames)}`);
  await tab.close();
  return costAt(frames, 0.95);
}

/** p95 of the work per frame of the screener, while prices change and it is scrolled up and down. */
async function screenerCost(): Promise<number> {
  const busy = await openBusyWire(url, 0, new ManyCoins(SCREENER_ROWS, Number(options.trades)));
  const tab = await browser.newPage(screen);
  await tab.goto(`${busy.url}/screener`);
  await tab
    .locator('tbody tr')
    .nth(SCREENER_ROWS - 1)
    .waitFor({ timeout: 300_000 });
  await tab.waitForTimeout(SETTLE_MS);
  const pricesOf = (): Promise<string> => tab.locator('tbody').innerText();
  const before = await pricesOf();
  let isOver = false;
  const scroll = async (): Promise<void> => {
    await tab.mouse.move(screen.viewport.width / 2, screen.viewport.height / 2);
    for (let turn = 0; !isOver; turn += 1) {
      const isDown = Math.floor(turn / WHEEL_TURNS) % 2 === 0;
      await tab.mouse.wheel(0, isDown ? WHEEL_PX : -WHEEL_PX);
      await tab.waitForTimeout(WHEEL_EVERY_MS);
    }
  };
  const scrolling = scroll();
  const frames = await traceFrames(await tab.context().newCDPSession(tab), tab);
  isOver = true;
  await scrolling;
  if ((await pricesOf()) === before) throw new Error('the prices of the screener have not changed');
  const rows = await tab.locator('tbody tr').count();
  console.log(
    `screener: ${rows} rows, ${options.trades} prints/s over ${TRACE_SECONDS} s, ${costText(frames)}`,
  );
  await tab.close();
  busy.close();
  return costAt(frames, 0.95);
}

function costAt(frames: readonly number[], share: number): number {
  return frames[Math.min(frames.length - 1, Math.floor(frames.length * share))] ?? 0;
}

function costText(frames: readonly number[]): string {
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => costAt(frames, share).toFixed(2));
  return `${frames.length} frames; scripting and layout per frame p50 ${p50} ms, p95 ${p95} ms, most ${most} ms`;
}

/** What page and worker hold with four charts, minute by minute: growth of the one that grows more. */
async function memoryGrowth(): Promise<number> {
  const page = await browser.newPage(screen);
  await page.goto(`${wire.url}${FOUR_CHARTS}`);
  for (const chart of [0, 1, 2, 3])
    await page.locator('[data-bars]').nth(chart).waitFor({ timeout: 300_000 });
  const cdp = await page.context().newCDPSession(page);
  const worker = await attachWorker(await browser.newBrowserCDPSession());
  const held: { page: number; worker: number }[] = [];
  const sentBefore = wire.sent();
  for (let minute = 0; minute <= minutes; minute += 1) {
    if (minute > 0) await page.waitForTimeout(60_000);
    const now = {
      page: await heapOf((method) => cdp.send(method as 'HeapProfiler.enable')),
      worker: await heapOf(worker),
    };
    held.push(now);
    console.log(`minute ${minute}, four charts: page ${mb(now.page)}, worker ${mb(now.worker)}`);
  }
  const late = held.slice(Math.ceil(held.length / 3));
  const [from = held[0]] = late;
  const to = held.at(-1);
  for (const part of ['page', 'worker'] as const)
    console.log(
      `${part}: slope of the last two thirds ${mb(slopeOf(late.map((one) => one[part])) * 60)} an hour`,
    );
  console.log(`${wire.sent() - sentBefore} trades in that time`);
  return from && to ? Math.max(grown(from.page, to.page), grown(from.worker, to.worker)) : 1;
}

/** Per step, by least squares. */
function slopeOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  const above = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const below = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return below === 0 ? 0 : above / below;
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
