import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBuilder } from '../bars/bar-builder.ts';
import type { Bar } from '../bars/bar-columns.ts';
import {
  closedBars,
  extremeTape,
  type RandomTape,
  randomTape,
  toColumns,
} from '../bars/random-builds.fixture.ts';
import { MINUTE_MS } from '../durations.ts';
import { type Candle, candleRow } from './candle.ts';
import { BadBlock, decodeBlock, encodeBlock } from './candle-block.ts';
import { CandleFold, foldCandles } from './candle-fold.ts';
import { intervalStart } from './candle-interval.ts';
import { joinBlocks, splitBlocks } from './joined-blocks.ts';
import { runs } from '../../../../test/runs.ts';

/** Trades a few seconds apart instead of milliseconds, so that they fill many minutes. */
const spread = ({ scale, trades }: RandomTape) =>
  toColumns(
    trades.map((trade) => ({ ...trade, ts: trade.ts * 1_009 })),
    scale,
  );
const tried = { seed: 7, numRuns: runs(150) };

/** Every figure that bars and candles have in common. */
function figuresOf(bar: Bar) {
  const { openTs, open, high, low, close, volume, buyVolume, notionalUsd, trades } = bar;
  return { ts: openTs, open, high, low, close, volume, buyVolume, notionalUsd, trades };
}

function rowOf(candle: Candle) {
  const {
    buyTrades: _,
    liqLongUsd: _l,
    liqShortUsd: _s,
    complete: _c,
    origin: _o,
    ...row
  } = candleRow(candle, true);
  return row;
}

it.each([1, 5, 60, 1_440])('folds minutes to bars of %i minutes that equal those of a build', (minutes) => {
  fc.assert(
    fc.property(fc.oneof(randomTape, extremeTape), fc.nat(), (tape, cut) => {
      const columns = spread(tape);
      const builder = createBuilder({
        kind: 'time',
        params: { intervalMs: minutes * MINUTE_MS },
        tick: 1,
      });
      builder.add(columns);
      const bars = [...closedBars(builder), ...(builder.open ? [builder.open] : [])];
      const fold = new CandleFold(MINUTE_MS);
      const at = columns.length === 0 ? 0 : cut % columns.length;
      fold.add(columns, 0, at);
      fold.add(columns, at);
      const stored = throughBlocks(fold.all());
      expect(foldCandles(stored, minutes * MINUTE_MS).map(rowOf)).toEqual(bars.map(figuresOf));
      const bought = columns.isBuy.reduce((sum, one) => sum + one, 0);
      expect(stored.reduce((sum, { buyTrades = 0 }) => sum + buyTrades, 0)).toBe(bought);
    }),
    tried,
  );
});

const BLOCK_MS = 60 * MINUTE_MS;

/** Candles encoded in hourly blocks and decoded again. */
function throughBlocks(candles: readonly Candle[]): readonly Candle[] {
  const starts = [...new Set(candles.map(({ ts }) => intervalStart(ts, BLOCK_MS)))];
  return starts.flatMap((startTs) => {
    const own = candles.filter(({ ts }) => intervalStart(ts, BLOCK_MS) === startTs);
    const toTs = startTs + BLOCK_MS;
    const block = decodeBlock(startTs, MINUTE_MS, encodeBlock(startTs, MINUTE_MS, { toTs, candles: own }));
    expect(block.toTs).toBe(toTs);
    return block.candles;
  });
}

const base = { priceDecimals: 2, sizeDecimals: 5, open: 100, high: 130, low: 90, close: 120 };
const venueCandle: Candle = { ...base, ts: 180_000, volume: 5, liqLong: 0, liqShort: 0, origin: 'venue' };
const liquidated: Candle = {
  ...base,
  ts: 600_000,
  volume: 2n ** 70n,
  buyVolume: 2n ** 60n,
  notional: 3n ** 60n,
  trades: 3,
  buyTrades: 1,
  liqLong: 12_500_000,
  liqShort: 1,
  origin: 'tape',
};

it('keeps what a venue does not report absent, and sums beyond 2^53 exact', () => {
  const candles = [venueCandle, liquidated];
  expect(decodeBlock(0, MINUTE_MS, encodeBlock(0, MINUTE_MS, { toTs: 660_000, candles }))).toEqual({
    toTs: 660_000,
    candles,
  });
  const [folded] = foldCandles(candles, BLOCK_MS);
  expect(folded && candleRow(folded, null)).toEqual({
    ts: 0,
    open: 1,
    high: 1.3,
    low: 0.9,
    close: 1.2,
    volume: Number(2n ** 70n + 5n) / 1e5,
    liqLongUsd: 12.5,
    liqShortUsd: 0.000_001,
    complete: null,
    origin: 'venue',
  });
});

it('rejects bytes that are not a block', () => {
  const bytes = encodeBlock(0, MINUTE_MS, { toTs: 660_000, candles: [venueCandle] });
  for (const bad of [bytes.subarray(0, 9), Uint8Array.of(...bytes, 0), Uint8Array.of(9), new Uint8Array()])
    expect(() => decodeBlock(0, MINUTE_MS, bad)).toThrow(BadBlock);
});

it('joins blocks, and rejects bytes that are not joined ones', () => {
  const blocks = new Map([3, 0, 9].map((i) => [i * BLOCK_MS, new Uint8Array(200 * i).fill(i)]));
  const bytes = joinBlocks(0, BLOCK_MS, blocks);
  expect([...splitBlocks(0, BLOCK_MS, bytes)]).toEqual([...blocks].toSorted(([a], [b]) => a - b));
  for (const bad of [bytes.subarray(0, 500), Uint8Array.of(...bytes, 0), Uint8Array.of(9), new Uint8Array()])
    expect(() => splitBlocks(0, BLOCK_MS, bad)).toThrow(BadBlock);
});

it('begins weeks on Monday', () => {
  const monday = Date.UTC(2026, 10, 16);
  const week = 7 * 86_400_000;
  expect(intervalStart(monday, week)).toBe(monday);
  expect(intervalStart(monday - 1, week)).toBe(monday - week);
});
