import { type Book, type BookLevel, ManualClock, type Market } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { OpenBookFeed } from '../../ingest/book-feed.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { bookTopic } from '../../topics.ts';
import { MarketBooks } from './market-books.ts';

const market: Market = {
  id: 'bybit:BTCUSDT',
  venue: 'bybit',
  kind: 'perp',
  symbol: 'BTCUSDT',
  coin: 'BTC',
  quote: 'USDT',
  contractSize: 1,
  scale: 1,
};

function start() {
  const clock = new ManualClock(1_790_000_000_000);
  const bus = new LocalBus(clock);
  let receivedMs = clock.now();
  const feed = {
    feed: { ping: { everyMs: 20_000 } },
    isSubscribed: () => true,
    lastReceivedMs: () => receivedMs,
    renew: () => undefined,
  } as unknown as OpenBookFeed;
  const books = new MarketBooks({ feed, clock, bus });
  books.listed([market]);
  const published: Book[] = [];
  bus.subscribe(bookTopic(market.id), (book) => void published.push(book));
  const snapshot = (bids: readonly BookLevel[], asks: readonly BookLevel[]): void => {
    const change = { symbol: market.symbol, isSnapshot: true, bids, asks };
    const of = { venue: 'bybit', feed: 'market-books', socket: 0, receivedAtMs: clock.now() };
    books.receive({ type: 'frame', ...of, frame: { kind: 'bookChange', change } });
    clock.advance(200);
  };
  const pong = (): void => {
    receivedMs = clock.now();
  };
  return { clock, books, published, snapshot, pong };
}

it('a book without any level is stale until levels come again', () => {
  const { books, published, snapshot } = start();
  snapshot([[100, 1, 0]], [[101, 1, 0]]);
  for (let i = 0; i < 3; i += 1) snapshot([], []);
  snapshot([[100, 2, 0]], [[101, 1, 0]]);
  expect(published.map(({ bids, stale = false }) => [bids.length, stale])).toEqual([
    [1, false],
    [0, true],
    [1, false],
  ]);
  books.stop();
});

it('an unchanged book is confirmed only while its connection answers pings', () => {
  const { clock, books, published, snapshot, pong } = start();
  snapshot([[100, 1, 0]], [[101, 1, 0]]);
  const confirmationsIn = (ms: number): number => {
    const before = published.length;
    clock.advance(ms);
    return published.length - before;
  };
  expect(confirmationsIn(19_000)).toBe(3);
  pong();
  expect(confirmationsIn(20_000)).toBe(4);
  expect(confirmationsIn(60_000)).toBe(0);
  pong();
  expect(confirmationsIn(2_000)).toBe(1);
  books.stop();
});
