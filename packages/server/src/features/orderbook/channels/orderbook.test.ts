import { applyDelta, type Book, type BookLevel, ManualClock } from '@crosstape/core';
import * as fc from 'fast-check';
import { Check } from 'typebox/value';
import { beforeEach, describe, expect, test } from 'vitest';
import { LocalBus } from '../../../platform/local-bus.ts';
import {
  bookTopic,
  type Following,
  followTopic,
  type RecordedMarket,
  recordedMarketsTopic,
} from '../../../topics.ts';
import { FollowedBooks } from '../followed-books.ts';
import type { Source, Update } from '../../../gateway/gateway-channel.ts';
import { orderbook } from './orderbook.ts';
import type { ChannelContext } from '../../channel.ts';

const T0 = Date.UTC(2026, 10, 16);
let clock: ManualClock;
let bus: LocalBus;
let published: Following[];
let books: FollowedBooks;

beforeEach(() => {
  clock = new ManualClock(T0);
  bus = new LocalBus(clock);
  published = [];
  bus.subscribe(followTopic, (following) => published.push(following));
  books = new FollowedBooks({ clock, bus, feed: 'books', of: 'coins', booksMax: 2, isShared: false });
});

interface Payload {
  readonly kind?: 'snapshot' | 'delta';
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly ts: number;
  readonly deepTs?: number;
  readonly stale?: true;
}

interface Opened extends Source<Payload> {
  readonly payloads: Payload[];
}

function open(mode: 'full' | 'delta', symbol = 'BTC', market?: string): Opened {
  const payloads: Payload[] = [];
  const feed = { feed: 'market-books', of: 'markets', booksMax: 1, isShared: false };
  const marketBooks = new FollowedBooks({ clock, bus, ...feed });
  const context = { clock, bus, books, marketBooks, primaryVenue: 'hl' } as unknown as ChannelContext;
  const publish = ({ ts, payload }: Update): void => {
    expect(Check(orderbook.payload, payload)).toBe(true);
    expect((payload as Payload).ts).toBe(ts);
    payloads.push(payload as Payload);
  };
  const ask = { symbol, mode, market };
  return { ...(orderbook.open(ask, publish, context) as Source<Payload>), payloads };
}

/** `count` levels a side around `mid`, each with the size given. */
function book(
  mid: number,
  { size = 1, count = 3, coin = 'BTC', ...rest }: Partial<Book> & { size?: number; count?: number } = {},
): Book {
  const side = (sign: number): BookLevel[] =>
    Array.from({ length: count }, (_, i) => [mid + sign * (i + 1), size, 1]);
  return { coin, venue: 'hl', ts: clock.now(), bids: side(-1), asks: side(1), ...rest };
}

function publishBook(next: Book): void {
  bus.publish(bookTopic(next.coin), next);
}

describe('in full mode', () => {
  test('every book is sent whole, and new subscribers get the last', () => {
    const source = open('full');
    expect(source.snapshot?.()).toBeUndefined();
    publishBook(book(100, { deepTs: T0 - 500 }));
    publishBook(book(101, { stale: true }));
    expect(source.payloads).toEqual([
      { bids: book(100).bids, asks: book(100).asks, ts: T0, deepTs: T0 - 500 },
      { bids: book(101).bids, asks: book(101).asks, ts: T0, stale: true },
    ]);
    expect(source.snapshot?.()).toEqual({ ts: T0, payload: source.payloads[1] });
    clock.advance(60_000);
    expect(source.payloads).toHaveLength(2);
    source.close();
    publishBook(book(102));
    expect(source.payloads).toHaveLength(2);
  });
});

describe('in delta mode', () => {
  test('the first book is a keyframe, and then changes are sent', () => {
    const source = open('delta');
    publishBook(book(100, { deepTs: T0 }));
    clock.advance(500);
    publishBook(book(101, { deepTs: T0 }));
    expect(source.payloads).toEqual([
      { kind: 'snapshot', bids: book(100).bids, asks: book(100).asks, ts: T0, deepTs: T0 },
      {
        kind: 'delta',
        bids: [
          [100, 1, 1],
          [97, 0, 0],
        ],
        asks: [
          [101, 0, 0],
          [104, 1, 1],
        ],
        ts: T0 + 500,
        deepTs: T0,
      },
    ]);
  });

  test('a keyframe comes every 30 seconds, also when the book stands still', () => {
    const source = open('delta');
    clock.advance(30_000);
    expect(source.payloads).toEqual([]);
    publishBook(book(100));
    for (let i = 0; i < 9; i += 1) {
      clock.advance(10_000);
      publishBook(book(100));
    }
    const keyframes = source.payloads.filter(({ kind }) => kind === 'snapshot');
    expect(keyframes.map(({ stale }) => stale)).toEqual([undefined, undefined, undefined, undefined]);
    const count = source.payloads.length;
    source.close();
    clock.advance(90_000);
    expect(source.payloads).toHaveLength(count);
  });

  test('a book that is no longer updated is marked stale, and nothing in it changes', () => {
    const source = open('delta');
    publishBook(book(100));
    publishBook(book(100, { stale: true }));
    expect(source.payloads[1]).toEqual({ kind: 'delta', bids: [], asks: [], ts: T0, stale: true });
    expect(source.snapshot?.()?.payload).toMatchObject({ kind: 'snapshot', stale: true });
  });

  test('applying the deltas to any keyframe or snapshot gives the exact book', () => {
    const moves = fc.array(
      fc.record({
        mid: fc.integer({ min: 100, max: 110 }),
        size: fc.integer({ min: 1, max: 3 }),
        count: fc.integer({ min: 0, max: 20 }),
        afterMs: fc.constantFrom(0, 500, 5_000, 30_000),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(moves, fc.nat(30), (steps, joinAt) => {
        const source = open('delta');
        let own: Pick<Payload, 'bids' | 'asks'> | undefined;
        let late: Pick<Payload, 'bids' | 'asks'> | undefined;
        let seen = 0;
        for (const [i, { mid, size, count, afterMs }] of steps.entries()) {
          if (i === joinAt) late = source.snapshot?.()?.payload;
          publishBook(book(mid, { size, count }));
          clock.advance(afterMs);
          for (const payload of source.payloads.slice(seen)) {
            const { kind, bids, asks } = payload;
            if (kind === 'snapshot') {
              // A keyframe matches the existing book.
              if (own) expect(own).toEqual({ bids, asks });
              own = { bids, asks };
              if (late) late = { bids, asks };
            } else {
              own = applyDelta(own!, payload);
              if (late) late = applyDelta(late, payload);
            }
          }
          seen = source.payloads.length;
          const { bids, asks } = book(mid, { size, count });
          expect(own).toEqual({ bids, asks });
          if (late) expect({ bids: late.bids, asks: late.asks }).toEqual({ bids, asks });
        }
        source.close();
        publishBook(book(0, { stale: true }));
      }),
    );
  });
});

test('a live book is sent at once, a stale one is waited for', () => {
  publishBook(book(100));
  expect(open('delta').snapshot?.()?.payload).toMatchObject({ kind: 'snapshot', ts: T0 });
  publishBook(book(100, { stale: true }));
  const source = open('full');
  expect(source.snapshot?.()).toBeUndefined();
  publishBook(book(101));
  clock.advance(5_000);
  expect(source.payloads).toMatchObject([{ bids: book(101).bids }]);
});

describe('when the book keeper is gone', () => {
  test.each(['full', 'delta'] as const)('staleness is sent once, and with every snapshot (%s)', (mode) => {
    const source = open(mode);
    publishBook(book(100));
    clock.advance(15_000);
    expect(source.payloads.map(({ stale }) => stale)).toEqual([undefined]);
    clock.advance(1_000);
    expect(source.payloads.map(({ stale }) => stale)).toEqual([undefined, true]);
    expect(source.snapshot?.()).toMatchObject({ ts: T0, payload: { stale: true } });
    clock.advance(60_000);
    const later = source.payloads.slice(2);
    expect(later).toHaveLength(mode === 'full' ? 0 : 2);
    for (const keyframe of later) expect(keyframe).toMatchObject({ kind: 'snapshot', ts: T0, stale: true });
    publishBook(book(101));
    expect(source.payloads.at(-1)).not.toHaveProperty('stale');
    expect(source.snapshot?.()?.payload).not.toHaveProperty('stale');
  });

  test('its last book is sent as stale to subscribers that waited for a fresh one', () => {
    publishBook(book(100));
    clock.advance(15_001);
    const source = open('delta');
    clock.advance(2_999);
    expect([source.payloads, source.snapshot?.()]).toEqual([[], undefined]);
    clock.advance(1_001);
    expect(source.payloads).toMatchObject([{ kind: 'snapshot', ts: T0, stale: true }]);
    publishBook(book(101));
    expect(source.payloads[1]).toMatchObject({ kind: 'delta', ts: clock.now() });
    expect(source.payloads[1]).not.toHaveProperty('stale');
  });

  test('a fresh book is served for as long as it is fresh', () => {
    publishBook(book(100));
    clock.advance(14_000);
    const source = open('full');
    expect(source.snapshot?.()?.payload).not.toHaveProperty('stale');
    clock.advance(2_000);
    expect(source.snapshot?.()?.payload).toMatchObject({ ts: T0, stale: true });
  });

  test('its last book is not sent again when the bus republishes it', () => {
    const left = book(100);
    publishBook(left);
    const source = open('delta');
    clock.advance(10_000);
    publishBook({ ...left });
    clock.advance(6_000);
    expect(source.payloads.map(({ stale }) => stale)).toEqual([undefined, true]);
    publishBook({ ...left });
    expect(source.payloads).toHaveLength(2);
    const late = open('full');
    publishBook({ ...left });
    expect([late.payloads, late.snapshot?.()]).toEqual([[], undefined]);
  });
});

describe('the venue', () => {
  const follow = (...coins: string[]): Following => ({ venue: 'hl', feed: 'books', coins });

  test('requests a book at once and repeatedly, and stops without subscribers', () => {
    const sources = [open('full'), open('delta'), open('full', 'ETH')];
    expect(published).toEqual([follow('BTC'), follow('ETH')]);
    clock.advance(5_000);
    expect(published.slice(2)).toEqual([follow('BTC', 'ETH')]);
    sources[0]?.close();
    sources[2]?.close();
    clock.advance(5_000);
    expect(published.slice(3)).toEqual([follow('BTC')]);
    sources[1]?.close();
    clock.advance(60_000);
    expect(published).toHaveLength(4);
  });

  test('does not request more books than it allows', () => {
    const first = open('full');
    open('full', 'ETH');
    expect(() => open('delta', 'SOL')).toThrow('Order books of 2 coins are followed already');
    open('delta', 'ETH').close();
    first.close();
    open('delta', 'SOL');
    expect(published.map(({ coins }) => coins[0])).toEqual(['BTC', 'ETH', 'SOL']);
  });
});

describe('the book of a market of another venue', () => {
  const id = 'bybit:BTCUSDT';
  const market: RecordedMarket = {
    id,
    publisher: 'bybit',
    venue: 'bybit',
    kind: 'perp',
    symbol: 'BTCUSDT',
    coin: 'BTC',
    quote: 'USDT',
    contractSize: 1,
    scale: 1,
    isCounted: false,
  };
  const publish = (next: Book): void => bus.publish(bookTopic(id), next);

  test('is requested from its venue by symbol, and its state is that of the venue', () => {
    bus.publish(recordedMarketsTopic, [market]);
    const source = open('full', 'BTC', id);
    expect(published).toEqual([{ venue: 'bybit', feed: 'market-books', coins: ['BTCUSDT'] }]);
    publish(book(100));
    expect(source.payloads).toEqual([{ bids: book(100).bids, asks: book(100).asks, ts: T0 }]);
    const ask = { symbol: 'BTC', market: id };
    expect(orderbook.sources(ask, { bus, primaryVenue: 'hl' })).toEqual([
      [{ publisher: 'bybit', gives: 'market-books', isOnDemand: true }],
    ]);
    source.close();
  });

  test('that does not change stays live while its connection delivers, and is not sent again', () => {
    bus.publish(recordedMarketsTopic, [market]);
    const source = open('full', 'BTC', id);
    const quiet = book(100, { confirmedTs: T0 });
    publish(quiet);
    for (let i = 0; i < 8; i += 1) {
      clock.advance(5_000);
      publish({ ...quiet, confirmedTs: clock.now() });
    }
    expect(source.payloads).toHaveLength(1);
    clock.advance(20_000);
    expect(source.payloads.at(-1)).toMatchObject({ stale: true, ts: T0 });
    publish({ ...quiet, confirmedTs: clock.now() });
    expect(source.payloads.at(-1)).toEqual({ bids: quiet.bids, asks: quiet.asks, ts: T0 });
    expect(open('full', 'BTC', id).snapshot?.()).toMatchObject({ ts: T0 });
  });

  test('is refused when it is no longer recorded', () => {
    expect(() => open('full', 'BTC', id)).toThrow('Market bybit:BTCUSDT is no longer recorded.');
  });
});
