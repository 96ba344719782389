import { ManualClock } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import type { SocketCaller } from '../../http/gate.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { FollowedBooks } from './followed-books.ts';

const BOOKS_MAX = 40;
let books: FollowedBooks;
let named = 0;

function start(isShared: boolean): void {
  const clock = new ManualClock(0);
  const bus = new LocalBus(clock);
  books = new FollowedBooks({ clock, bus, feed: 'books', of: 'coins', booksMax: BOOKS_MAX, isShared });
}

beforeEach(() => start(true));

const callerAt = (address: string): SocketCaller => ({ caller: address, address });
const proKey = (caller: string): SocketCaller => ({ caller, address: '192.0.2.1', tier: 'pro' });
const follow = (caller: string | SocketCaller, name = `coin ${(named += 1)}`) =>
  books.follow({ venue: 'okx', name }, typeof caller === 'string' ? callerAt(caller) : caller);

/** Follows other books until it is refused; returns how many it got. */
function followAll(caller: string | SocketCaller): number {
  for (let got = 0; ; got += 1) {
    try {
      follow(caller);
    } catch {
      return got;
    }
  }
}

it('leaves half of all books to other addresses', () => {
  expect(followAll('192.0.2.1')).toBe(20);
  expect(() => follow('192.0.2.1')).toThrow('Your address or network follows its share');
  expect(followAll('198.51.100.7')).toBe(10);
  expect(followAll('203.0.113.9')).toBe(10);
  expect(() => follow('198.18.0.1')).toThrow('Order books of 40 coins');
});

it('leaves half of all books to other networks', () => {
  const addresses = Array.from({ length: 9 }, (_, i) => `2001:db8:1:${i}::/64`);
  expect(addresses.reduce((sum, address) => sum + followAll(address), 0)).toBe(20);
  expect(followAll('2001:db8:2:0::/64')).toBe(10);
});

it('counts a book for one of its followers, and for the next when that one leaves', () => {
  const first = Array.from({ length: 20 }, (_, i) => follow('192.0.2.1', `shared ${i}`));
  // Joining a book that is followed already is always possible.
  for (let i = 0; i < 20; i += 1) follow('198.51.100.7', `shared ${i}`);
  expect(() => follow('192.0.2.1')).toThrow();
  for (const book of first.slice(0, 15)) book.leave();
  for (const book of first.slice(0, 15)) book.leave();
  expect(() => follow('198.51.100.7')).toThrow('share');
  expect(followAll('192.0.2.1')).toBe(5);
});

it('counts a book for the caller that it is passed to', () => {
  const first = Array.from({ length: 20 }, () => follow('192.0.2.1'));
  for (const book of first) book.passTo(callerAt('198.51.100.7'));
  expect(() => follow('198.51.100.7')).toThrow('share');
  expect(followAll('192.0.2.1')).toBe(10);
});

it('leaves a quarter of all books to others than one pro key, and nothing of it counts for its address', () => {
  expect(followAll(proKey('key 1'))).toBe(30);
  expect(() => follow(proKey('key 1'))).toThrow('Your key follows its share');
  expect(followAll('192.0.2.1')).toBe(10);
  expect(() => follow(proKey('key 2'))).toThrow('Order books of 40 coins');
});

it('counts the books of a free key towards its IP address', () => {
  const freeKey = (caller: string): SocketCaller => ({ ...proKey(caller), tier: 'free' });
  expect(followAll(freeKey('key 3'))).toBe(20);
  expect(followAll(freeKey('key 4'))).toBe(0);
  expect(followAll('192.0.2.1')).toBe(0);
});

it('has no shares without quotas', () => {
  start(false);
  expect(followAll('192.0.2.1')).toBe(BOOKS_MAX);
});
