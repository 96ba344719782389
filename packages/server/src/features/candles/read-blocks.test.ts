import { type Candle, encodeBlock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { minuteLevel } from './candle-table.ts';
import { ReadBlocks } from './read-blocks.ts';

function bytesWith(close: number): Uint8Array {
  const candle: Candle = {
    ts: 120_000,
    priceDecimals: 1,
    sizeDecimals: 0,
    open: 5,
    high: close,
    low: 5,
    close,
    volume: 3,
    liqLong: 0,
    liqShort: 0,
    origin: 'tape',
  };
  return encodeBlock(0, minuteLevel.intervalMs, { toTs: 180_000, candles: [candle] });
}

it('decodes a block that is read again once, until its bytes change', () => {
  const blocks = new ReadBlocks();
  const read = (close: number) => blocks.of(minuteLevel, 'x', 0, bytesWith(close));
  const first = read(7);
  expect(first).toMatchObject({ isKept: false, length: 1, firstTs: 120_000, toTs: 180_000 });
  const second = read(7);
  expect(second).not.toBe(first);
  expect(read(7)).toBe(second);
  expect(second.isKept).toBe(true);
  expect(second.candles).toBe(second.candles);
  const changed = read(9);
  expect(changed.candles).toMatchObject([{ close: 9 }]);
  expect(read(9)).not.toBe(changed);
});

it('says which block cannot be read', () => {
  const bytes = bytesWith(7).subarray(0, -1);
  const block = new ReadBlocks().of(minuteLevel, 'x', 0, bytes);
  expect(() => block.candles).toThrow('candles-1m x 0: not a block of candles');
  expect(() => block.each(() => {})).toThrow('candles-1m x 0: not a block of candles');
});
