import { type Side, seededRandom, type Trade } from '@crosstape/core';
import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pollsOf, tapeOf } from './inferred-liquidations.fixture.ts';
import { createLiquidationInference, type InferredLiquidation } from './inferred-liquidations.ts';
import { OrderSizes } from './order-sizes.ts';

const T0 = Date.UTC(2026, 10, 16);
const POLL_MS = 30_000;
const POLLS = 400;
/** When the newest of the ordinary polls was made. */
const NOW = T0 + POLLS * POLL_MS;
const PRICE = 100;
const OPEN_COINS = 1_000_000;

interface Sweep {
  readonly atMs?: number;
  readonly side?: Side;
  readonly levels: number;
  /** How rare its size is. */
  readonly perDay: number;
}

/** A rule that has seen hours of ordinary orders and polls. */
function seasoned(options: { readonly withPolls: boolean } = { withPolls: true }) {
  const inferred: InferredLiquidation[] = [];
  const rule = createLiquidationInference({ emit: (liquidation) => inferred.push(liquidation) });
  const sizes = new OrderSizes();
  const random = seededRandom(5);
  let tid = 0;
  const trade = (over: Partial<Trade>): void => {
    const [price, size] = [over.price ?? PRICE, over.size ?? 1];
    tid += 1;
    rule.trade({
      coin: 'ABC',
      venue: 'hyperliquid',
      side: 'buy',
      notionalUsd: price * size,
      ts: NOW,
      tid,
      sameOrder: false,
      ...over,
      price,
      size,
    });
    if (over.sameOrder !== true) sizes.add(price * size, over.ts ?? NOW);
  };
  const poll = (atMs: number, coins: number): void => rule.openInterest('ABC', coins, atMs);
  for (let i = 0; i <= POLLS; i += 1) {
    const atMs = T0 + i * POLL_MS;
    if (options.withPolls) poll(atMs, OPEN_COINS + (i % 2));
    for (let k = 1; k < 6 && i < POLLS; k += 1) {
      const bell = random() + random() + random() + random() + random() + random() - 3;
      trade({ ts: atMs + k * 4000, size: 10 * Math.exp(1.5 * bell) });
    }
  }
  /** The size in coins that the given number of orders a day reach. */
  const sizeOf = (perDay: number): number => {
    let [low, high] = [1, 1e6];
    for (let i = 0; i < 60; i += 1) {
      const middle = Math.sqrt(low * high);
      if (sizes.perDay(middle * PRICE)! > perDay) low = middle;
      else high = middle;
    }
    return high;
  };
  /** Fills evenly at a number of adjacent prices. Returns its size. */
  const sweep = ({ atMs = NOW + 10_000, side = 'sell', levels, perDay }: Sweep): number => {
    const size = sizeOf(perDay);
    for (let i = 0; i < levels; i += 1) {
      trade({ ts: atMs, side, size: size / levels, price: PRICE - i * 1e-7, sameOrder: i > 0 });
    }
    return size;
  };
  return { inferred, trade, poll, sweep, sizeOf };
}

/** The liquidations inferred from one sweep between two polls when open interest falls by a share of its size. */
function inferredFrom(sweep: Sweep, fallShare: number): readonly InferredLiquidation[] {
  const scene = seasoned();
  const size = scene.sweep(sweep);
  scene.poll(NOW + POLL_MS, OPEN_COINS - fallShare * size);
  scene.trade({ ts: NOW + POLL_MS + 1 });
  return scene.inferred;
}

describe('a sweep that is followed by a fall of open interest', () => {
  it('is emitted with the evidence for it', () => {
    const [one, ...others] = inferredFrom({ levels: 6, perDay: 10, side: 'sell' }, 1);
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      coin: 'ABC',
      venue: 'hyperliquid',
      side: 'sell',
      inferred: true,
      ts: NOW + 10_000,
      tid: POLLS * 5 + 1,
      levels: 6,
    });
    expect(one!.price).toBeCloseTo(PRICE, 4);
    expect(one!.notionalUsd).toBeCloseTo(one!.size * PRICE, 1);
    expect(one!.perDay).toBeGreaterThan(9);
    expect(one!.perDay).toBeLessThan(11);
    expect(one!.openInterestFall! / one!.size).toBeCloseTo(1, 1);
  });

  it('is a liquidation from four prices on', () => {
    expect(inferredFrom({ levels: 4, perDay: 10 }, 1)).toHaveLength(1);
    expect(inferredFrom({ levels: 3, perDay: 10 }, 1)).toEqual([]);
  });

  it('is a liquidation when no more than forty orders of its size come in a day', () => {
    expect(inferredFrom({ levels: 6, perDay: 38 }, 1)).toHaveLength(1);
    expect(inferredFrom({ levels: 6, perDay: 42 }, 1)).toEqual([]);
  });

  it('is a liquidation when the fall makes up six tenths of it', () => {
    expect(inferredFrom({ levels: 6, perDay: 10 }, 0.62)).toHaveLength(1);
    expect(inferredFrom({ levels: 6, perDay: 10 }, 0.58)).toEqual([]);
    expect(inferredFrom({ levels: 6, perDay: 10 }, -1)).toEqual([]);
  });

  it('counts prices, not fills', () => {
    const scene = seasoned();
    const size = scene.sizeOf(10);
    for (let i = 0; i < 8; i += 1) scene.trade({ ts: NOW + 1, size: size / 8, sameOrder: i > 0 });
    scene.poll(NOW + POLL_MS, OPEN_COINS - size);
    scene.poll(NOW + 2 * POLL_MS, OPEN_COINS - size);
    expect(scene.inferred).toEqual([]);
  });

  it('is not explained by an earlier fall, even if that is reported later', () => {
    const scene = seasoned();
    const size = scene.sweep({ levels: 6, perDay: 10, atMs: NOW + POLL_MS + 1 });
    scene.trade({ ts: NOW + POLL_MS + 1000 });
    scene.poll(NOW + POLL_MS, OPEN_COINS - size);
    scene.poll(NOW + 2 * POLL_MS, OPEN_COINS - size);
    scene.trade({ ts: NOW + 2 * POLL_MS + 1 });
    expect(scene.inferred).toEqual([]);
  });

  it('is emitted at the next poll when nothing trades after it', () => {
    const scene = seasoned();
    const size = scene.sweep({ levels: 6, perDay: 10 });
    scene.poll(NOW + POLL_MS, OPEN_COINS - size);
    expect(scene.inferred).toEqual([]);
    scene.poll(NOW + 2 * POLL_MS, OPEN_COINS - size);
    expect(scene.inferred).toHaveLength(1);
  });
});

describe('a fall of open interest', () => {
  it('is spent once: on the larger of two sweeps that it cannot both account for', () => {
    const scene = seasoned();
    const small = scene.sweep({ levels: 6, perDay: 20, atMs: NOW + 1000 });
    const large = scene.sweep({ levels: 6, perDay: 2, atMs: NOW + 2000 });
    scene.poll(NOW + POLL_MS, OPEN_COINS - large - 0.3 * small);
    scene.trade({ ts: NOW + POLL_MS + 1 });
    expect(scene.inferred.map(({ ts }) => ts)).toEqual([NOW + 2000]);
  });

  it('that accounts for both makes two, in the order of the tape', () => {
    const scene = seasoned();
    const small = scene.sweep({ levels: 6, perDay: 20, atMs: NOW + 1000 });
    const large = scene.sweep({ levels: 6, perDay: 2, atMs: NOW + 2000 });
    scene.poll(NOW + POLL_MS, OPEN_COINS - large - small);
    scene.trade({ ts: NOW + POLL_MS + 1 });
    expect(scene.inferred.map(({ ts }) => ts)).toEqual([NOW + 1000, NOW + 2000]);
  });
});

describe('a smaller order next to a liquidation', () => {
  const inferred = (company: Sweep, laterPolls = 0): number => {
    const scene = seasoned();
    const size = scene.sweep({ levels: 6, perDay: 10, side: 'sell' });
    let coins = OPEN_COINS - size;
    for (let i = 1; i <= laterPolls; i += 1) scene.poll(NOW + i * POLL_MS, coins);
    const beginMs = NOW + laterPolls * POLL_MS;
    coins -= scene.sweep({ ...company, atMs: beginMs + 12_000 });
    scene.poll(beginMs + POLL_MS, coins);
    scene.trade({ ts: beginMs + POLL_MS + 1 });
    return scene.inferred.length;
  };

  it('is one as well on the same side, from two prices and three hundred a day on', () => {
    expect(inferred({ side: 'sell', levels: 2, perDay: 280 })).toBe(2);
    expect(inferred({ side: 'sell', levels: 1, perDay: 280 })).toBe(1);
    expect(inferred({ side: 'sell', levels: 2, perDay: 330 })).toBe(1);
    expect(inferred({ side: 'buy', levels: 2, perDay: 280 })).toBe(1);
  });

  it('may come one poll later, and no more', () => {
    expect(inferred({ side: 'sell', levels: 2, perDay: 280 }, 1)).toBe(2);
    expect(inferred({ side: 'sell', levels: 2, perDay: 280 }, 2)).toBe(1);
  });
});

describe('without open interest', () => {
  const inferredBlind = (sweep: Sweep): number => {
    const scene = seasoned({ withPolls: false });
    scene.sweep(sweep);
    scene.trade({ ts: NOW + 20_000 });
    return scene.inferred.length;
  };

  it('a sweep needs five prices, and a size that comes fifteen times a day at most', () => {
    expect(inferredBlind({ levels: 5, perDay: 14 })).toBe(1);
    expect(inferredBlind({ levels: 4, perDay: 14 })).toBe(0);
    expect(inferredBlind({ levels: 5, perDay: 16 })).toBe(0);
  });

  it('the same holds when the next poll comes too late to be conclusive', () => {
    for (const [lateMs, inferred] of [
      [90_000, 0],
      [91_000, 1],
    ] as const) {
      const scene = seasoned();
      scene.sweep({ levels: 8, perDay: 5 });
      scene.poll(NOW + lateMs, OPEN_COINS);
      scene.poll(NOW + lateMs + POLL_MS, OPEN_COINS);
      expect(scene.inferred).toHaveLength(inferred);
      for (const liquidation of scene.inferred) expect(liquidation).not.toHaveProperty('openInterestFall');
    }
  });

  it('does not wait for polls that have stopped', () => {
    const scene = seasoned();
    scene.sweep({ levels: 8, perDay: 5 });
    scene.trade({ ts: NOW + 94_000 });
    expect(scene.inferred).toEqual([]);
    scene.trade({ ts: NOW + 96_000 });
    expect(scene.inferred).toHaveLength(1);
  });
});

describe('ignored orders', () => {
  it('infers nothing for a coin with too little history', () => {
    const inferred: InferredLiquidation[] = [];
    const rule = createLiquidationInference({ emit: (liquidation) => inferred.push(liquidation) });
    for (let i = 0; i < 100; i += 1) {
      const trade = { coin: 'NEW', venue: 'hyperliquid', side: 'buy', price: 1 + i / 1e6, tid: i } as const;
      rule.trade({ ...trade, size: 1e6, notionalUsd: 1e6, ts: T0 + i, sameOrder: i > 50 });
    }
    rule.trade({
      coin: 'NEW',
      venue: 'hyperliquid',
      side: 'buy',
      price: 1,
      size: 1,
      notionalUsd: 1,
      ts: T0 + 99_000,
      tid: 0,
      sameOrder: false,
    });
    expect(inferred).toEqual([]);
  });

  it('keeps the largest when more orders wait for a poll than there is room for', () => {
    const scene = seasoned();
    const size = scene.sweep({ levels: 6, perDay: 5, atMs: NOW + 1 });
    for (let i = 0; i < 200; i += 1) scene.sweep({ levels: 2, perDay: 250, atMs: NOW + 2 + i });
    scene.poll(NOW + POLL_MS, OPEN_COINS - size);
    scene.trade({ ts: NOW + POLL_MS + 1 });
    expect(scene.inferred.map(({ ts }) => ts)).toEqual([NOW + 1]);
  });

  it('takes no poll that comes within ten seconds of another', () => {
    for (const [soonMs, inferred] of [
      [9_999, 0],
      [10_000, 1],
    ] as const) {
      const scene = seasoned();
      const size = scene.sweep({ levels: 6, perDay: 10, atMs: NOW + 2000 });
      scene.poll(NOW + soonMs, OPEN_COINS - size);
      scene.poll(NOW + POLL_MS, OPEN_COINS);
      scene.trade({ ts: NOW + POLL_MS + 1 });
      expect(scene.inferred).toHaveLength(inferred);
    }
  });

  it('refuses open interest that is no number', () => {
    const rule = createLiquidationInference({ emit: () => undefined });
    expect(() => rule.openInterest('BTC', Number.NaN, T0)).toThrow(
      'open interest of BTC is a number, not NaN',
    );
  });
});

describe('the same tape and polls', () => {
  const stretch = { seed: 1, coin: 'HYPE', days: 1, cascades: true };
  const trades = [...tapeOf(stretch)].map(({ trade }) => trade);
  const polls = pollsOf(stretch);

  /** Each poll comes after the trades up to its time, plus an offset. */
  const inferred = (offsetOf: (i: number) => number): string[] => {
    const found: string[] = [];
    const rule = createLiquidationInference({ emit: (one) => found.push(JSON.stringify(one)) });
    let polled = 0;
    for (const trade of trades) {
      for (; polled < polls.length && polls[polled]!.atMs + offsetOf(polled) < trade.ts; polled += 1) {
        rule.openInterest(trade.coin, polls[polled]!.coins, polls[polled]!.atMs);
      }
      rule.trade(trade);
    }
    for (; polled < polls.length; polled += 1) {
      rule.openInterest(stretch.coin, polls[polled]!.coins, polls[polled]!.atMs);
    }
    return found;
  };
  const usual = inferred(() => 0);

  it('say the same however they interleave', () => {
    expect(usual.length).toBeGreaterThan(5);
    assert(
      property(integer(), (seed) => {
        const random = seededRandom(seed);
        const offsets = polls.map(() => Math.round((random() - 0.5) * 9_900));
        expect(inferred((i) => offsets[i]!)).toEqual(usual);
      }),
      { numRuns: 20 },
    );
  });
});
