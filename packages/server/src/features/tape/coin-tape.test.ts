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

it('takes nothing for new that is older than all it was given of the time before it began', () => {
  const tape = new CoinTape('hyperliquid');
  const before = { venue: 'hyperliquid', notionalUsd: 100, sameOrder: false };
  for (const venueTs of [2_000, 1_990]) tape.restore({ ...trade(venueTs, venueTs), ...before, ts: 2_000 });
  expect(tape.append(trade(1_989, 1), 5_000)).toBeUndefined();
  expect(tape.append(trade(1_990, 4), 5_000)).toMatchObject({ ts: 2_000, venueTs: 1_990 });
  expect(tape.append(trade(4_000, 5), 5_000)).toMatchObject({ ts: 4_000 });
});

it('continues after a single trade that was dated into the future', () => {
  const tape = new CoinTape('hyperliquid');
  const before = { venue: 'hyperliquid', notionalUsd: 100, sameOrder: false };
  tape.restore({ ...trade(3_602_000, 1), ...before, ts: 2_000 });
  expect(tape.append(trade(2_500, 2), 2_600)).toMatchObject({ ts: 2_500 });
});

it('knows a trade for a minute, however many come, and of a quiet coin for as long as it takes for a thousand', () => {
  const busy = new CoinTape('hyperliquid');
  const quiet = new CoinTape('hyperliquid');
  const first = trade(1_000_000, 1);
  for (const tape of [busy, quiet]) expect(tape.append(first, 1_000_000)).toBeDefined();
  for (let i = 1; i <= 180_000; i += 1) {
    const ts = 1_000_000 + Math.floor(i / 3);
    busy.append(trade(ts, i + 1), ts);
    if (i % 180 === 0) quiet.append(trade(ts + i * 100, i + 1), ts + i * 100);
  }
  // 3,000 a second for a minute, and a thousand in five hours.
  expect(busy.knows(first)).toBe(true);
  expect(quiet.knows(first)).toBe(true);
  for (let i = 0; i < 10_000; i += 1) busy.append(trade(1_200_000 + 20 * i, 300_000 + i), 1_200_000 + 20 * i);
  expect(busy.knows(first)).toBe(false);
});
