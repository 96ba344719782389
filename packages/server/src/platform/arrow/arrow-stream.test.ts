import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { arrowBatch, arrowEnd, type ArrowField, arrowStart } from './arrow-stream.ts';

const fields: readonly ArrowField[] = [
  { name: 'ts', kind: 'int64' },
  { name: 'price', kind: 'float64' },
  { name: 'isBuy', kind: 'bool' },
  { name: 'venueTs', kind: 'int64', isNullable: true },
  { name: 'origin', kind: 'utf8' },
  { name: 'market', kind: 'label', text: 'binance:BTCUSDT' },
];
const columns = [
  { numbers: Float64Array.of(1, 1_790_000_000_123, 2 ** 53 - 1, 4) },
  { numbers: Float64Array.of(1, 9_650_055, 3, 4), scale: 100 },
  { flags: Uint8Array.of(1, 0, 1, 1) },
  { numbers: Float64Array.of(0, -5, 7, 0), valid: Uint8Array.of(0, 1, 1, 0) },
  { texts: ['tape', 'venue', 'é', ''] },
  undefined,
];

function read(parts: readonly Uint8Array[]) {
  return tableFromIPC(Buffer.concat(parts));
}

describe('an Arrow stream is read by apache-arrow', () => {
  it('with its schema, metadata and values', () => {
    const table = read([
      arrowStart(fields, { meta: '{"gaps":[]}' }),
      arrowBatch(fields, columns, 1, 3),
      arrowBatch(fields, columns, 3, 4),
      arrowEnd,
    ]);
    expect(table.schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`)).toEqual([
      'ts Int64 false',
      'price Float64 false',
      'isBuy Bool false',
      'venueTs Int64 true',
      'origin Utf8 false',
      'market Dictionary<Int8, Utf8> false',
    ]);
    expect(table.schema.metadata.get('meta')).toBe('{"gaps":[]}');
    expect(table.toArray().map((row) => ({ ...row }))).toEqual([
      {
        ts: 1_790_000_000_123n,
        price: 96_500.55,
        isBuy: false,
        venueTs: -5n,
        origin: 'venue',
        market: 'binance:BTCUSDT',
      },
      {
        ts: 9_007_199_254_740_991n,
        price: 0.03,
        isBuy: true,
        venueTs: 7n,
        origin: 'é',
        market: 'binance:BTCUSDT',
      },
      { ts: 4n, price: 0.04, isBuy: true, venueTs: null, origin: '', market: 'binance:BTCUSDT' },
    ]);
  });

  it('with flags of any number, as they are and negated, and whole numbers of any size', () => {
    const own: readonly ArrowField[] = [
      { name: 'is', kind: 'bool' },
      { name: 'isNot', kind: 'bool' },
      { name: 'whole', kind: 'int64' },
    ];
    const rows = 45;
    const flags = Uint8Array.from({ length: rows }, (_, i) => (i % 3 === 0 || i > 37 ? 1 : 0));
    const whole = Float64Array.from({ length: rows }, (_, i) => (i % 5 === 0 ? -1 : 1) * (i * 2 ** 31 - i));
    for (const [from, to] of [
      [0, rows],
      [3, 11],
      [3, 12],
      [20, 21],
    ] as const) {
      const all = [{ flags }, { flags, isNegated: true }, { numbers: whole }];
      const table = read([arrowStart(own), arrowBatch(own, all, from, to), arrowEnd]);
      expect(table.toArray().map((row) => ({ ...row }))).toEqual(
        Array.from({ length: to - from }, (_, i) => ({
          is: flags[from + i] === 1,
          isNot: flags[from + i] === 0,
          whole: BigInt(whole[from + i] as number),
        })),
      );
    }
  });

  it('without rows', () => {
    expect(read([arrowStart(fields), arrowEnd]).numRows).toBe(0);
    expect(read([arrowStart(fields), arrowBatch(fields, columns, 0, 0), arrowEnd]).numRows).toBe(0);
  });

  it('with more fields than the first buffer has room for', () => {
    const many = Array.from(
      { length: 200 },
      (_, i): ArrowField => ({ name: `column ${i}`, kind: 'float64' }),
    );
    const values = many.map((_, i) => ({ numbers: Float64Array.of(i) }));
    const table = read([arrowStart(many), arrowBatch(many, values, 0, 1), arrowEnd]);
    expect(table.schema.fields).toHaveLength(200);
    expect(table.getChildAt(150)?.get(0)).toBe(150);
  });
});
