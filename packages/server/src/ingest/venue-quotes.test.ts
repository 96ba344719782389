import { ManualClock, type SpotQuote, type VenueQuote } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { VenueQuotes } from './venue-quotes.ts';

const T0 = 1_790_000_000_000;
let clock: ManualClock;
let published: (readonly SpotQuote[])[];
let subscribed: Set<string>;
let quotes: VenueQuotes;
let renewed: string[];

beforeEach(() => {
  clock = new ManualClock(T0);
  published = [];
  subscribed = new Set(['BTC', 'SOL']);
  renewed = [];
  quotes = new VenueQuotes({
    clock,
    isSubscribed: (symbol) => subscribed.has(symbol),
    publish: (rows) => published.push(rows),
    renew: (symbol) => renewed.push(symbol),
  });
});

interface Pushed extends Partial<VenueQuote> {
  readonly socket?: number;
  readonly isEveryChange?: boolean;
}

function push(symbol: string, bid: number, { socket = 0, isEveryChange = true, ...more }: Pushed = {}): void {
  const quote: VenueQuote = { coin: symbol, symbol, quote: 'USD', bid, ask: bid + 1, ...more };
  const frame = { kind: 'quotes', quotes: [quote], isEveryChange } as const;
  quotes.receive({ type: 'frame', venue: 'x', feed: 'quotes', socket, frame, receivedAtMs: clock.now() });
}

function drop(socket = 0): void {
  quotes.receive({ type: 'socket', venue: 'x', feed: 'quotes', socket, kind: 'down', atMs: clock.now() });
}

const seen = (): unknown =>
  published.at(-1)?.map(({ symbol, bid, receivedAtMs }) => [symbol, bid, receivedAtMs - T0]);

it('are published twice a second at most, the newest of each pair', () => {
  for (let i = 0; i < 1_000; i += 1) {
    push('BTC', i);
    clock.advance(2);
  }
  expect(published.length).toBe(4);
  expect(seen()).toEqual([['BTC', 999, 1_998]]);
  clock.advance(60_000);
  expect(published.length).toBe(4);
});

it('hold for as long as their connection delivers, however quiet the pair is', () => {
  push('SOL', 1, { venueTs: T0 - 40 });
  clock.advance(10_000);
  push('BTC', 2);
  clock.advance(500);
  expect(seen()).toEqual([
    ['SOL', 1, 10_000],
    ['BTC', 2, 10_000],
  ]);
  // So does the venue's time, including the offset of its clock.
  expect(published.at(-1)?.[0]?.venueTs).toBe(T0 + 10_000 - 40);
});

it('are of their own moment where the venue does not push every change', () => {
  push('SOL', 1, { isEveryChange: false });
  clock.advance(10_000);
  push('BTC', 2, { isEveryChange: false });
  clock.advance(500);
  expect(seen()).toEqual([
    ['SOL', 1, 0],
    ['BTC', 2, 10_000],
  ]);
});

it('are of the last moment of a connection that ended, until they are pushed again', () => {
  push('SOL', 1);
  clock.advance(1_000);
  push('BTC', 2);
  drop();
  clock.advance(5_000);
  push('BTC', 3);
  clock.advance(500);
  expect(seen()).toEqual([
    ['SOL', 1, 1_000],
    ['BTC', 3, 6_000],
  ]);
  push('SOL', 4);
  clock.advance(500);
  expect(seen()).toEqual([
    ['BTC', 3, 6_500],
    ['SOL', 4, 6_500],
  ]);
});

it('are not proven by another connection', () => {
  push('SOL', 1, { socket: 0 });
  clock.advance(3_000);
  push('BTC', 2, { socket: 1 });
  clock.advance(500);
  expect(seen()).toEqual([
    ['SOL', 1, 0],
    ['BTC', 2, 3_000],
  ]);
});

it('are dropped when the pair is no longer subscribed to', () => {
  push('SOL', 1);
  subscribed.delete('SOL');
  push('BTC', 2);
  clock.advance(500);
  expect(seen()).toEqual([['BTC', 2, 0]]);
});

/** A poll of SOL ten seconds later, while BTC is pushed. */
function poll(bid: number, atMs?: number): void {
  clock.advance(10_000);
  push('BTC', 2);
  const row = { coin: 'SOL', symbol: 'SOLUSD', quote: 'USD', last: bid, bid, ask: bid + 1 };
  quotes.polled([row], () => atMs ?? clock.now());
  clock.advance(500);
}

const isHeld = (): boolean => published.at(-1)?.some(({ symbol }) => symbol === 'SOL') === true;

it('are dropped and subscribed to again when two polls in a row show another price', () => {
  push('SOL', 10);
  poll(12);
  expect(isHeld()).toBe(true);
  poll(8);
  push('BTC', 3);
  clock.advance(500);
  expect([isHeld(), renewed]).toEqual([false, ['SOL']]);
  push('SOL', 8);
  poll(8);
  poll(8);
  expect([isHeld(), renewed]).toEqual([true, ['SOL']]);
});

it('are kept where a poll agrees in between, is older, or was seen before, and when they are pushed again', () => {
  push('SOL', 10);
  for (const bid of [12, 11, 12]) poll(bid);
  push('SOL', 10);
  poll(12);
  const seenMs = clock.now() - 500;
  poll(12, seenMs);
  push('SOL', 20);
  const beforeMs = clock.now();
  for (const bid of [12, 12]) poll(bid, beforeMs);
  expect([isHeld(), renewed]).toEqual([true, []]);
});
