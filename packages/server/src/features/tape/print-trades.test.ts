import { encodeIds, encodeTicks, type Trade } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gzipChunk } from './chunk-gzip.ts';
import { TickBuffer } from './tick-buffer.ts';
import { printTrades } from './print-trades.ts';
import { runs } from '../../../../../test/runs.ts';

/** Decimals as a venue writes them: up to 15 digits, 8 of them behind the point. */
const decimal = fc
  .tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: 0, max: 8 }))
  .map(([digits, decimals]) => String(Number(`${digits}e-${decimals}`)));

const trades = fc.array(
  fc.record({
    price: decimal,
    size: decimal,
    gapMs: fc.constantFrom(0, 0, 1, 500),
    isBuy: fc.boolean(),
    lateMs: fc.constantFrom(0, 0, 7),
    tid: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  }),
  { maxLength: 60 },
);

it("prints exactly the venue's decimals, and only what lies in the range", () => {
  fc.assert(
    fc.property(trades, fc.integer({ min: 1, max: 30 }), (rows, perChunk) => {
      let ts = 1_790_000_000_000;
      const expected: string[] = [];
      const buffers: TickBuffer[] = [];
      for (const [i, { price, size, gapMs, isBuy, lateMs, tid }] of rows.entries()) {
        ts += gapMs;
        const side = isBuy ? 'buy' : 'sell';
        const late = lateMs > 0 ? { venueTs: ts - lateMs } : {};
        const named = {
          coin: 'BTC',
          venue: 'hyperliquid',
          side,
          ts,
          tid,
          sameOrder: false,
          ...late,
        } as const;
        const trade: Trade = { ...named, price: Number(price), size: Number(size), notionalUsd: 0 };
        if (i % perChunk === 0) buffers.push(new TickBuffer());
        buffers.at(-1)?.add(trade);
        const tail = lateMs > 0 ? `,"venueTs":${ts - lateMs}` : '';
        if (ts < 1_790_000_003_000)
          expected.push(`{"ts":${ts},"price":${price},"size":${size},"side":"${side}","tid":${tid}${tail}}`);
      }
      const chunks = buffers.map(({ columns, ids }) => ({
        data: gzipChunk(encodeTicks(columns)),
        ids: gzipChunk(encodeIds(ids)),
      }));
      const bytes = printTrades({ chunks, fromTs: 1_790_000_000_000, toTs: 1_790_000_003_000 });
      expect(new TextDecoder().decode(bytes)).toBe(`[${expected.join(',')}]`);
    }),
    { numRuns: runs(60), seed: 2 },
  );
});
