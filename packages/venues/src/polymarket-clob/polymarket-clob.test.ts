import { expect, it } from 'vitest';
import { Malformed } from '../venue.ts';
import { book } from './book.ts';

it('asks only for what can be the id of a token', () => {
  const largest = String(2n ** 256n - 1n);
  const wrong = [String(2n ** 256n), `${largest}9`, '01', '00', '0x1', '', 'BTC', '1&x=2'];
  expect(book.keys({}, ['0', '1', largest, ...wrong])).toEqual(['0', '1', largest]);
});

it('keeps the last good book for ten minutes', () => {
  expect(book.keepMs).toBe(600_000);
});

it('takes an error that it does not know for the problem of that token alone', () => {
  const parse = (error: string) => book.parse({ error }, 1_790_000_000_000, {}, '1');
  expect(() => parse('book is being rebuilt')).toThrow(Malformed);
  expect(() => parse('book is being rebuilt')).toThrow('Polymarket says: book is being rebuilt');
  const { predictionBooks } = parse('No orderbook exists for the requested token id');
  expect(predictionBooks).toMatchObject([{ symbol: '1', isListed: false }]);
});
