import { describe, expect, it } from 'vitest';
import { createMarket } from './market.ts';
import { tickAt } from './tick.ts';
import { TradeColumns } from './trade-columns.ts';

const T0 = Date.UTC(2026, 10, 16);
const DAY_MS = 86_400_000;
const market = createMarket({ seed: 11 });
const listed = market.coins.filter((coin) => !coin.isDelisted);

/** Calls `look` with the columns of each stretch of a range. */
function walk(coin: string, fromMs: number, toMs: number, look: (columns: TradeColumns) => void): void {
  const columns = new TradeColumns(1 << 16);
  for (let atMs = fromMs; atMs < toMs; ) {
    atMs = market.fill(coin, atMs, toMs, columns);
    look(columns);
  }
}

function countOf(coin: string, fromMs: number, toMs: number): number {
  let count = 0;
  walk(coin, fromMs, toMs, (columns) => {
    count += columns.length;
  });
  return count;
}

/** Log returns of the mid, one every so often. */
function returnsOf(coin: string, stepMs: number, count: number): number[] {
  const mids = Array.from({ length: count + 1 }, (_, i) => Math.log(market.quote(coin, T0 + i * stepMs).mid));
  return mids.slice(1).map((mid, i) => mid - mids[i]!);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  const cov = mean(a.map((value, i) => (value - ma) * (b[i]! - mb)));
  return cov / Math.sqrt(mean(a.map((v) => (v - ma) ** 2)) * mean(b.map((v) => (v - mb) ** 2)));
}

describe('the coins', () => {
  it('are at least forty on the main list, the big ones first, with delisted rows among them', () => {
    const main = market.coins.filter((coin) => coin.dex === '');
    expect(main.filter((coin) => !coin.isDelisted).length).toBeGreaterThanOrEqual(40);
    expect(main.filter((coin) => coin.isDelisted).map((coin) => coin.name)).toEqual(['MATIC', 'MKR']);
    expect(new Set(market.coins.map((coin) => coin.name)).size).toBe(market.coins.length);
    for (const name of ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'kPEPE', 'kBONK', 'HYPE']) {
      expect(main.map((coin) => coin.name)).toContain(name);
    }
  });

  it('are worth about two million trades of BTC in a week, and five million in all', () => {
    const total = listed.reduce((sum, coin) => sum + coin.tradesPerWeek, 0);
    expect(total).toBeGreaterThan(4.8e6);
    expect(total).toBeLessThan(5.3e6);
    const bitcoin = countOf('BTC', T0, T0 + 7 * DAY_MS);
    expect(bitcoin).toBeGreaterThan(1.6e6);
    expect(bitcoin).toBeLessThan(2.5e6);
  });

  it('trade as often as the rate says', () => {
    const columns = new TradeColumns(1 << 18);
    const slow = countOf('SOL', T0, T0 + 3_600_000);
    createMarket({ seed: 11, rate: 10 }).fill('SOL', T0, T0 + 3_600_000, columns);
    expect(columns.length / slow).toBeGreaterThan(8);
    expect(columns.length / slow).toBeLessThan(12);
  });
});

describe('prices and sizes', () => {
  it('lie on the tick and on the lot, whatever the coin', () => {
    for (const coin of listed) {
      const dollar = 10 ** (6 - coin.sizeDecimals);
      walk(coin.name, T0, T0 + DAY_MS / 4, (columns) => {
        for (let i = 0; i < columns.length; i += 1) {
          const price = columns.price[i]!;
          if (price % tickAt(price, dollar) !== 0 || !(columns.lots[i]! >= 1)) {
            expect.fail(`${coin.name}: price ${price}, lots ${columns.lots[i]}`);
          }
        }
      });
    }
  });

  it('have at most five significant figures, or are whole dollars', () => {
    walk('ETH', T0, T0 + 3_600_000, (columns) => {
      for (let i = 0; i < columns.length; i += 1) {
        const price = columns.price[i]! / 100;
        expect(Number(price.toPrecision(5)) === price || Number.isInteger(price)).toBe(true);
      }
    });
  });

  it('make returns with fat tails whose size clusters', () => {
    const returns = returnsOf('BTC', 60_000, 7 * 1440);
    const variance = mean(returns.map((r) => r * r));
    const kurtosis = mean(returns.map((r) => r ** 4)) / variance ** 2;
    expect(kurtosis).toBeGreaterThan(5);
    const sizes = returns.map(Math.abs);
    expect(correlation(sizes.slice(1), sizes.slice(0, -1))).toBeGreaterThan(0.1);
    expect(correlation(sizes.slice(60), sizes.slice(0, -60))).toBeGreaterThan(0.04);
    expect(Math.abs(correlation(returns.slice(1), returns.slice(0, -1)))).toBeLessThan(0.12);
    const daily = Math.sqrt(variance * 1440);
    expect(daily).toBeGreaterThan(0.008);
    expect(daily).toBeLessThan(0.06);
  });

  it('move together across coins', () => {
    const bitcoin = returnsOf('BTC', 300_000, 2016);
    expect(correlation(bitcoin, returnsOf('ETH', 300_000, 2016))).toBeGreaterThan(0.25);
    expect(correlation(bitcoin, returnsOf('SOL', 300_000, 2016))).toBeGreaterThan(0.25);
  });

  it('move more in the afternoon of a weekday than on a Sunday night', () => {
    const busy = countOf('ETH', Date.UTC(2026, 10, 16, 13), Date.UTC(2026, 10, 16, 17));
    const quiet = countOf('ETH', Date.UTC(2026, 10, 15, 3), Date.UTC(2026, 10, 15, 7));
    expect(busy).toBeGreaterThan(quiet);
  });
});

describe('orders', () => {
  it('come in bursts: counts per ten seconds vary far more than by chance alone', () => {
    const counts = Array.from({ length: 360 }, () => 0);
    walk('BTC', T0, T0 + 3_600_000, (columns) => {
      for (let i = 0; i < columns.length; i += 1) counts[Math.floor((columns.ts[i]! - T0) / 10_000)]! += 1;
    });
    const average = mean(counts);
    expect(mean(counts.map((count) => (count - average) ** 2)) / average).toBeGreaterThan(3);
  });

  it('sweep several levels: one taker, one side, one time, prices walking away, side by side on the tape', () => {
    let sweeps = 0;
    let orders = 0;
    let odd = 0;
    walk('SOL', T0, T0 + DAY_MS, (columns) => {
      const { ts, order, isBuy, taker, price } = columns;
      for (let i = 0; i < columns.length; i += 1) {
        if (i === 0 || order[i] !== order[i - 1]) {
          orders += 1;
          continue;
        }
        const step = price[i]! - price[i - 1]!;
        if (step !== 0) sweeps += 1;
        const isOne = ts[i] === ts[i - 1] && isBuy[i] === isBuy[i - 1] && taker[i] === taker[i - 1];
        if (!isOne || (isBuy[i] === 1 ? step < 0 : step > 0)) odd += 1;
      }
    });
    expect(odd).toBe(0);
    expect(sweeps / orders).toBeGreaterThan(0.01);
    expect(sweeps / orders).toBeLessThan(0.25);
  });

  it('of one block and side come from different takers, so that two are never taken for one', () => {
    let doubles = 0;
    walk('BTC', T0, T0 + 3_600_000, (columns) => {
      const seen = new Map<string, number>();
      for (let i = 0; i < columns.length; i += 1) {
        const key = `${columns.ts[i]} ${columns.taker[i]}`;
        if ((seen.get(key) ?? columns.order[i]) !== columns.order[i]) doubles += 1;
        seen.set(key, columns.order[i]!);
      }
    });
    expect(doubles).toBe(0);
  });

  it('have sizes spread like a log-normal: the mean far above the median', () => {
    const sizes: number[] = [];
    walk('ETH', T0, T0 + DAY_MS / 4, (columns) => {
      for (let i = 0; i < columns.length; i += 1) {
        if (i > 0 && columns.order[i] === columns.order[i - 1]) sizes[sizes.length - 1]! += columns.lots[i]!;
        else sizes.push(columns.lots[i]!);
      }
    });
    sizes.sort((a, b) => a - b);
    expect(mean(sizes) / sizes[sizes.length >> 1]!).toBeGreaterThan(2.5);
  });
});

describe('liquidation cascades', () => {
  const cascades = market.cascades('HYPE', T0, T0 + 7 * DAY_MS);

  it('are scheduled now and then, in both directions', () => {
    expect(cascades.length).toBeGreaterThan(15);
    expect(cascades.length).toBeLessThan(80);
    expect(new Set(cascades.map((cascade) => cascade.side))).toEqual(new Set(['buy', 'sell']));
  });

  it('are made of labelled sweeps on one side, push price their way, and take open interest down', () => {
    const worst = cascades.toSorted((a, b) => b.magnitude - a.magnitude)[0]!;
    const [fromMs, toMs] = [worst.startBlock * 128, worst.endBlock * 128 + 128];
    let forced = 0;
    walk('HYPE', fromMs, toMs, (columns) => {
      for (let i = 0; i < columns.length; i += 1) {
        if (columns.isLiquidation[i] !== 1) continue;
        forced += 1;
        expect(columns.isBuy[i] === 1 ? 'buy' : 'sell').toBe(worst.side);
      }
    });
    expect(forced).toBeGreaterThan(5);
    const move = Math.log(market.quote('HYPE', toMs).mid / market.quote('HYPE', fromMs).mid);
    expect(Math.sign(move)).toBe(Math.sign(worst.push));
    expect(market.openInterest('HYPE', toMs)).toBeLessThan(
      market.openInterest('HYPE', fromMs) * (1 - worst.openInterestShare / 2),
    );
  });

  it('label nothing outside of them, and nothing at all when they are off', () => {
    const labelled = new Set<number>();
    walk('HYPE', T0, T0 + DAY_MS, (columns) => {
      for (let i = 0; i < columns.length; i += 1) {
        if (columns.isLiquidation[i] === 1) labelled.add(Math.floor(columns.ts[i]! / 128));
      }
    });
    expect(labelled.size).toBeGreaterThan(0);
    const first = market.cascades('HYPE', T0 - DAY_MS / 12, T0 + DAY_MS);
    for (const block of labelled) {
      expect(first.some((one) => block >= one.startBlock && block < one.endBlock)).toBe(true);
    }
    const calm = createMarket({ seed: 11, cascades: false });
    expect(calm.cascades('HYPE', T0, T0 + 7 * DAY_MS)).toEqual([]);
    const columns = new TradeColumns(1 << 16);
    calm.fill('HYPE', T0, T0 + DAY_MS, columns);
    expect(columns.isLiquidation.subarray(0, columns.length).some((label) => label === 1)).toBe(false);
  });
});

describe('funding and volume', () => {
  it('pays the base rate while the premium is small, and follows it when it is not', () => {
    const hours = Array.from({ length: 7 * 24 }, (_, i) => T0 + i * 3_600_000);
    const bitcoin = hours.map((hourMs) => market.fundingPaid('BTC', hourMs).rate);
    expect(bitcoin.filter((rate) => Math.abs(rate - 0.0000125) < 1e-12).length).toBeGreaterThan(100);
    const wild = hours.map((hourMs) => market.fundingPaid('FARTCOIN', hourMs).rate);
    expect(wild.some((rate) => rate > 0.0000625)).toBe(true);
    expect(wild.some((rate) => rate < 0)).toBe(true);
    expect(wild.every((rate) => Math.abs(rate) <= 0.04)).toBe(true);
  });

  it('moves by half a basis point within thirty seconds somewhere in six hours', () => {
    let moves = 0;
    for (const coin of listed) {
      let before = market.funding(coin.name, T0).rate;
      for (let atMs = T0 + 30_000; atMs <= T0 + 6 * 3_600_000; atMs += 30_000) {
        const { rate } = market.funding(coin.name, atMs);
        if (Math.abs(rate - before) >= 0.00005) moves += 1;
        before = rate;
      }
    }
    expect(moves).toBeGreaterThan(3);
  });

  it('says a volume of the day within a fifth of what was traded', () => {
    for (const coin of listed.slice(0, 6)) {
      let usd = 0;
      walk(coin.name, T0, T0 + DAY_MS, (columns) => {
        for (let i = 0; i < columns.length; i += 1) usd += (columns.price[i]! * columns.lots[i]!) / 1e6;
      });
      const reported = market.volume24h(coin.name, T0 + DAY_MS);
      expect(reported.usd / usd).toBeGreaterThan(0.8);
      expect(reported.usd / usd).toBeLessThan(1.2);
    }
  });
});
