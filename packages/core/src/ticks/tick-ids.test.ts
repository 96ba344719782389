import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadChunk } from './bad-chunk.ts';
import { encodeTicks } from './encode-ticks.ts';
import { splitPayloads } from './payload.ts';
import { columnsOf } from './tick-rows.fixture.ts';
import { createIdColumns, decodeIds, encodeIds, type IdColumns } from './tick-ids.ts';
import { runs } from '../../../../test/runs.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const HASH_MAX = 2 ** 50 - 1;

type IdRow = readonly [tid: number, lateMs: number];

const DELAY_MAX = 2 ** 52 - 1;
const lateMs = fc.oneof(
  { weight: 18, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: DELAY_MAX }) },
  { weight: 1, arbitrary: fc.integer({ min: -DELAY_MAX, max: -1 }) },
);
const hashes = fc.array(fc.tuple(fc.nat({ max: HASH_MAX }), lateMs), { maxLength: 50 });
const anything = fc.array(fc.tuple(fc.maxSafeNat(), lateMs), { maxLength: 50 });
const counting = fc
  .tuple(
    fc.nat({ max: HASH_MAX }),
    fc.array(fc.tuple(fc.integer({ min: -300, max: 70_000 }), lateMs), { maxLength: 50 }),
  )
  .map(([first, steps]) => {
    let tid = first + 50 * 300;
    return steps.map(([step, late]): IdRow => [(tid += step), late]);
  });

describe('the id codec', () => {
  it('gives back every id and delay it was given', () => {
    fc.assert(
      fc.property(fc.oneof(hashes, anything, counting), (rows) => {
        expect(rowsOf(decodeIds(encodeIds(columnsOfIds(rows))))).toEqual(rows);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each<[string, IdRow[]]>([
    ['none', []],
    ['the largest', [[MAX, MAX]]],
    ['the one furthest ahead', [[MAX, -DELAY_MAX]]],
    [
      'the widest swings',
      [
        [0, 0],
        [MAX, 1],
        [0, 0],
        [MAX, 0],
      ],
    ],
    [
      'one id over and over',
      [
        [7, 0],
        [7, 0],
        [7, 3],
      ],
    ],
  ])('round-trips %s', (_, rows) => {
    expect(rowsOf(decodeIds(encodeIds(columnsOfIds(rows))))).toEqual(rows);
  });

  it('spends seven bytes on a hash and one on a step of a counter', () => {
    const hashed = Array.from({ length: 100 }, (_, i): IdRow => [(i * 0x9e37_79b9_7f4a) % HASH_MAX, 0]);
    const counted = Array.from({ length: 100 }, (_, i): IdRow => [2 ** 49 + i * 3, 0]);
    expect(encodeIds(columnsOfIds(hashed)).length).toBeLessThan(100 * 7 + 20);
    expect(encodeIds(columnsOfIds(counted)).length).toBeLessThan(100 + 20);
  });

  it('fills the given columns when they have room, and clears old delays', () => {
    const into = columnsOfIds([
      [1, 5],
      [2, 6],
      [3, 7],
    ]);
    expect(
      decodeIds(
        encodeIds(
          columnsOfIds([
            [9, 0],
            [8, 1],
          ]),
        ),
        into,
      ),
    ).toBe(into);
    expect(rowsOf(into)).toEqual([
      [9, 0],
      [8, 1],
    ]);
  });

  it('stands beside ticks in one stream of payloads', () => {
    const ids = encodeIds(columnsOfIds([[1, 0]]));
    const ticks = encodeTicks(columnsOf([]));
    expect([...splitPayloads(Uint8Array.from([...ticks, ...ids, ...ticks]))]).toEqual([ticks, ids, ticks]);
  });

  it('refuses to encode invalid ids', () => {
    expect(() => encodeIds(columnsOfIds([[0.5, 0]]))).toThrow(RangeError);
    expect(() => encodeIds(columnsOfIds([[1, -(2 ** 52) - 1]]))).toThrow('whole numbers');
    expect(() => encodeIds(columnsOfIds([[1, 0]]), 0, 2)).toThrow('no ids 0 to 2');
  });
});

describe('bytes that are no ids', () => {
  const payload = encodeIds(
    columnsOfIds([
      [5, 0],
      [HASH_MAX, 300],
      [77, 0],
      [78, 1],
    ]),
  );

  it('are refused when cut short at any byte, and when they continue behind the end', () => {
    for (let length = 0; length < payload.length; length += 1) {
      expect(() => decodeIds(payload.subarray(0, length)), `${length} bytes`).toThrow(BadChunk);
    }
    expect(() => decodeIds(Uint8Array.from([...payload, 0]))).toThrow(BadChunk);
  });

  it('are refused, or read as some ids, when any byte is changed or all are random', () => {
    for (let at = 0; at < payload.length; at += 1) {
      for (let value = 0; value < 256; value += 1) {
        const damaged = payload.slice();
        damaged[at] = value;
        expectIdsOrRefusal(damaged);
      }
    }
    const framed = fc
      .uint8Array({ minLength: 5, maxLength: 120 })
      .map((body) => Uint8Array.from([0x49, 1, body.length, ...body]));
    fc.assert(fc.property(framed, expectIdsOrRefusal), { numRuns: runs(5000) });
  });

  it.each<[string, readonly number[], string]>([
    ['more ids than a chunk holds', [0x49, 1, 7, 0x81, 0x80, 0x04, 0, 0, 0, 0], 'at most 65536'],
    ['an unknown mode', [0x49, 1, 5, 0, 4, 0, 0, 0], 'mode'],
    ['ids too long', [0x49, 1, 5, 0, 0, 0, 8, 0], 'at most 7'],
    ['bytes behind the late trades', [0x49, 1, 6, 0, 0, 0, 0, 0, 9], '1 bytes follow the late trades'],
    ['more late trades than trades', [0x49, 1, 7, 1, 0, 3, 0, 1, 1, 9], 'more late trades'],
  ])('are refused with the reason: %s', (_, bytes, reason) => {
    expect(() => decodeIds(Uint8Array.from(bytes))).toThrow(reason);
  });
});

function columnsOfIds(rows: readonly IdRow[]): IdColumns {
  const columns = { ...createIdColumns(rows.length), length: rows.length };
  for (const [i, [tid, late]] of rows.entries()) {
    columns.tid[i] = tid;
    columns.lateMs[i] = late;
  }
  return columns;
}

function rowsOf({ length, tid, lateMs: late }: IdColumns): IdRow[] {
  return Array.from({ length }, (_, i) => [tid[i] ?? Number.NaN, late[i] ?? Number.NaN]);
}

function expectIdsOrRefusal(bytes: Uint8Array): void {
  try {
    const columns = decodeIds(bytes);
    expect(rowsOf(decodeIds(encodeIds(columns)))).toEqual(rowsOf(columns));
  } catch (error) {
    expect(error).toBeInstanceOf(BadChunk);
  }
}
