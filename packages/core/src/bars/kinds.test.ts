import { describe, expect, it } from 'vitest';
import { createBuilder } from './bar-builder.ts';
import { closedBars, specOf, toColumns } from './random-builds.fixture.ts';

/** Builds bars from prices, one trade of size 1 every 100 ms, buys. Expectations are computed by hand. */
function build(kind: string, params: Record<string, unknown>, prices: readonly number[], tick = 1) {
  const trades = prices.map((price, i) => ({
    ts: 1000 + i * 100,
    price: BigInt(Math.round(price * 1e8)),
    size: 100_000_000n,
    isBuy: true,
  }));
  const builder = createBuilder(specOf(kind, params, tick));
  builder.add(toColumns(trades, { priceDecimals: 2, sizeDecimals: 0 }));
  return { closed: closedBars(builder), open: builder.open };
}

const shape = (bar: { open: number; close: number; direction: number; trades: number } | null) =>
  bar && [bar.open, bar.close, bar.direction, bar.trades];

const column = (bar: ReturnType<typeof build>['open']) => bar && [...(shape(bar) ?? []), bar['boxes']];

describe('time bars', () => {
  it('carry the times of their bucket and leave empty ones out', () => {
    const { closed, open } = build(
      'time',
      { intervalMs: 1000 },
      Array.from({ length: 11 }, () => 5),
    );
    expect(closed).toMatchObject([{ index: 0, openTs: 1000, closeTs: 1999, trades: 10 }]);
    expect(open).toMatchObject({ index: 1, openTs: 2000, closeTs: 2999, trades: 1 });
    const late = createBuilder(specOf('time', { intervalMs: 1000 }, 1));
    const trade = { price: 1n, size: 1n, isBuy: true };
    late.add(
      toColumns(
        [
          { ts: 1, ...trade },
          { ts: 7500, ...trade },
        ],
        { priceDecimals: 8, sizeDecimals: 8 },
      ),
    );
    expect(closedBars(late)).toMatchObject([{ openTs: 0, closeTs: 999 }]);
    expect(late.open).toMatchObject({ index: 1, openTs: 7000, closeTs: 7999 });
  });
});

describe('range bars', () => {
  it('let a bar reach its range, and begin the next with the trade beyond it', () => {
    const { closed, open } = build('range', { rangeTicks: 3 }, [10, 13, 11, 14, 14, 20]);
    expect(closed).toMatchObject([
      { open: 10, high: 13, low: 10, close: 11, trades: 3, openTs: 1000, closeTs: 1200, direction: 1 },
      { open: 14, high: 14, low: 14, close: 14, trades: 2, direction: 0 },
    ]);
    expect(open).toMatchObject({ open: 20, trades: 1 });
  });

  it('compare exactly where floats would not', () => {
    // 0.3 − 0.1 is above 0.2 in floats.
    expect(build('range', { rangeTicks: 2 }, [0.1, 0.3], 0.1).closed).toEqual([]);
    expect(build('range', { rangeTicks: 2 }, [0.1, 0.31], 0.1).closed).toHaveLength(1);
  });
});

describe('volume and delta bars', () => {
  it('close at the threshold exactly, where a float sum would miss it', () => {
    const tenth = { price: 100_000_000n, size: 10_000_000n, isBuy: true };
    const columns = toColumns(
      Array.from({ length: 10 }, (_, ts) => ({ ts, ...tenth })),
      { priceDecimals: 0, sizeDecimals: 1 },
    );
    for (const [kind, params] of [
      ['volume', { volume: 1 }],
      ['volume', { volume: 1, unit: 'usd' }],
      ['delta', { delta: 1 }],
      ['delta', { delta: 1, unit: 'usd' }],
    ] as const) {
      const builder = createBuilder(specOf(kind, params, 1));
      builder.add(columns);
      expect(closedBars(builder)).toMatchObject([{ trades: 10, volume: 1, buyVolume: 1, delta: 1 }]);
      expect(builder.open).toBeNull();
    }
  });

  it('never split a print', () => {
    const builder = createBuilder(specOf('volume', { volume: 1 }, 1));
    const trade = { price: 100_000_000n, size: 700_000_000n, isBuy: false };
    builder.add(
      toColumns(
        [
          { ts: 1, ...trade },
          { ts: 2, ...trade },
        ],
        { priceDecimals: 0, sizeDecimals: 0 },
      ),
    );
    expect(closedBars(builder)).toMatchObject([
      { volume: 7, buyVolume: 0, delta: -7, minDelta: -7, maxDelta: 0 },
      { volume: 7 },
    ]);
  });
});

describe('trend_reversal bars', () => {
  it('start without a direction, follow the trend, and turn', () => {
    const prices = [100, 102, 104, 104, 107, 106, 108, 110, 109, 107, 106, 103, 104, 106];
    const { closed, open } = build('trend_reversal', { trendTicks: 4, revTicks: 3 }, prices);
    expect(closed.map(shape)).toEqual([
      [100, 104, 1, 3], // 4 up from the open
      [104, 108, 1, 4], // 104 107 106 108: the dip of 1 does not turn it
      [110, 107, -1, 3], // 3 below the high of 110
      [106, 106, 1, 4], // 106 103 104 106: 3 above the low of 103
    ]);
    expect(open).toBeNull();
  });

  it('show the current direction on the open bar', () => {
    const { open } = build('trend_reversal', { trendTicks: 4, revTicks: 3 }, [100, 96, 97]);
    expect(shape(open)).toEqual([97, 97, -1, 1]);
    expect(shape(build('trend_reversal', { trendTicks: 4, revTicks: 3 }, [100, 103]).open)).toEqual([
      100, 103, 0, 2,
    ]);
  });

  it('can fall as far as they like against no direction before the way of the trend is done', () => {
    // Without a direction there is no reversal: only a full trend closes.
    expect(build('trend_reversal', { trendTicks: 4, revTicks: 1 }, [100, 97, 103, 100]).closed).toEqual([]);
  });
});

describe('pnf bars', () => {
  it('set the first direction by the first full box, and turn after the reversal', () => {
    const prices = [101.5, 102.9, 100.4, 103, 105.5, 103.4, 102, 99.5, 101, 102.9, 103];
    const { closed, open } = build('pnf', { boxTicks: 1, reversal: 3 }, prices);
    // First level 101; 102.9 is a full box above it.
    expect(closed.map(column)).toEqual([
      [101, 105, 1, 6, 5], // 101.5 … 105.5 and 103.4: 102 is the level three boxes below 105
      [104, 100, -1, 4, 5], // from one box below the top down to 99.5, whose level is 100; 102.9 does not turn it
    ]);
    expect(closed).toMatchObject([
      { high: 105.5, low: 100.4, closeTs: 1500 },
      { openTs: 1600, closeTs: 1900, high: 102.9, low: 99.5 },
    ]);
    expect(column(open)).toEqual([101, 103, 1, 1, 3]);
  });

  it('have direction 0 and one box before the first full one', () => {
    expect(column(build('pnf', { boxTicks: 5 }, [12, 14.99, 10, 5.01]).open)).toEqual([10, 10, 0, 4, 1]);
  });

  it('begin downwards when the first full box is below', () => {
    expect(column(build('pnf', { boxTicks: 5 }, [12, 5]).open)).toEqual([10, 5, -1, 2, 2]);
    expect(column(build('pnf', { boxTicks: 5 }, [12, 4.99]).open)).toEqual([10, 5, -1, 2, 2]);
    expect(column(build('pnf', { boxTicks: 5 }, [12, 0]).open)).toEqual([10, 0, -1, 2, 3]);
  });

  it('turn box by box with a reversal of 1', () => {
    const { closed, open } = build('pnf', { boxTicks: 1, reversal: 1 }, [10, 11, 10, 11, 8]);
    expect(closed.map(column)).toEqual([
      [10, 11, 1, 2, 2],
      [10, 10, -1, 1, 1],
      [11, 11, 1, 1, 1],
    ]);
    expect(column(open)).toEqual([10, 8, -1, 1, 3]);
  });

  it('keep exact levels where a box has more decimals than the prices', () => {
    expect(column(build('pnf', { boxTicks: 3, reversal: 1 }, [1, 2, 1.01], 0.125).open)).toEqual([
      1.5, 1.125, -1, 1, 2,
    ]);
  });

  it('never move when a box is beyond all prices', () => {
    expect(column(build('pnf', { boxTicks: 1_000_000 }, [1, 900], 1e300).open)).toEqual([0, 0, 0, 2, 1]);
  });

  it('say so when a price is too large for exact boxes', () => {
    expect(() => build('pnf', { boxTicks: 1 }, [1e9], 0.00000001)).toThrow('too large for exact boxes');
  });
});
