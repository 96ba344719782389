import { ManualClock, type VenueCandle } from '@crosstape/core';
import { type CandleSpan, spotVenues, venues, type VenueCandles } from '@crosstape/venues';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { RecordedSocket } from '../testing/recorded-socket.ts';
import { TESTED_FEEDS } from '../testing/tested-feeds.ts';
import { type ReadTrade, sideOf, testedFeed } from '../testing/tested-feed.ts';
import { ExactSum } from './exact-sum.ts';
import { coinsOfVenues } from '../../../../test/world-coins.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Before the minute begins, and of it: all that happened until then has been sent. */
const BEFORE_MS = 1000;
const SPAN_MS = 20_000;

type Feed = Pick<
  (typeof TESTED_FEEDS)[number],
  'venue' | 'path' | 'symbol' | 'subscribe' | 'opening' | 'read'
>;

const primary: Feed = testedFeed({
  venue: 'hyperliquid',
  path: '/ws',
  symbol: 'BTC',
  subscribe: { method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } },
  opening: [{}, {}, {}],
  read: (frame: { readonly channel: string; readonly data: readonly Readonly<Record<string, string>>[] }) =>
    frame.channel === 'trades'
      ? frame.data.map(({ side, px = '', sz = '', time, tid = '' }) => ({
          id: tid,
          ts: Number(time),
          side: sideOf(side === 'B'),
          price: px,
          size: sz,
        }))
      : [],
  history: () => '',
  readHistory: () => [],
  golden: '',
  isGolden: () => false,
  isCounted: false,
});

const FEEDS: readonly { readonly venue: string; readonly feed: Feed; readonly candles: VenueCandles }[] = [
  ...venues,
  ...spotVenues,
].flatMap(({ id, connector }) => {
  const feed = [primary, ...TESTED_FEEDS].find(({ venue }) => venue === id);
  return feed && connector?.candles ? [{ venue: id, feed, candles: connector.candles }] : [];
});

let clock: ManualClock;
let simulator: Simulator;
beforeAll(async () => {
  clock = new ManualClock(T0 - BEFORE_MS);
  simulator = await startSimulator({ port: 0, seed: 5, clock, coins: coinsOfVenues });
});
afterAll(() => simulator.close());

/** The first message of the primary venue is plain text. */
function framesOf({ frames }: RecordedSocket): readonly unknown[] {
  return frames.filter((frame) => /^[[{]/.test(frame)).map((frame) => JSON.parse(frame) as unknown);
}

async function ask(
  { venue, feed, candles }: (typeof FEEDS)[number],
  times: Omit<CandleSpan, 'market'>,
): Promise<readonly VenueCandle[]> {
  const restSymbol = venue === 'kraken-spot' ? { restSymbol: 'XXBTZUSD' } : {};
  const span = { market: { symbol: feed.symbol, ...restSymbol }, ...times };
  const { method, path, headers = {}, body } = candles.request(span);
  const answer = await fetch(`${simulator.url}/${venue}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const read = candles.parse(await answer.json(), span);
  expect(read.refused).toBeUndefined();
  return read.candles;
}

it('has candles of every venue whose markets are recorded', () => {
  expect(FEEDS.map(({ venue }) => venue)).toEqual([...venues, ...spotVenues].map(({ id }) => id));
});

it.each(FEEDS)(
  'makes candles of $venue of the very trades that it sends',
  async ({ venue, feed, candles }) => {
    const openMs = Math.ceil(clock.now() / MINUTE_MS) * MINUTE_MS;
    clock.advance(openMs - BEFORE_MS - clock.now());
    const socket = await RecordedSocket.open(simulator.url, `/${venue}${feed.path}`);
    socket.send(feed.subscribe);
    await vi.waitUntil(() => socket.frames.length >= feed.opening.length, { timeout: 10_000 });
    for (let passed = 0; passed < BEFORE_MS + SPAN_MS; passed += 250) clock.advance(250);
    const span = { interval: '1m', fromMs: openMs, toMs: openMs + MINUTE_MS } as const;
    const read = await ask({ venue, feed, candles }, span);
    expect(read).toHaveLength(1);
    const [candle] = read;
    const sumOf = (trades: readonly ReadTrade[]): string =>
      trades.reduce((sum, { size }) => sum.plus(ExactSum.of(Number(size))), ExactSum.zero).toFixed(10);
    const inside = (): readonly ReadTrade[] =>
      framesOf(socket)
        .flatMap(feed.read)
        .filter(({ ts }) => ts >= openMs);
    const volume = ExactSum.of(Number(candle?.volume)).toFixed(10);
    await vi.waitUntil(() => Number(sumOf(inside())) >= Number(volume), { timeout: 10_000 });
    const trades = inside();
    const prices = trades.map(({ price }) => Number(price));
    expect(trades.length).toBeGreaterThan(3);
    expect(candle).toMatchObject({
      ts: openMs,
      open: prices[0],
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1),
    });
    expect(volume).toBe(sumOf(trades));
    if (candles.proves.includes('trades')) expect(candle?.trades).toBe(trades.length);
    if (candles.proves.includes('buyVolume'))
      expect(ExactSum.of(Number(candle?.buyVolume)).toFixed(10)).toBe(
        sumOf(trades.filter(({ side }) => side === 'buy')),
      );
    socket.close();
  },
);

it.each(FEEDS)('has hours of $venue of as long ago as the venue, the same in every answer', async (one) => {
  const { rowsMax, newestMax } = one.candles;
  const hours = Math.min(365 * 24, newestMax?.['1h'] ?? Number.POSITIVE_INFINITY) - 24;
  const oldestMs = Math.floor(clock.now() / HOUR_MS - hours) * HOUR_MS;
  const count = Math.min(rowsMax, 300);
  const read = async (fromMs: number, length: number) =>
    ask(one, { interval: '1h', fromMs, toMs: fromMs + length * HOUR_MS });
  const candles = await read(oldestMs, count);
  expect(candles.map(({ ts }) => ts)).toEqual(
    Array.from({ length: count }, (_, i) => oldestMs + i * HOUR_MS),
  );
  expect(await read(oldestMs + 20 * HOUR_MS, 50)).toEqual(candles.slice(20, 70));
  for (const [i, { open, high, low, close, volume }] of candles.entries()) {
    expect(Math.abs(open / (candles[i - 1]?.close ?? open) - 1)).toBeLessThan(0.005);
    expect([high >= Math.max(open, close), low <= Math.min(open, close)]).toEqual([true, true]);
    expect(Number(volume)).toBeGreaterThan(0);
  }
});
