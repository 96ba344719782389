import { applyDelta, type Book, type BookLevel, ManualClock } from '@crosstape/core';
import * as fc from 'fast-check';
import { Check } from 'typebox/value';
import { beforeEach, describe, expect, test } from 'vitest';
import { LocalBus } from '../../../platform/local-bus.ts';
import { bookTopic, type Following, followTopic } from '../../../topics.ts';
import { FollowedBooks } from '../followed-books.ts';
import type { Source, Update } from '../../../gateway/gateway-channel.ts';
import { orderbook } from './orderbook.ts';
import type { ChannelContext } from '../../channel.ts';

const T0 = Date.UTC(2026, 10, 16);
let clock: ManualClock;
let bus: LocalBus;
let said: Following[];
let books: FollowedBooks;

beforeEach(() => {
  clock = new ManualClock(T0);
  bus = new LocalBus(clock);
  said = [];
  bus.subscribe(followTopic, (following) => said.push(following));
  books = new FollowedBooks({ clock, bus, venue: 'hl', coinsMax: 2 });
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
  readonly told: Payload[];
}

function open(mode: 'full' | 'delta', symbol = 'BTC'): Opened {
  const told: Payload[] = [];
  const context = { clock, bus, books } as unknown as ChannelContext;
  const publish = ({ ts, payload }: Update): void => {
    expect(Check(orderbook.payload, payload)).toBe(true);
    expect((payload as Payload).ts).toBe(ts);
    told.push(payload as Payload);
  };
  const ask = { symbol, mode };
  return { ...(orderbook.open(ask, publish, context) as Source<Payload>), told };
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

function tell(next: Book): void {
  bus.publish(bookTopic(next.coin), next);
}

describe('in full mode', () => {
  test('every book is told whole, and whoever joins gets the last', () => {
    const source = open('full');
    expect(source.snapshot?.()).toBeUndefined();
    tell(book(100, { deepTs: T0 - 500 }));
    tell(book(101, { stale: true }));
    expect(source.told).toEqual([
      { bids: book(100).bids, asks: book(100).asks, ts: T0, deepTs: T0 - 500 },
      { bids: book(101).bids, asks: book(101).asks, ts: T0, stale: true },
    ]);
    expect(source.snapshot?.()).toEqual({ ts: T0, payload: source.told[1] });
    clock.advance(60_000);
    expect(source.told).toHaveLength(2);
    source.close();
    tell(book(102));
    expect(source.told).toHaveLength(2);
  });
});

describe('in delta mode', () => {
  test('the first book is a keyframe, and then what has changed is told', () => {
    const source = open('delta');
    tell(book(100, { deepTs: T0 }));
    clock.advance(500);
    tell(book(101, { deepTs: T0 }));
    expect(source.told).toEqual([
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
    expect(source.told).toEqual([]);
    tell(book(100));
    for (let i = 0; i < 9; i += 1) {
      clock.advance(10_000);
      tell(book(100));
    }
    const keyframes = source.told.filter(({ kind }) => kind === 'snapshot');
    expect(keyframes.map(({ stale }) => stale)).toEqual([undefined, undefined, undefined, undefined]);
    const count = source.told.length;
    source.close();
    clock.advance(90_000);
    expect(source.told).toHaveLength(count);
  });

  test('a book that is no longer told is labelled, and nothing of it changes', () => {
    const source = open('delta');
    tell(book(100));
    tell(book(100, { stale: true }));
    expect(source.told[1]).toEqual({ kind: 'delta', bids: [], asks: [], ts: T0, stale: true });
    expect(source.snapshot?.()?.payload).toMatchObject({ kind: 'snapshot', stale: true });
  });

  test('whoever applies what is told to any keyframe or snapshot has the book exactly', () => {
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
          tell(book(mid, { size, count }));
          clock.advance(afterMs);
          for (const payload of source.told.slice(seen)) {
            const { kind, bids, asks } = payload;
            if (kind === 'snapshot') {
              // What a keyframe says is what was there already.
              if (own) expect(own).toEqual({ bids, asks });
              own = { bids, asks };
              if (late) late = { bids, asks };
            } else {
              own = applyDelta(own!, payload);
              if (late) late = applyDelta(late, payload);
            }
          }
          seen = source.told.length;
          const { bids, asks } = book(mid, { size, count });
          expect(own).toEqual({ bids, asks });
          if (late) expect({ bids: late.bids, asks: late.asks }).toEqual({ bids, asks });
        }
        source.close();
        tell(book(0, { stale: true }));
      }),
    );
  });
});

test('a book that is still told is there at once, one that is not is waited for', () => {
  tell(book(100));
  expect(open('delta').snapshot?.()?.payload).toMatchObject({ kind: 'snapshot', ts: T0 });
  tell(book(100, { stale: true }));
  const source = open('full');
  expect(source.snapshot?.()).toBeUndefined();
  tell(book(101));
  clock.advance(5_000);
  expect(source.told).toMatchObject([{ bids: book(101).bids }]);
});

describe('when whoever keeps the book is gone', () => {
  test.each(['full', 'delta'] as const)('that is told once, and of every snapshot (%s)', (mode) => {
    const source = open(mode);
    tell(book(100));
    clock.advance(15_000);
    expect(source.told.map(({ stale }) => stale)).toEqual([undefined]);
    clock.advance(1_000);
    expect(source.told.map(({ stale }) => stale)).toEqual([undefined, true]);
    expect(source.snapshot?.()).toMatchObject({ ts: T0, payload: { stale: true } });
    clock.advance(60_000);
    const later = source.told.slice(2);
    expect(later).toHaveLength(mode === 'full' ? 0 : 2);
    for (const keyframe of later) expect(keyframe).toMatchObject({ kind: 'snapshot', ts: T0, stale: true });
    tell(book(101));
    expect(source.told.at(-1)).not.toHaveProperty('stale');
    expect(source.snapshot?.()?.payload).not.toHaveProperty('stale');
  });

  test('a book that it left behind is told as such to whoever has waited for a fresh one', () => {
    tell(book(100));
    clock.advance(15_001);
    const source = open('delta');
    clock.advance(2_999);
    expect([source.told, source.snapshot?.()]).toEqual([[], undefined]);
    clock.advance(1_001);
    expect(source.told).toMatchObject([{ kind: 'snapshot', ts: T0, stale: true }]);
    tell(book(101));
    expect(source.told[1]).toMatchObject({ kind: 'delta', ts: clock.now() });
    expect(source.told[1]).not.toHaveProperty('stale');
  });

  test('a book that is still fresh is told for as long as it is', () => {
    tell(book(100));
    clock.advance(14_000);
    const source = open('full');
    expect(source.snapshot?.()?.payload).not.toHaveProperty('stale');
    clock.advance(2_000);
    expect(source.snapshot?.()?.payload).toMatchObject({ ts: T0, stale: true });
  });

  test('its last book is no news when the bus tells it again', () => {
    const left = book(100);
    tell(left);
    const source = open('delta');
    clock.advance(10_000);
    tell({ ...left });
    clock.advance(6_000);
    expect(source.told.map(({ stale }) => stale)).toEqual([undefined, true]);
    tell({ ...left });
    expect(source.told).toHaveLength(2);
    const late = open('full');
    tell({ ...left });
    expect([late.told, late.snapshot?.()]).toEqual([[], undefined]);
  });
});

describe('the venue', () => {
  const follow = (...coins: string[]): Following => ({ venue: 'hl', feed: 'books', coins });

  test('is asked for a book at once, again and again, and no longer when nobody follows it', () => {
    const sources = [open('full'), open('delta'), open('full', 'ETH')];
    expect(said).toEqual([follow('BTC'), follow('ETH')]);
    clock.advance(5_000);
    expect(said.slice(2)).toEqual([follow('BTC', 'ETH')]);
    sources[0]?.close();
    sources[2]?.close();
    clock.advance(5_000);
    expect(said.slice(3)).toEqual([follow('BTC')]);
    sources[1]?.close();
    clock.advance(60_000);
    expect(said).toHaveLength(4);
  });

  test('is asked for no more books than it allows', () => {
    const first = open('full');
    open('full', 'ETH');
    expect(() => open('delta', 'SOL')).toThrow('The order books of 2 coins are followed already');
    open('delta', 'ETH').close();
    first.close();
    open('delta', 'SOL');
    expect(said.map(({ coins }) => coins[0])).toEqual(['BTC', 'ETH', 'SOL']);
  });
});
