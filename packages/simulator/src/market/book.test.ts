import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { impactPrice } from './book.ts';
import { BookSide } from './book-side.ts';
import { createMarket } from './market.ts';
import { priceAbove, priceBelow, tickAt } from './tick.ts';
import { TradeColumns } from './trade-columns.ts';

const T0 = Date.UTC(2026, 10, 17, 9);
const market = createMarket({ seed: 3, rate: 5 });

describe('a book', () => {
  it('is uncrossed, on the tick, best first, and deeper than nothing at every level', () => {
    for (const coin of market.coins.filter((one) => !one.isDelisted)) {
      const { bids, asks } = market.book(coin.name, T0, 20);
      expect(bids).toHaveLength(20);
      expect(asks).toHaveLength(20);
      expect(bids[0]!.price).toBeLessThan(asks[0]!.price);
      const dollar = 10 ** (6 - coin.sizeDecimals);
      for (const side of [bids.toReversed(), asks]) {
        for (const [i, level] of side.entries()) {
          const scaled = Math.round(level.price * dollar);
          expect(scaled % tickAt(scaled, dollar)).toBe(0);
          expect(level.size).toBeGreaterThan(0);
          expect(level.orders).toBeGreaterThan(0);
          if (i > 0) expect(level.price).toBeGreaterThan(side[i - 1]!.price);
        }
      }
    }
  });

  it('is where trades print: at its prices, beginning with the best, and never more than rests there', () => {
    const columns = new TradeColumns(1 << 16);
    for (const name of ['BTC', 'DOGE', 'ZEC', 'TRX']) {
      const decimals = market.coins.find((coin) => coin.name === name)!.sizeDecimals;
      market.fill(name, T0, T0 + 1_800_000, columns);
      expect(columns.length).toBeGreaterThan(20);
      for (let i = 0; i < columns.length; ) {
        const ts = columns.ts[i]!;
        const book = market.book(name, ts, 200);
        expect(book.ts).toBe(ts);
        const taken = new Map<number, number>();
        for (; i < columns.length && columns.ts[i] === ts; i += 1) {
          const price = columns.price[i]! / 10 ** (6 - decimals);
          const key = columns.isBuy[i] === 1 ? price : -price;
          taken.set(key, (taken.get(key) ?? 0) + columns.lots[i]!);
        }
        for (const [side, levels] of [
          [1, book.asks],
          [-1, book.bids],
        ] as const) {
          const keys = [...taken.keys()].filter((key) => Math.sign(key) === side);
          if (keys.length > 0) expect(keys).toContain(levels[0]!.price * side);
          for (const key of keys) {
            const level = levels.find((one) => one.price === key * side);
            if (!level) expect.fail(`${name}: nothing rests at ${key * side}`);
            expect(taken.get(key)).toBeLessThanOrEqual(Math.round(level.size * 10 ** decimals));
          }
        }
      }
    }
  });

  it('gives an impact price between the touch and the deepest level', () => {
    const { asks } = market.book('ETH', T0, 20);
    expect(impactPrice(asks, 1)).toBeCloseTo(asks[0]!.price, 6);
    expect(impactPrice(asks, 1e12)).toBeLessThan(asks.at(-1)!.price);
    expect(impactPrice(asks, 1e12)).toBeGreaterThan(asks[0]!.price);
  });
});

describe('a level', () => {
  it('is the sum of the orders in its line, each of a lot at least', () => {
    const side = new BookSide({ salt: 4, dollar: 100, isAsk: true });
    assert(
      property(integer({ min: 1, max: 1e9 }), integer({ min: 1, max: 50_000 }), (block, depthLots) => {
        side.open(100_000, block, depthLots);
        for (let level = 0; level < 5; level += 1) {
          const { lots, orders } = side;
          let [sum, count] = [0, 0];
          while (side.left > 0) {
            expect(side.head).toBeGreaterThanOrEqual(1);
            sum += side.head;
            count += 1;
            side.take(side.head);
          }
          expect([sum, count]).toEqual([lots, orders]);
          side.next();
          expect(side.level).toBe(level + 1);
        }
      }),
    );
  });
});

describe('the tick', () => {
  it('keeps five significant figures, allows whole dollars, and changes at a power of ten', () => {
    expect(tickAt(99_999, 100)).toBe(1);
    expect(tickAt(100_000, 100)).toBe(10);
    expect(tickAt(1_234_500, 10)).toBe(10);
    expect(priceAbove(99_999, 1e6)).toBe(100_000);
    expect(priceAbove(100_000, 1e6)).toBe(100_010);
    expect(priceBelow(100_000, 1e6)).toBe(99_999);
    expect(priceBelow(100_010, 1e6)).toBe(100_000);
  });
});
