import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Topic } from '../live/topic.ts';
import { fullHours } from './full-hours.ts';
import type { ReplayReport } from './replay-order.ts';
import { Replays } from './replays.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PRESENT_MS = 1_790_000_000_000 - (1_790_000_000_000 % 3_600_000);
const START_MS = PRESENT_MS - 120 * MINUTE_MS;

/** Paths and queries of the requests. */
const asked: URL[] = [];
let reports: ReplayReport[] = [];
let replays: Replays;

beforeEach(() => {
  vi.useFakeTimers({ now: PRESENT_MS });
  vi.stubGlobal('fetch', (url: string) => {
    const address = new URL(url);
    asked.push(address);
    const path = address.pathname.replace('/api/v1', '');
    const data = path.endsWith('/trades/history')
      ? { chunks: [] }
      : path === '/candles'
        ? []
        : { points: [], periodHours: {} };
    const headers = { 'RateLimit-Policy': '"default";q=60;w=60' };
    const meta = { nextStart: null, source: 'sim:hyperliquid' };
    return Promise.resolve(Response.json({ data, meta }, { headers }));
  });
  replays = new Replays('http://service', (report) => reports.push(report));
});

afterEach(() => {
  replays.close();
  asked.length = 0;
  reports = [];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const bars: Topic = { from: 'bars', spec: { market: 'hyperliquid:BTC', interval: '1m', limit: 500 } };
const tape: Topic = { from: 'channel', channel: 'trades', symbol: 'BTC', params: {} };
const funding: Topic = { from: 'channel', channel: 'funding', symbol: 'BTC', params: {} };
const openInterest: Topic = { from: 'channel', channel: 'openInterest', symbol: 'BTC', params: {} };
const tapeOf = (market: string): Topic => ({ ...tape, params: { market } });

let lastId = 0;

/** Begins a replay that these topics follow, as a page does. */
async function open(run: number, startMs: number, topics: readonly Topic[]): Promise<void> {
  replays.take({ op: 'open', run, startMs, speed: 1, isPlaying: false });
  for (const topic of topics) replays.take({ op: 'follow', id: (lastId += 1), topic });
  await vi.advanceTimersByTimeAsync(500);
}

const lastStatus = (): ReplayReport | undefined => reports.findLast((report) => 'status' in report);
const historyCalls = (): readonly string[] =>
  asked
    .filter(({ pathname }) => pathname.endsWith('/trades/history'))
    .map(({ searchParams }) => {
      const [start, end] = ['start', 'end'].map((name) => Number(searchParams.get(name)) - START_MS);
      const name = searchParams.get('market') ?? searchParams.get('coin') ?? '';
      return `${name} ${start! / MINUTE_MS} to ${end! / MINUTE_MS}`;
    });

it('reads each window of a market once, however it is named, and nothing again after a short jump back', async () => {
  await open(1, START_MS + 7 * MINUTE_MS, [bars, tape]);
  expect(historyCalls()).toEqual(['BTC 0 to 10', 'BTC 10 to 20']);
  const before = asked.length;
  await open(2, START_MS + 7 * MINUTE_MS - 1, [bars, tape]);
  await open(3, START_MS + 6 * MINUTE_MS, [bars, tape]);
  expect(historyCalls()).toHaveLength(2);
  // The candles of another minute.
  expect(asked.length - before).toBe(2);
  expect(lastStatus()).toMatchObject({ run: 3, status: { state: 'paused' } });
});

it('reports nothing of a replay that another one has replaced', async () => {
  await open(1, START_MS, [bars, tape]);
  replays.take({ op: 'play' });
  await vi.advanceTimersByTimeAsync(500);
  expect(lastStatus()).toMatchObject({ status: { state: 'playing', nowMs: START_MS + 500 } });
  replays.take({ op: 'open', run: 2, startMs: START_MS - 1, speed: 1, isPlaying: true });
  const count = reports.length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reports.slice(count).filter(({ run }) => run === 1)).toEqual([]);
});

it('has enough requests for a tape of twelve markets, and one budget for all jumps', async () => {
  const markets = Array.from({ length: 11 }, (_, i) => tapeOf(`venue${i}:BTC`));
  const topics = [bars, tape, ...markets, funding, openInterest];
  await open(1, START_MS + 7 * MINUTE_MS, topics);
  expect(asked.length).toBeLessThanOrEqual(30);
  expect(lastStatus()).toMatchObject({ run: 1, status: { state: 'paused' } });
  for (let run = 2; run < 10; run += 1) await open(run, START_MS - run * 30 * MINUTE_MS, topics);
  expect(asked).toHaveLength(40);
});

it('reads the samples that reach back to its time', async () => {
  for (const [days, run] of [
    [1, 1],
    [10, 2],
    [60, 3],
  ] as const)
    await open(run, PRESENT_MS - days * DAY_MS, [funding, openInterest]);
  const samples = asked.map(({ pathname, searchParams }) => [
    pathname.split('/').at(-2),
    searchParams.get('interval'),
    (PRESENT_MS - Number(searchParams.get('sinceMs'))) / MINUTE_MS,
  ]);
  expect(samples).toEqual([
    ['funding', null, 1_440 + 30],
    ['oi', null, 1_440 + 30],
    ['funding', '10m', 10 * 1_440 + 30],
    ['oi', '10m', 10 * 1_440 + 30],
    ['funding', '1h', 60 * 1_440 + 180],
    ['oi', '1h', 60 * 1_440 + 180],
  ]);
});

it('takes an hour that was in progress when it was requested for no full one, also after its end', async () => {
  const hours: Topic = {
    from: 'rest',
    path: '/candles',
    query: { market: 'hyperliquid:BTC', interval: '1h', limit: 24 },
    everyMs: 3_600_000,
  };
  const askedMs = START_MS + 40 * MINUTE_MS;
  await open(1, askedMs, [hours, tape]);
  replays.take({ op: 'speed', speed: 100 });
  replays.take({ op: 'play' });
  await vi.advanceTimersByTimeAsync(15_050);
  const last = lastStatus();
  expect(last && 'status' in last && last.status.nowMs).toBeGreaterThan(START_MS + 65 * MINUTE_MS - 1);
  // Followed again later, it is still the answer of then.
  replays.take({ op: 'follow', id: (lastId += 1), topic: hours });
  const updates = reports.flatMap((report) => ('update' in report ? [report.update] : []));
  const answers = updates.filter((update) => update.items.length > 0);
  expect(answers.map((update) => update.askedMs)).toEqual([askedMs, askedMs]);
  const candles = [{ ts: START_MS - 60 * MINUTE_MS }, { ts: START_MS }];
  expect(fullHours(candles, askedMs)).toEqual(candles.slice(0, 1));
  expect(fullHours(candles, START_MS + 60 * MINUTE_MS)).toEqual(candles);
});
