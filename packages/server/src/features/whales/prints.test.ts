import { ManualClock, type Print, type Trade } from '@crosstape/core';
import { expect, it } from 'vitest';
import { Prints } from './prints.ts';

function setUp(): { clock: ManualClock; prints: Prints; emitted: Print[] } {
  const clock = new ManualClock(1_000);
  const emitted: Print[] = [];
  return { clock, emitted, prints: new Prints({ clock, emit: (print) => emitted.push(print) }) };
}

function fill(part: Partial<Trade>): Trade {
  const { price = 100, size = 1 } = part;
  const plain = {
    coin: 'BTC',
    venue: 'hyperliquid',
    side: 'buy' as const,
    ts: 1_000,
    tid: 1,
    sameOrder: false,
  };
  return { ...plain, price, size, notionalUsd: price * size, ...part };
}

it('sums the fills of an order and weights its price by volume', () => {
  const { prints, emitted } = setUp();
  prints.add(fill({ tid: 1, price: 100, size: 1 }));
  prints.add(fill({ tid: 2, price: 101, size: 3, sameOrder: true }));
  expect(emitted).toEqual([]);
  prints.add(fill({ tid: 3, side: 'sell', ts: 1_005 }));
  expect(emitted).toEqual([
    {
      coin: 'BTC',
      venue: 'hyperliquid',
      side: 'buy',
      price: 100.75,
      size: 4,
      notionalUsd: 403,
      ts: 1_000,
      tid: 1,
      fills: 2,
    },
  ]);
});

it('ends a print that nothing follows', () => {
  const { clock, prints, emitted } = setUp();
  prints.add(fill({}));
  clock.advance(249);
  expect(emitted).toHaveLength(0);
  clock.advance(1);
  expect(emitted).toHaveLength(1);
  clock.advance(10_000);
  expect(emitted).toHaveLength(1);
});

it('keeps the orders of different coins apart', () => {
  const { prints, emitted } = setUp();
  prints.add(fill({ tid: 1 }));
  prints.add(fill({ coin: 'ETH', tid: 2 }));
  prints.add(fill({ tid: 3, sameOrder: true }));
  prints.flush();
  expect(emitted.map(({ coin, fills }) => [coin, fills])).toEqual([
    ['BTC', 2],
    ['ETH', 1],
  ]);
});

it('starts a print with a fill whose order it has already ended', () => {
  const { clock, prints, emitted } = setUp();
  prints.add(fill({ tid: 1 }));
  clock.advance(300);
  prints.add(fill({ tid: 2, sameOrder: true }));
  prints.flush();
  expect(emitted.map(({ tid }) => tid)).toEqual([1, 2]);
});
