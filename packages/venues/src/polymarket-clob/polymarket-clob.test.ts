import { expect, it } from 'vitest';
import { book } from './book.ts';

it('asks only for what can be the id of a token', () => {
  const longest = '9'.repeat(78);
  expect(book.keys({}, ['1', longest, `${longest}9`, '0x1', '', 'BTC', '1&x=2'])).toEqual(['1', longest]);
});
