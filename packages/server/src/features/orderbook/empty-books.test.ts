import { type Book, type BookLevel, ManualClock, type Market } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { OpenBookFeed } from '../../ingest/book-feed.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { bookTopic } from '../../topics.ts';
import { MarketBooks } from './market-books.ts';

it('a book without any level is stale until levels come again', () => {
  const clock = new ManualClock(1_790_000_000_000);
  const bus = new LocalBus(clock);
  const feed = { feed: {}, isSubscribed: () => true, renew: () => undefined } as unknown as OpenBookFeed;
  const books = new MarketBooks({ feed, clock, bus });
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
  books.listed([market]);
  const published: Book[] = [];
  bus.subscribe(bookTopic(market.id), (book) => void published.push(book));
  const snapshot = (bids: readonly BookLevel[], asks: readonly BookLevel[]): void => {
    const change = { symbol: market.symbol, isSnapshot: true, bids, asks };
    const of = { venue: 'bybit', feed: 'market-books', socket: 0, receivedAtMs: clock.now() };
    books.receive({ type: 'frame', ...of, frame: { kind: 'bookChange', change } });
    clock.advance(200);
  };
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
