import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberTable } from './number-table.ts';
import { RecordColumns } from './record-columns.ts';
import { runs } from '../../../../test/runs.ts';

/** Typical prices, sizes, times and ids, and extreme values. */
const numbers = fc.oneof(
  fc.array(fc.integer({ min: 1_790_000_000_000, max: 1_790_000_060_000 })),
  fc.array(fc.integer({ min: 0, max: 10_000_000 }).map((lots) => lots / 1e5)),
  fc.array(fc.integer({ min: -300, max: 300 })),
  fc.array(fc.maxSafeInteger()),
  fc.array(fc.double()),
  fc.array(fc.constant(7.25)),
);

describe('a table of numbers', () => {
  it('gives back exactly what was put in, before and after it is sealed', () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 3 }), (columns) => {
        const table = new NumberTable();
        const read = (): number[][] =>
          columns.map((values, column) => values.map((_, row) => table.at(column, row)));
        // Each is added after the earlier columns have their values, like a field that appears late.
        for (const values of columns) {
          const column = table.add();
          for (const [row, value] of values.entries()) table.put(column, row, value);
        }
        expect(read()).toEqual(columns);
        table.seal();
        expect(read()).toEqual(columns);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('takes as many bytes for a number as the range of its column needs', () => {
    const table = new NumberTable();
    for (const range of [0, 0xff, 0xffff, 0xffff_ffff]) {
      const column = table.add();
      for (const [row, value] of [0, 1 / 2, 1].entries())
        table.put(column, row, 1_790_000_000_000 + Math.round(value * range));
    }
    table.seal();
    expect(table.bytes).toBe(3 * (0 + 1 + 2 + 4));
  });
});

interface Row {
  readonly coin: string;
  readonly ts: number;
  readonly price: number;
  readonly isBuy: boolean;
  readonly venueTs?: number;
}

const row: fc.Arbitrary<Row> = fc.record(
  {
    coin: fc.constantFrom('BTC', 'ETH', 'kPEPE'),
    ts: fc.nat(),
    price: fc.double({ noNaN: true }),
    isBuy: fc.boolean(),
    venueTs: fc.nat(),
  },
  { requiredKeys: ['coin', 'ts', 'price', 'isBuy'] },
);

describe('records in columns', () => {
  it('come back as they were, with the same fields in the same order', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
        const columns = new RecordColumns<Row>();
        for (const one of rows) columns.push(one);
        const printed = (): string[] => rows.map((_, i) => JSON.stringify(columns.at(i)));
        expect(printed()).toEqual(rows.map((one) => JSON.stringify(one)));
        columns.seal();
        expect(printed()).toEqual(rows.map((one) => JSON.stringify(one)));
        expect(rows.map((_, i) => columns.number('ts', i))).toEqual(rows.map(({ ts }) => ts));
      }),
    );
  });

  it('are found by what they hold, never by a field that they lack', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), fc.nat(20), (rows, least) => {
        const columns = new RecordColumns<Row>();
        for (const one of rows) columns.push(one);
        columns.seal();
        const passes = columns.matcher({
          atLeast: { field: 'venueTs', value: least },
          equals: { field: 'coin', value: 'ETH' },
        });
        const found = rows.filter((_, i) => passes?.(i) ?? false);
        expect(found).toEqual(
          rows.filter(({ coin, venueTs }) => coin === 'ETH' && venueTs !== undefined && venueTs >= least),
        );
      }),
    );
  });

  it('refuse what does not fit into a column, and say which field it was', () => {
    const columns = new RecordColumns<object>();
    columns.push({ ts: 1, side: 'buy' });
    expect(() => columns.push({ ts: 2, side: { of: 'a book' } })).toThrow('side is [object Object]');
    expect(() => columns.push({ ts: '2' })).toThrow('ts is 2');
    columns.push({ ts: 3, side: 'sell' });
    expect([columns.length, columns.at(0), columns.at(1)]).toEqual([
      2,
      { ts: 1, side: 'buy' },
      { ts: 3, side: 'sell' },
    ]);
  });
});
