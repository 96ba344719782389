import type { TickColumns } from '../ticks/tick-columns.ts';
import { DECIMALS_MAX, tens } from './scale.ts';

/** What was traded at one price: `[price, bought, sold]`, in coins. */
export type FootprintLevel = readonly [price: number, buyVolume: number, sellVolume: number];

/** The volume at each price of one bar. */
export interface FootprintTotals {
  /** Lowest price first. */
  readonly levels: readonly FootprintLevel[];
  /** The price with the most volume, the lower one of two equal; null if there is none. */
  readonly poc: number | null;
  /** Bought minus sold. */
  readonly delta: number;
  readonly volume: number;
}

interface Level {
  bought: number;
  sold: number;
}

/** Sums the volume at each price in integers, so that every sum prints its exact decimals. */
export class Footprint {
  /** By price; a coin's prices of a day are thousands at most, because venues allow five digits. */
  readonly #levels = new Map<number, Level>();
  #sizeDecimals = 0;

  /** Adds the trades [from, to) of the columns. */
  add(columns: TickColumns, from = 0, to = columns.length): void {
    const { price, size, isBuy, priceDecimals, sizeDecimals } = columns;
    this.#fit(sizeDecimals);
    const perPrice = 10 ** priceDecimals;
    const factor = tens[this.#sizeDecimals - sizeDecimals]!;
    for (let i = from; i < to; i += 1) {
      const key = price[i]! / perPrice;
      let level = this.#levels.get(key);
      if (!level) this.#levels.set(key, (level = { bought: 0, sold: 0 }));
      const scaled = size[i]! * factor;
      if (isBuy[i] === 1) level.bought += scaled;
      else level.sold += scaled;
      if (!Number.isSafeInteger(level.bought) || !Number.isSafeInteger(level.sold)) {
        throw new RangeError('the volume at a price is too large to be kept exactly');
      }
    }
  }

  clear(): void {
    this.#levels.clear();
    this.#sizeDecimals = 0;
  }

  totals(): FootprintTotals {
    const perSize = tens[this.#sizeDecimals]!;
    const rows = [...this.#levels].toSorted(([a], [b]) => a - b);
    let poc: number | null = null;
    let most = -1;
    let bought = 0;
    let sold = 0;
    for (const [price, level] of rows) {
      bought += level.bought;
      sold += level.sold;
      if (level.bought + level.sold <= most) continue;
      most = level.bought + level.sold;
      poc = price;
    }
    return {
      levels: rows.map(([price, level]) => [price, level.bought / perSize, level.sold / perSize]),
      poc,
      delta: (bought - sold) / perSize,
      volume: (bought + sold) / perSize,
    };
  }

  /** Decimals only ever grow within a bar; earlier numbers are converted to the new ones. */
  #fit(sizeDecimals: number): void {
    if (!(Number.isInteger(sizeDecimals) && sizeDecimals >= 0 && sizeDecimals <= DECIMALS_MAX)) {
      throw new RangeError(`sizes have 0 to ${DECIMALS_MAX} decimals, not ${sizeDecimals}`);
    }
    if (sizeDecimals <= this.#sizeDecimals) return;
    const factor = tens[sizeDecimals - this.#sizeDecimals]!;
    for (const level of this.#levels.values()) {
      level.bought *= factor;
      level.sold *= factor;
    }
    this.#sizeDecimals = sizeDecimals;
  }
}
