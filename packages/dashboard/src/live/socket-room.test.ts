import { expect, it } from 'vitest';
import { isSocket, socketFor } from './socket-room.ts';
import type { Topic } from './topic.ts';

const book = (i: number): Topic => ({ from: 'book', symbol: 'BTC', market: `venue${i}:BTC` });
const trades = (i: number): Topic => ({
  from: 'channel',
  channel: 'trades',
  symbol: 'BTC',
  params: { market: `venue${i}:BTC` },
});
const list = (count: number, of: (i: number) => Topic): readonly Topic[] =>
  Array.from({ length: count }, (_, i) => of(i));
const merged: Topic = { from: 'bars', spec: { market: 'all:BTC', kind: 'tick' } };

it('fills one socket, then the next', () => {
  expect(socketFor(book(0), [[], []])).toBe(0);
  expect(socketFor(book(0), [list(20, book), []])).toBe(1);
  expect(socketFor(book(0), [list(20, book), list(20, book)])).toBe(-1);
});

it('puts bars of several markets where they share the trades of the tape, whichever comes first', () => {
  expect(socketFor(merged, [list(10, book), []])).toBe(1);
  expect(socketFor(merged, [list(6, book), []])).toBe(0);
  expect(socketFor(trades(3), [list(10, book), [merged]])).toBe(1);
  expect(socketFor(merged, [list(5, book), list(14, trades)])).toBe(1);
  expect(socketFor(book(1), [list(20, book), [merged, ...list(14, trades), ...list(5, book)]])).toBe(1);
  expect(socketFor(book(1), [list(20, book), [merged, ...list(14, trades), ...list(6, book)]])).toBe(-1);
});

it('needs no socket for bars of a past time', () => {
  const spec = { coin: 'BTC', kind: 'time', from: 0 } as const;
  expect(isSocket({ from: 'bars', spec: { ...spec, to: 1 } })).toBe(false);
  expect(isSocket({ from: 'bars', spec })).toBe(true);
});
