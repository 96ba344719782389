import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadChunk } from './bad-chunk.ts';
import { decodeTicks, lendTicks } from './decode-ticks.ts';
import { encodeTicks } from './encode-ticks.ts';
import { CHUNK_TRADES_MAX, splitPayloads } from './payload.ts';
import { createTickColumns, type TickColumns } from './tick-columns.ts';
import { columnsOf, rowsOf, type TickRow } from './tick-rows.fixture.ts';
import { runs } from '../../../../test/runs.ts';

const MAX = Number.MAX_SAFE_INTEGER;
/** The first 49 bits of a long number of a header. */
const ones = Array.from({ length: 7 }, () => 0xff);

/** Integers of every length, including the limits of the codes. */
const magnitude = fc.oneof(
  fc.nat({ max: 300 }),
  fc.constantFrom(
    0,
    63,
    64,
    25_663,
    25_664,
    1_074_239,
    1_074_240,
    135_291_967,
    135_291_968,
    8_725_226_560,
    MAX,
  ),
  fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 12 })).map(([digit, zeros]) => digit * 10 ** zeros),
  fc.maxSafeNat(),
);

/** Valid columns: times never go back, and an order keeps its time and side. */
const rows: fc.Arbitrary<TickRow[]> = fc
  .array(
    fc.record({
      gap: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: magnitude }),
      price: magnitude,
      size: magnitude,
      isBuy: fc.nat({ max: 1 }),
      sameOrder: fc.nat({ max: 1 }),
    }),
    { maxLength: 60 },
  )
  .map((list) => {
    let before: TickRow | undefined;
    return list.map((one) => {
      const isSame = one.sameOrder === 1;
      const ts = before ? (isSame ? before.ts : Math.min(MAX, before.ts + one.gap)) : one.gap;
      const isBuy = before && isSame ? before.isBuy : one.isBuy;
      before = { ts, price: one.price, size: one.size, isBuy, sameOrder: one.sameOrder };
      return before;
    });
  });

/** A realistic market: small steps on a tick, bursts, repeated and round sizes. */
const marketRows: fc.Arbitrary<TickRow[]> = fc
  .tuple(
    fc.array(fc.tuple(fc.nat({ max: 9 }), fc.integer({ min: -40, max: 40 }), fc.nat({ max: 40_000 })), {
      maxLength: 200,
    }),
    fc.constantFrom(1, 10, 100),
  )
  .map(([list, tick]) => {
    let ts = 1_760_000_000_000;
    let price = 96_500_000;
    return list.map(([dice, step, size]) => {
      if (dice < 4) ts += 1 + size;
      price += dice < 6 ? step * tick : 0;
      return { ts, price, size: dice === 9 ? 100 : size, isBuy: dice % 2, sameOrder: 0 };
    });
  });

describe('the tick codec', () => {
  it('decodes every encoded trade unchanged', () => {
    fc.assert(
      fc.property(
        fc.oneof(rows, marketRows),
        fc.nat({ max: 8 }),
        fc.nat({ max: 8 }),
        (list, priceDecimals, sizeDecimals) => {
          const columns = decodeTicks(encodeTicks(columnsOf(list, priceDecimals, sizeDecimals)));
          expect(rowsOf(columns)).toEqual(list);
          expect([columns.priceDecimals, columns.sizeDecimals]).toEqual([priceDecimals, sizeDecimals]);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it.each<[string, TickRow[]]>([
    ['no trade', []],
    ['one trade', [{ ts: 0, price: 0, size: 0, isBuy: 0, sameOrder: 0 }]],
    ['one trade that continues with an order', [{ ts: 5, price: 7, size: 9, isBuy: 1, sameOrder: 1 }]],
    [
      'the widest swings',
      [
        { ts: 0, price: MAX, size: MAX, isBuy: 0, sameOrder: 0 },
        { ts: MAX, price: 0, size: 0, isBuy: 1, sameOrder: 0 },
        { ts: MAX, price: MAX, size: MAX, isBuy: 1, sameOrder: 1 },
      ],
    ],
  ])('round-trips %s', (_, list) => {
    expect(rowsOf(decodeTicks(encodeTicks(columnsOf(list))))).toEqual(list);
  });

  it('encodes a part of the columns as if it were all of them', () => {
    fc.assert(
      fc.property(rows, fc.nat(60), fc.nat(60), (list, a, b) => {
        const [from, to] = [Math.min(a, b, list.length), Math.min(Math.max(a, b), list.length)];
        expect(encodeTicks(columnsOf(list), from, to)).toEqual(encodeTicks(columnsOf(list.slice(from, to))));
      }),
    );
  });

  it('fills the given columns when they have room, and makes new ones when they have not', () => {
    const list = Array.from({ length: 3 }, (_, i) => ({
      ts: i,
      price: 10 + i,
      size: 5,
      isBuy: 1,
      sameOrder: 0,
    }));
    const payload = encodeTicks(columnsOf(list));
    const roomy = createTickColumns(4);
    expect(decodeTicks(payload, roomy)).toBe(roomy);
    expect(rowsOf(roomy)).toEqual(list);
    const narrow = createTickColumns(2);
    expect(rowsOf(decodeTicks(payload, narrow))).toEqual(list);
    expect(narrow.length).toBe(0);
  });

  it('lends the trades of a payload until the next one is decoded', () => {
    const [first, second] = [7, 8].map((price) => [{ ts: 1, price, size: 3, isBuy: 1, sameOrder: 0 }]);
    const lent = lendTicks(encodeTicks(columnsOf(first!)));
    expect(lent.price[0]).toBe(7);
    const kept = decodeTicks(encodeTicks(columnsOf(second!)));
    expect(lent.price[0]).toBe(8);
    lendTicks(encodeTicks(columnsOf(first!)));
    expect(rowsOf(kept)).toEqual(second);
  });

  it('reads gzip members put one behind the other and gunzipped at once', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(rows, marketRows), { maxLength: 5 }), (lists) => {
        const members = lists.map((list) => gzipSync(encodeTicks(columnsOf(list))));
        const bytes = lists.length === 0 ? new Uint8Array() : gunzipSync(Buffer.concat(members));
        expect([...splitPayloads(bytes)].map((payload) => rowsOf(decodeTicks(payload)))).toEqual(lists);
      }),
      { numRuns: runs(30) },
    );
  });

  it('decodes the most trades a chunk may hold', () => {
    const columns = createTickColumns(CHUNK_TRADES_MAX);
    columns.length = CHUNK_TRADES_MAX;
    for (let i = 0; i < CHUNK_TRADES_MAX; i += 1) {
      columns.ts[i] = i * 2 ** 36;
      columns.price[i] = i % 2 === 0 ? 0 : MAX - i;
      columns.size[i] = MAX - i;
    }
    const again = decodeTicks(encodeTicks(columns));
    expect(again.length).toBe(CHUNK_TRADES_MAX);
    for (const name of ['ts', 'price', 'size', 'isBuy', 'sameOrder'] as const) {
      expect(Buffer.from(again[name].buffer).equals(Buffer.from(columns[name].buffer)), name).toBe(true);
    }
  });
});

describe('bytes that are no payload', () => {
  const list = [
    { ts: 1_760_000_000_000, price: 965_000, size: 30_000, isBuy: 1, sameOrder: 0 },
    { ts: 1_760_000_000_000, price: 965_010, size: 70_000, isBuy: 1, sameOrder: 1 },
    { ts: 1_760_000_000_777, price: 999_990, size: 70_000, isBuy: 0, sameOrder: 0 },
    { ts: 1_760_000_099_999, price: 965_010, size: 2 ** 40, isBuy: 1, sameOrder: 0 },
  ];
  const payload = encodeTicks(columnsOf(list));

  it('are refused when cut short at any byte', () => {
    for (let length = 0; length < payload.length; length += 1) {
      expect(() => decodeTicks(payload.subarray(0, length)), `${length} bytes`).toThrow(BadChunk);
    }
  });

  it('are refused when cut short behind other payloads', () => {
    const bytes = Uint8Array.from([...payload, ...payload.subarray(0, -1)]);
    expect(() => [...splitPayloads(bytes)]).toThrow('cut short: 1 bytes are missing');
  });

  it('are refused when they continue behind the end', () => {
    expect(() => decodeTicks(Uint8Array.from([...payload, 0]))).toThrow('1 bytes follow');
  });

  it('are refused, or read as some other trades, when any byte is changed', () => {
    for (let at = 0; at < payload.length; at += 1) {
      for (let value = 0; value < 256; value += 1) {
        const damaged = payload.slice();
        damaged[at] = value;
        expectTradesOrRefusal(damaged);
      }
    }
  });

  it('are refused, or read as some trades, when they are random', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), expectTradesOrRefusal), { numRuns: runs(2000) });
    const framed = fc
      .uint8Array({ minLength: 9, maxLength: 120 })
      .map((body) => Uint8Array.from([0x54, 1, body.length, ...body]));
    fc.assert(fc.property(framed, expectTradesOrRefusal), { numRuns: runs(5000) });
  });

  it.each<[string, readonly number[], string]>([
    ['of another kind', [0x49, 1, 0], 'kind'],
    ['of a later version', [0x54, 2, 0], 'version 2'],
    ['that promise a body beyond all bounds', [0x54, 1, 0xff, 0xff, 0xff, 0xff, 0x0f], 'at most'],
    ['with a number that never ends', [0x54, 1, ...Array.from({ length: 12 }, () => 0xff)], 'longer than'],
    [
      'that promise more trades than a chunk holds',
      [0x54, 1, 11, 0x81, 0x80, 0x04, 0, 0, 0, 0, 0, 0, 0, 1],
      'at most 65536',
    ],
    [
      'that promise more trades than there are bytes',
      [0x54, 1, 10, 100, 0, 0, 0, 0, 0, 0, 0, 1, 9],
      'longer than the body',
    ],
    ['with a tick of 0', [0x54, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0], 'tick'],
    [
      'with a first trade that is later than itself',
      [0x54, 1, 12, 1, 1, 0, 0, 0, 0, 0, 0, 1, 102, 5, 5],
      'first trade',
    ],
    ['with a token that means nothing', [0x54, 1, 11, 1, 0, 0, 0, 0, 0, 0, 0, 1, 255, 5], 'token'],
    ['with a code that means nothing', [0x54, 1, 11, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 255], 'code 255'],
    ['with extra bytes that nothing needs', [0x54, 1, 12, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5, 9], 'extra bytes'],
    ['without the extra bytes of a size', [0x54, 1, 11, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 64], 'extra bytes'],
    ['with more gaps than trades', [0x54, 1, 13, 1, 2, 0, 0, 0, 0, 0, 0, 1, 0, 5, 5, 5], 'more gaps'],
    ['with a gap that no token asks for', [0x54, 1, 12, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 5, 5], 'do not match'],
    ['with a step that no token asks for', [0x54, 1, 12, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 5, 5], 'do not match'],
    [
      'with a number of 2^53 or more',
      [0x54, 1, 16, 0, 0, 0, 0, 0, ...ones, 0x7f, 0, 0, 1],
      'number of the header is not',
    ],
    ['with a time of 2^53', [0x54, 1, 21, 2, 1, 0, 0, 0, ...ones, 0x0f, 0, 0, 1, 0, 102, 1, 5, 5], 'a time'],
    ['with a price below 0', [0x54, 1, 13, 2, 0, 0, 0, 0, 0, 0, 1, 1, 0, 2, 5, 5], 'price'],
  ])('%s are refused with the reason', (_, bytes, reason) => {
    expect(() => decodeTicks(Uint8Array.from(bytes))).toThrow(BadChunk);
    expect(() => decodeTicks(Uint8Array.from(bytes))).toThrow(reason);
  });

  it('are refused when the most trades ask for more extra bytes than there can be', () => {
    const trades = CHUNK_TRADES_MAX;
    const far = 9_000_000_000;
    const manyRows = Array.from({ length: trades }, (_, i): TickRow => {
      return { ts: i * far + (i % 2), price: (i % 2) * far + i, size: 5, isBuy: 1, sameOrder: 0 };
    });
    const whole = encodeTicks(columnsOf(manyRows));
    // Gaps, steps and sizes each use the widest code, without its extra bytes.
    const cut = whole.slice(0, whole.length - 14 * (trades - 1));
    cut.fill(253, cut.length - trades);
    const length = cut.length - 5;
    cut.set([(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14], 2);
    expect(() => decodeTicks(cut)).toThrow(BadChunk);
    // The widest of the quick codes, behind two sections of the widest of all.
    cut.fill(250, cut.length - trades);
    expect(() => decodeTicks(cut)).toThrow(BadChunk);
  });

  it('leave the given columns as they were', () => {
    const into = columnsOf(list);
    expect(() => decodeTicks(payload.subarray(0, payload.length - 1), into)).toThrow(BadChunk);
    expect(() =>
      decodeTicks(Uint8Array.from([0x54, 1, 11, 1, 0, 0, 0, 0, 0, 0, 0, 1, 255, 5]), into),
    ).toThrow(BadChunk);
    expect(rowsOf(into)).toEqual(list);
  });
});

describe('trades that no tape has', () => {
  const fine: TickRow = { ts: 10, price: 10, size: 10, isBuy: 1, sameOrder: 0 };
  it.each<[string, Partial<TickRow>, string]>([
    ['an earlier time', { ts: 9 }, 'older'],
    ['a fraction of a price', { price: 0.5 }, 'whole numbers'],
    ['a price below 0', { price: -1 }, 'whole numbers'],
    ['a size beyond 2^53', { size: 2 ** 53 }, 'whole numbers'],
    ['a size that is not a number', { size: Number.NaN }, 'whole numbers'],
    ['a side that is neither', { isBuy: 2 }, '0 or 1'],
    ['an order on both sides', { isBuy: 0, sameOrder: 1 }, 'same order'],
    ['an order at two times', { ts: 11, sameOrder: 1 }, 'same order'],
  ])('are refused by the encoder: %s', (_, change, reason) => {
    expect(() => encodeTicks(columnsOf([fine, { ...fine, ...change }]))).toThrow(RangeError);
    expect(() => encodeTicks(columnsOf([fine, { ...fine, ...change }]))).toThrow(reason);
  });

  it('are refused by the encoder: more than fit, decimals without sense, a range outside', () => {
    const many: TickColumns = { ...createTickColumns(CHUNK_TRADES_MAX + 1), length: CHUNK_TRADES_MAX + 1 };
    expect(() => encodeTicks(many)).toThrow('at most 65536');
    expect(() => encodeTicks(columnsOf([fine], 16))).toThrow('decimals');
    expect(() => encodeTicks(columnsOf([fine]), 0, 2)).toThrow('no trades 0 to 2');
  });
});

function expectTradesOrRefusal(bytes: Uint8Array): void {
  let columns: TickColumns;
  try {
    columns = decodeTicks(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(BadChunk);
    return;
  }
  // The decoded trades are valid and can be encoded again.
  const written = encodeTicks(columns);
  expect(Buffer.from(encodeTicks(decodeTicks(written))).equals(written)).toBe(true);
}
