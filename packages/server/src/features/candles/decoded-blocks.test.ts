import type { Candle } from '@crosstape/core';
import { expect, it } from 'vitest';
import { DecodedBlocks } from './decoded-blocks.ts';

it('decodes a block that is read again once, until its bytes change', () => {
  const decoded = new DecodedBlocks();
  const read = (bytes: number[]) =>
    decoded.of('candles-1m x 0', Uint8Array.from(bytes), () => ({
      startTs: 0,
      toTs: 60_000,
      candles: [{ ts: bytes[0] } as Candle],
    }));
  const first = read([1, 2]);
  const second = read([1, 2]);
  expect(second).not.toBe(first);
  expect(read([1, 2])).toBe(second);
  expect(decoded.startingWith(second.candles[0] as Candle)).toBe(second);
  const changed = read([3]);
  expect(changed.candles).toEqual([{ ts: 3 }]);
  expect(read([3])).not.toBe(changed);
});
