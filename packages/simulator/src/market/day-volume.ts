import { HOUR_MS } from '@crosstape/core';
import type { Arrivals } from './arrivals.ts';
import { BLOCK_MS, SLOT_MS } from './blocks.ts';
import type { CoinMarket } from './coin-market.ts';

const HOURS = 24;
/** One slot in this many is sampled. */
const STRIDE = 32;
/** Average fill in median orders; measured over a week. */
export const FILL_ORDERS = 2.95;

export interface Volume {
  readonly usd: number;
  readonly coins: number;
}

/**
 * Expected volume of the last 24 hours, from the market's activity: within a few per cent of the sum of the trades,
 * without generating a day of them. Whole hours are cached.
 */
export class DayVolume {
  readonly #market: CoinMarket;
  readonly #arrivals: Arrivals;
  readonly #hours = new Map<number, Volume>();

  constructor(market: CoinMarket, arrivals: Arrivals) {
    this.#market = market;
    this.#arrivals = arrivals;
  }

  at(atMs: number): Volume {
    const hour = Math.floor(atMs / HOUR_MS);
    const passed = atMs / HOUR_MS - hour;
    const current = this.between(hour * HOUR_MS, atMs);
    let { usd, coins } = current;
    for (let back = 1; back <= HOURS; back += 1) {
      const volume = this.#hourly(hour - back);
      // The oldest hour leaves as the current one enters.
      const share = back === HOURS ? 1 - passed : 1;
      usd += share * volume.usd;
      coins += share * volume.coins;
    }
    return { usd, coins };
  }

  #hourly(hour: number): Volume {
    let volume = this.#hours.get(hour);
    if (!volume) {
      volume = this.between(hour * HOUR_MS, (hour + 1) * HOUR_MS);
      if (this.#hours.size > 2 * HOURS) this.#hours.clear();
      this.#hours.set(hour, volume);
    }
    return volume;
  }

  /** For any span of at least some minutes. */
  between(fromMs: number, toMs: number): Volume {
    const market = this.#market;
    const end = Math.floor(toMs / SLOT_MS);
    let fills = 0;
    for (let slot = Math.floor(fromMs / SLOT_MS); slot < end; slot += STRIDE) {
      const trades = STRIDE * this.#arrivals.expectedTrades(market, slot);
      // In a storm the book is thinner and a fill smaller.
      fills += trades * (0.5 + 0.5 * market.path.turbulence) ** -0.4;
    }
    let usd = fills * market.orderUsd * FILL_ORDERS;
    market.moveTo(Math.floor(fromMs / BLOCK_MS));
    const { index } = market;
    for (const cascade of market.cascades.between(
      Math.floor(fromMs / BLOCK_MS),
      Math.floor(toMs / BLOCK_MS),
    )) {
      usd += cascade.openInterestShare * market.usualOpenInterestAt(fromMs) * index;
    }
    return { usd, coins: usd / index };
  }
}
