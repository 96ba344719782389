import type { VenueTrade } from '@crosstape/core';
import { expect, it } from 'vitest';
import { CoinTape } from './coin-tape.ts';

function trade(venueTs: number, tid: number): VenueTrade {
  return { coin: 'BTC', side: 'buy', price: 100, size: 1, venueTs, tid };
}

it('is not dragged into the future by a venue whose clock is wrong', () => {
  const tape = new CoinTape('hyperliquid');
  const released = [
    tape.append(trade(1_000, 1), 1_010),
    tape.append(trade(3_601_000, 2), 1_020),
    tape.append(trade(1_015, 3), 1_030),
    tape.append(trade(1_040, 4), 1_050),
  ];
  expect(released.map((one) => [one?.ts, one?.venueTs])).toEqual([
    [1_000, undefined],
    [1_020, 3_601_000],
    [1_020, 1_015],
    [1_040, undefined],
  ]);
});
