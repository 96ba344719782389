import { ManualClock } from '@crosstape/core';
import { spotVenues, venues, type VenueCandles } from '@crosstape/venues';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { RecordedSocket } from '../testing/recorded-socket.ts';
import { TESTED_FEEDS } from '../testing/tested-feeds.ts';
import { type ReadTrade, sideOf, testedFeed } from '../testing/tested-feed.ts';
import { ExactSum } from './exact-sum.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const MINUTE_MS = 60_000;
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
  simulator = await startSimulator({ port: 0, seed: 5, clock });
});
afterAll(() => simulator.close());

/** The first message of the primary venue is plain text. */
function framesOf({ frames }: RecordedSocket): readonly unknown[] {
  return frames.filter((frame) => /^[[{]/.test(frame)).map((frame) => JSON.parse(frame) as unknown);
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
    const restSymbol = venue === 'kraken-spot' ? { restSymbol: 'XXBTZUSD' } : {};
    const span = {
      market: { symbol: feed.symbol, ...restSymbol },
      interval: '1m',
      fromMs: openMs,
      toMs: openMs + MINUTE_MS,
    } as const;
    const { method, path, headers = {}, body } = candles.request(span);
    const answer = await fetch(`${simulator.url}/${venue}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { candles: read, refused } = candles.parse(await answer.json(), span);
    expect([read.length, refused]).toEqual([1, undefined]);
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
