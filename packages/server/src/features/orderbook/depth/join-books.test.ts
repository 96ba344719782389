import type { RoundedBook } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { depthWithin } from './depth-within.ts';
import { joinBooks } from './join-books.ts';
import { type DepthSide, type DepthSnapshot, midOf, timesTen } from './recorded-depth.ts';

type Levels = RoundedBook['bids'];

function book(figures: number, bids: Levels, asks: Levels, levelsMax = 2): RoundedBook {
  return { coin: 'BTC', symbol: 'BTC', figures, venueTs: 1, levelsMax, bids, asks };
}

/** What rests at each price of a real book, rounded as the venue does. */
function roundedTo(figures: number, orders: { readonly bids: Levels; readonly asks: Levels }): RoundedBook {
  const levelsMax = 20;
  const gather = (levels: Levels, round: (x: number) => number): Levels => {
    const sums = new Map<number, number>();
    for (const [price, size] of levels) {
      const exponent = Math.floor(Math.log10(price)) + 1 - figures;
      const rounded = Number(
        (round(Number((price / 10 ** exponent).toFixed(6))) * 10 ** exponent).toFixed(8),
      );
      sums.set(rounded, (sums.get(rounded) ?? 0) + size);
    }
    return [...sums].slice(0, levelsMax);
  };
  return book(figures, gather(orders.bids, Math.floor), gather(orders.asks, Math.ceil), levelsMax);
}

/** One coin at each tick. */
function ladder(mid: number, tick: number) {
  const count = Math.ceil((mid * 0.12) / tick);
  const side = (sign: 1 | -1): Levels =>
    Array.from({ length: count }, (_, i) => [Number((mid + sign * (i + 0.5) * tick).toFixed(6)), 1] as const);
  return { bids: side(-1), asks: side(1) };
}

/** Levels of a side in prices and coins. */
const priced = ({ levels }: DepthSide, { stepExponent, unitExponent }: DepthSnapshot) =>
  levels.map(({ price, width, size }) => [
    timesTen(price, stepExponent),
    timesTen(width, stepExponent),
    timesTen(size, unitExponent),
  ]);

describe('books of several roundings', () => {
  it('are one: narrow levels near the mid, and beyond them the rest of the wider ones', () => {
    const joined = joinBooks(60_000, [
      book(
        4,
        [
          [1234, 1000],
          [1233, 2000],
        ],
        [
          [1235, 500],
          [1236, 500],
        ],
      ),
      book(
        3,
        [
          [1230, 5000],
          [1220, 4000],
        ],
        [
          [1240, 1000],
          [1250, 3000],
        ],
      ),
    ]);
    expect(joined).toMatchObject({ t: 60_000, stepExponent: 0, unitExponent: -1 });
    expect(priced(joined!.bids, joined!)).toEqual([
      [1234, 1, 1000],
      [1233, 1, 2000],
      // Of the 5,000 at 1,230 to 1,239, 3,000 are in the levels before it.
      [1230, 10, 2000],
      [1220, 10, 4000],
    ]);
    // Nothing of the level to 1,240 is beyond 1,236.
    expect(priced(joined!.asks, joined!)).toEqual([
      [1235, 1, 500],
      [1236, 1, 500],
      [1250, 10, 3000],
    ]);
    expect(midOf(joined!)).toBe(1234.5);
  });

  it('end where a book has fewer levels than the venue may send', () => {
    const joined = joinBooks(0, [
      book(
        4,
        [[1234, 1]],
        [
          [1235, 1],
          [1236, 1],
        ],
      ),
      book(3, [[1230, 9]], [[1240, 2]]),
    ]);
    expect(joined!.bids).toMatchObject({ isCut: false, levels: [{ price: 1234 }] });
    expect(joined!.asks.isCut).toBe(false);
  });

  it('have nothing more of a wide level that the narrow ones cover, as if it were from another time', () => {
    const fine = book(
      4,
      [
        [1231, 1],
        [1230, 1],
      ],
      [
        [1239, 1],
        [1240, 1],
      ],
    );
    const coarse = book(
      3,
      [
        [1230, 500],
        [1220, 4],
      ],
      [
        [1240, 500],
        [1250, 3],
      ],
    );
    const { bids, asks } = joinBooks(0, [fine, coarse])!;
    expect(bids.levels.map(({ price, width }) => [price, width])).toEqual([
      [1231, 1],
      [1230, 1],
      [1220, 10],
    ]);
    expect(asks.levels.map(({ price }) => price)).toEqual([1239, 1240, 1250]);
  });

  it('have nothing less than nothing of a wide level that is from another time', () => {
    const { bids } = joinBooks(0, [
      book(
        4,
        [
          [1234, 1],
          [1233, 2],
        ],
        [[1235, 1]],
      ),
      book(3, [[1230, 2]], [[1240, 1]]),
    ])!;
    expect(bids.levels.map(({ price, size }) => [price, size])).toEqual([
      [1234, 10_000],
      [1233, 20_000],
    ]);
  });

  it('leave out what is less than half a unit, except at the end', () => {
    const { unitExponent, bids, asks } = joinBooks(0, [
      book(
        4,
        [
          [1234, 1e6],
          [1233, 1],
          [1232, 5e3],
        ],
        [
          [1235, 5e3],
          [1236, 1],
        ],
      ),
    ])!;
    expect(unitExponent).toBe(2);
    expect(bids.levels.map(({ price, size }) => [price, size])).toEqual([
      [1234, 10_000],
      [1232, 50],
    ]);
    expect(asks.levels.map(({ price, size }) => [price, size])).toEqual([
      [1235, 50],
      [1236, 0],
    ]);
  });

  it('have an ask at a power of ten from below it, and a bid from above', () => {
    const { bids, asks, stepExponent } = joinBooks(0, [
      book(4, [[1000, 1]], [[1001, 1]]),
      book(3, [[1000, 2]], [[1010, 2]]),
    ])!;
    expect([stepExponent, bids.levels[0]?.width, asks.levels[0]?.width]).toEqual([0, 1, 1]);
    const below = joinBooks(0, [book(4, [[999.8, 1]], [[1000, 1]])])!;
    expect([below.stepExponent, below.asks.levels[0]]).toEqual([
      -1,
      { price: 10_000, width: 1, size: 10_000 },
    ]);
  });

  it('are missing while a side is empty', () => {
    expect(joinBooks(0, [book(4, [], [[1235, 1]])])).toBeUndefined();
    expect(joinBooks(0, [book(4, [[1234, 1]], [])])).toBeUndefined();
    expect(joinBooks(0, [])).toBeUndefined();
  });

  it('keep nothing further than a fortieth of the price, except the first level there', () => {
    const { bids, asks } = joinBooks(0, [roundedTo(4, ladder(1500, 0.5)), roundedTo(3, ladder(1500, 0.5))])!;
    expect(bids.levels.at(-1)!.price).toBe(1460);
    expect(asks.levels.at(-1)!.price).toBe(1540);
    expect([bids.isCut, asks.isCut]).toEqual([true, true]);
  });

  it.each([1.1, 1.5, 2, 3.3, 4.9, 6.4, 8, 9.4, 10, 10.05])('reach two percent of a price of %d', (price) => {
    for (const [mid, tick] of [
      [price, 0.0001],
      [price * 10_000, 1],
    ] as const) {
      const orders = ladder(mid, tick);
      const joined = joinBooks(
        0,
        [5, 4, 3].map((figures) => roundedTo(figures, orders)),
      )!;
      for (const { percent, bids, asks, imbalance } of depthWithin(joined)) {
        // One coin at each tick.
        const expected = ((mid * percent) / 100 / tick) * mid;
        expect(Math.abs(bids! / expected - 1), `${percent} % of bids`).toBeLessThan(0.06);
        expect(Math.abs(asks! / expected - 1), `${percent} % of asks`).toBeLessThan(0.06);
        expect(Math.abs(imbalance!)).toBeLessThan(0.05);
      }
    }
  });

  it('have no depth where the levels end before it', () => {
    const orders = ladder(3.3, 0.0001);
    const [near, ...further] = depthWithin(joinBooks(0, [roundedTo(4, orders)])!);
    expect(near!.bids).toBeGreaterThan(0);
    expect(further.map(({ bids, asks, imbalance }) => [bids, asks, imbalance])).toContainEqual([
      null,
      null,
      null,
    ]);
    // Where the whole book is known, there is nothing further out.
    const whole = depthWithin(joinBooks(0, [book(4, [[1234, 1]], [[1235, 3]])])!);
    expect(whole.map(({ bids }) => bids)).toEqual([1234, 1234, 1234, 1234]);
    expect(whole[0]!.imbalance).toBeCloseTo((1234 - 3705) / (1234 + 3705), 4);
  });
});
