import { ManualClock } from '@crosstape/core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator.ts';
import { KLINE_CALLS } from '../testing/kline-calls.ts';
import { RecordedSocket } from '../testing/recorded-socket.ts';
import { TESTED_FEEDS } from '../testing/trade-feeds/index.ts';
import type { ReadTrade } from '../testing/trade-feeds/tested-feed.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const MINUTE_MS = 60_000;
/** Before the minute begins, and of it: all that happened until then has been sent. */
const BEFORE_MS = 1000;
const SPAN_MS = 20_000;
const FEEDS = TESTED_FEEDS.flatMap((feed, i) => {
  const call = KLINE_CALLS[feed.venue];
  const isFirst = TESTED_FEEDS.findIndex(({ venue }) => venue === feed.venue) === i;
  return call && isFirst ? [{ venue: feed.venue, feed, call }] : [];
});

let clock: ManualClock;
let simulator: Simulator;
beforeAll(async () => {
  clock = new ManualClock(T0 - BEFORE_MS);
  simulator = await startSimulator({ port: 0, seed: 5, clock });
});
afterAll(() => simulator.close());

it.each(FEEDS)('makes klines of $venue of the very trades that it sends', async ({ feed, call }) => {
  const openMs = Math.ceil(clock.now() / MINUTE_MS) * MINUTE_MS;
  clock.advance(openMs - BEFORE_MS - clock.now());
  const socket = await RecordedSocket.open(simulator.url, `/${feed.venue}${feed.path}`);
  socket.send(feed.subscribe);
  await vi.waitUntil(() => socket.frames.length >= feed.opening.length, { timeout: 10_000 });
  for (let passed = 0; passed < BEFORE_MS + SPAN_MS; passed += 250) clock.advance(250);
  const answer = await fetch(`${simulator.url}/${feed.venue}${call.path(openMs, openMs + MINUTE_MS)}`);
  const [kline, ...others] = call.read((await answer.json()) as never);
  expect(others).toEqual([]);
  const inside = (): readonly ReadTrade[] =>
    socket.frames.flatMap((frame) => feed.read(JSON.parse(frame))).filter(({ ts }) => ts >= openMs);
  const volumeOf = (trades: readonly ReadTrade[]): number =>
    trades.reduce((sum, { size }) => sum + Number(size), 0);
  await vi.waitUntil(() => volumeOf(inside()) > (kline?.volume ?? 0) - 1e-6, { timeout: 10_000 });
  const trades = inside();
  const prices = trades.map(({ price }) => Number(price));
  expect(trades.length).toBeGreaterThan(3);
  expect(kline).toEqual({
    openMs,
    open: prices[0],
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1),
    volume: expect.closeTo(volumeOf(trades), 6),
  });
  socket.close();
});

it('has klines of every venue', () => {
  expect(FEEDS.map(({ venue }) => venue)).toEqual(expect.arrayContaining(Object.keys(KLINE_CALLS)));
});
