import { BOOK_LEVELS_MAX, type Book, type BookLevel, ManualClock, type VenueBook } from '@crosstape/core';
import { beforeEach, expect, test } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { bookTopic } from '../../topics.ts';
import { BookKeeper } from './book-keeper.ts';
import type { DataFrame, FeedSink } from '../../ingest/feed-sink.ts';

const T0 = Date.UTC(2026, 10, 16);
let clock: ManualClock;
let published: Book[];
let sink: FeedSink;

beforeEach(() => {
  clock = new ManualClock(T0);
  const bus = new LocalBus(clock);
  published = [];
  for (const coin of ['BTC', 'ETH']) bus.subscribe(bookTopic(coin), (book) => published.push(book));
  sink = new BookKeeper({ venue: 'hl', clock, bus }).receive;
});

/** `count` levels a side around `mid`. */
function view(mid: number, count: number, coin = 'BTC'): VenueBook {
  const side = (sign: number): BookLevel[] =>
    Array.from({ length: count }, (_, i) => [mid + sign * (i + 1), count, 1]);
  return { coin, venueTs: clock.now(), depth: count, bids: side(-1), asks: side(1) };
}

function receive(frame: DataFrame, { socket = 0, venue = 'hl', feed = 'books' } = {}): void {
  sink({ type: 'frame', venue, feed, socket, frame, receivedAtMs: clock.now() });
}

const receiveBook = (book: VenueBook, from: { socket?: number; venue?: string } = {}): void =>
  receive({ kind: 'book', book }, from);

const cut = (socket = 0): void =>
  sink({ type: 'socket', venue: 'hl', feed: 'books', socket, kind: 'down', atMs: clock.now() });

test('both views of a coin make one book, published again with each', () => {
  receiveBook(view(100, BOOK_LEVELS_MAX));
  clock.advance(500);
  receiveBook(view(101, 5));
  receiveBook(view(50, 5, 'ETH'));
  expect(published).toMatchObject([
    { coin: 'BTC', venue: 'hl', ts: T0, deepTs: T0 },
    { coin: 'BTC', venue: 'hl', ts: T0 + 500, deepTs: T0 },
    { coin: 'ETH', venue: 'hl', ts: T0 + 500 },
  ]);
  expect(published.map(({ bids }) => bids.length)).toEqual([20, 20, 5]);
  expect(published[1]?.bids.slice(3, 7)).toEqual([
    [97, 5, 1],
    [96, 5, 1],
    [95, 20, 1],
    [94, 20, 1],
  ]);
});

test('a block in both views is published once', () => {
  receiveBook(view(100, BOOK_LEVELS_MAX));
  receiveBook({ ...view(100, 5), bids: view(100, BOOK_LEVELS_MAX).bids.slice(0, 5) });
  expect(published).toHaveLength(1);
  clock.advance(500);
  receiveBook(view(100, 5));
  receiveBook(view(100, BOOK_LEVELS_MAX));
  expect(published.map(({ ts, deepTs }) => [ts - T0, (deepTs ?? 0) - T0])).toEqual([
    [0, 0],
    [500, 0],
    [500, 500],
  ]);
});

test('a silent book is published again as stale, and starts over', () => {
  receiveBook(view(100, BOOK_LEVELS_MAX));
  clock.advance(9_900);
  expect(published).toHaveLength(1);
  receiveBook(view(100, 5, 'ETH'));
  clock.advance(5_000);
  expect(published.slice(2)).toEqual([{ ...published[0], stale: true }]);
  receiveBook(view(200, 5));
  expect(published[3]).toMatchObject({ coin: 'BTC', ts: clock.now() });
  expect(published[3]).not.toHaveProperty('stale');
  expect(published[3]?.bids).toHaveLength(5);
  clock.advance(60_000);
  expect(published.filter(({ stale }) => stale)).toHaveLength(3);
});

test('after a cut the book is stale at once, and nothing of before is mixed into the next', () => {
  receiveBook(view(100, BOOK_LEVELS_MAX));
  receiveBook(view(100, 5, 'ETH'), { socket: 1 });
  cut();
  expect(published.slice(2)).toEqual([{ ...published[0], stale: true }]);
  receiveBook(view(101, 5));
  expect(published[3]?.asks).toHaveLength(5);
  expect(published[3]).not.toHaveProperty('deepTs');
  clock.advance(500);
  receiveBook(view(101, BOOK_LEVELS_MAX));
  expect(published[4]?.asks).toHaveLength(20);
});

test('another socket starts a new book', () => {
  receiveBook(view(100, BOOK_LEVELS_MAX));
  receiveBook(view(101, 5), { socket: 3 });
  expect(published[1]?.bids).toHaveLength(5);
  cut(0);
  expect(published).toHaveLength(2);
});

test('deep levels that are not refreshed are left out after a while', () => {
  receiveBook(view(100, BOOK_LEVELS_MAX));
  for (let passedMs = 0; passedMs < 20_000; passedMs += 500) {
    clock.advance(500);
    receiveBook(view(100, 5));
    expect(published.at(-1)?.bids.length).toBe(passedMs < 15_000 ? 20 : 5);
  }
  expect(published.at(-1)).not.toHaveProperty('deepTs');
});

test('ignores other venues, other feeds, and sockets that come up', () => {
  receiveBook(view(100, 5));
  receiveBook(view(101, 5), { venue: 'other' });
  receive({ kind: 'trades', trades: [], isBackfill: false }, { feed: 'trades' });
  const name = { venue: 'hl', socket: 0, atMs: T0 };
  sink({ type: 'socket', ...name, feed: 'trades', kind: 'down' });
  sink({ type: 'socket', ...name, feed: 'books', kind: 'up' });
  sink({ type: 'socket', ...name, feed: 'books', kind: 'down', venue: 'other' });
  sink({ type: 'refused', ...name, feed: 'books' });
  expect(published).toHaveLength(1);
});
