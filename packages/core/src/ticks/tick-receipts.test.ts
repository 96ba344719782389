import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadChunk } from './bad-chunk.ts';
import { encodeTicks } from './encode-ticks.ts';
import { splitPayloads } from './payload.ts';
import { columnsOf } from './tick-rows.fixture.ts';
import { decodeReceipts, encodeReceipts, type ReceiptColumns } from './tick-receipts.ts';
import { runs } from '../../../../test/runs.ts';

const LAG_MAX = 2 ** 51;

const lag = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: -20, max: 400 }) },
  { weight: 2, arbitrary: fc.constant(Number.NaN) },
  { weight: 2, arbitrary: fc.constantFrom(100, 86_400_000) },
  { weight: 1, arbitrary: fc.integer({ min: -LAG_MAX, max: LAG_MAX }) },
);
const lags = fc.array(lag, { maxLength: 80 });

describe('the codec of receive times', () => {
  it('decodes every encoded lag unchanged, unknown ones included', () => {
    fc.assert(
      fc.property(lags, fc.nat(), fc.nat(), (rows, a, b) => {
        const [from, to] = [a % (rows.length + 1), b % (rows.length + 1)].toSorted((x, y) => x - y);
        expect(rowsOf(decodeReceipts(encodeReceipts(columnsOfLags(rows), from, to)))).toEqual(
          rows.slice(from, to),
        );
      }),
      { numRuns: runs(500), seed: 7 },
    );
  });

  it('spends one byte on a usual lag, before compression', () => {
    const usual = Array.from({ length: 100 }, (_, i) => 1_200 + ((i * 37) % 60));
    expect(encodeReceipts(columnsOfLags(usual)).length).toBeLessThan(110);
  });

  it('writes the example of docs/formats.md as these bytes, forever', () => {
    const example = encodeReceipts(columnsOfLags([12, 12, 12, 31, 90, Number.NaN]));
    const bytes = [0x52, 1, 9, 6, 0x18, 1, 0xfe, 0xfe, 0x14, 0x40, 0, 0x0f];
    expect([...example]).toEqual(bytes);
    expect(rowsOf(decodeReceipts(Uint8Array.from(bytes)))).toEqual([12, 12, 12, 31, 90, Number.NaN]);
  });

  it('fills the given columns when they have room', () => {
    const into = columnsOfLags([1, 2, 3]);
    expect(decodeReceipts(encodeReceipts(columnsOfLags([9, Number.NaN])), into)).toBe(into);
    expect(rowsOf(into)).toEqual([9, Number.NaN]);
  });

  it('stands beside ticks in one stream of payloads', () => {
    const [receipts, ticks] = [encodeReceipts(columnsOfLags([5])), encodeTicks(columnsOf([]))];
    expect([...splitPayloads(Uint8Array.from([...ticks, ...receipts]))]).toEqual([ticks, receipts]);
  });

  it('refuses to encode invalid lags', () => {
    expect(() => encodeReceipts(columnsOfLags([0.5]))).toThrow('whole number');
    expect(() => encodeReceipts(columnsOfLags([LAG_MAX + 1]))).toThrow('whole number');
    expect(() => encodeReceipts(columnsOfLags([1]), 0, 2)).toThrow('no receive times 0 to 2');
  });
});

describe('bytes that are no receive times', () => {
  const payload = encodeReceipts(columnsOfLags([5, 5, 90, Number.NaN, 70_000, -3]));

  it('are refused when cut short at any byte, and when they continue behind the end', () => {
    for (let length = 0; length < payload.length; length += 1)
      expect(() => decodeReceipts(payload.subarray(0, length)), `${length} bytes`).toThrow(BadChunk);
    expect(() => decodeReceipts(Uint8Array.from([...payload, 0]))).toThrow(BadChunk);
  });

  it('are refused, or read as some receive times, when any byte is changed or all are random', () => {
    for (let at = 0; at < payload.length; at += 1) {
      for (let value = 0; value < 256; value += 1) {
        const damaged = payload.slice();
        damaged[at] = value;
        expectLagsOrRefusal(damaged);
      }
    }
    const framed = fc
      .uint8Array({ minLength: 2, maxLength: 60 })
      .map((body) => Uint8Array.from([0x52, 1, body.length, ...body]));
    fc.assert(fc.property(framed, expectLagsOrRefusal), { numRuns: runs(2_000), seed: 8 });
  });
});

function columnsOfLags(rows: readonly number[]): ReceiptColumns {
  return { length: rows.length, lagMs: Float64Array.from(rows) };
}

function rowsOf({ length, lagMs }: ReceiptColumns): number[] {
  return [...lagMs.subarray(0, length)];
}

function expectLagsOrRefusal(bytes: Uint8Array): void {
  try {
    const columns = decodeReceipts(bytes);
    expect(rowsOf(decodeReceipts(encodeReceipts(columns)))).toEqual(rowsOf(columns));
  } catch (error) {
    expect(error).toBeInstanceOf(BadChunk);
  }
}
