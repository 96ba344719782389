import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  areMostRefused,
  MOST,
  readExactNumber,
  readRows,
  readTables,
  readText,
  readTraded,
} from './reading.ts';
import { Malformed } from './venue.ts';

const bodies: readonly unknown[] = ['a', 1, 2, 3];
const read = (i: number): string => readText(bodies[i], `row[${i}]`);
const summary = '3 of 4 rows: row[1] is not a text: 1';

it('only malformed rows are dropped, also when most are malformed', () => {
  const { rows, refused } = readRows(4, read);
  expect(rows).toEqual(['a']);
  expect(refused).toEqual([summary, ...[1, 2, 3].map((n) => `row[${n}] is not a text: ${n}`)]);
  expect(areMostRefused(refused)).toBe(true);
  expect(areMostRefused(refused.slice(1))).toBe(false);
});

it('refuses an answer without a valid row, and lists with mostly malformed rows', () => {
  expect(() => readRows(3, (i) => read(i + 1))).toThrow(Malformed);
  expect(() => readRows(4, read, MOST)).toThrow(summary);
  // Rows that are not wanted are understood.
  expect(readRows(4, (i) => (i === 1 ? read(i) : undefined)).rows).toEqual([]);
});

it('keeps the valid rows of a table with mostly malformed ones, and names it', () => {
  const prices = (row: unknown) => ({ coin: 'BTC', symbol: readText(row, 'symbol') }) as never;
  const tables = readTables(
    { rows: bodies, refused: [] },
    { prices, indexPrices: () => ({ coin: 'BTC' }) as never },
  );
  expect(tables).toMatchObject({ prices: [{ symbol: 'a' }], unread: ['prices'] });
  expect(tables.indexPrices).toHaveLength(4);
});

it('accepts JSON numbers of up to 15 digits and decimals, as printing them shows', () => {
  const isExact = (value: number): boolean =>
    Number(value.toPrecision(15)) === value && value >= 1e-15 && value > 0;
  const decimals = fc.tuple(fc.maxSafeNat(), fc.nat(18)).map(([n, d]) => Number(`${n}e-${d}`));
  const value = fc.oneof(decimals, fc.double({ min: 0, max: 1e18, noNaN: true }));
  fc.assert(
    fc.property(value, (one) => {
      if (isExact(one)) expect(readExactNumber(one, 'price')).toBe(one);
      else expect(() => readExactNumber(one, 'price', 'BTC')).toThrow('BTC price is not');
    }),
    { seed: 2, numRuns: 2_000 },
  );
});

it('counts the decimals of a traded price without the zeros at its end', () => {
  expect(readTraded('1.234567000', 'px')).toBe(1.234567);
  expect(readTraded('100', 'px')).toBe(100);
  expect(() => readTraded('1.2345678', 'px', 'BTC')).toThrow('BTC px is not below 9000000000');
});
