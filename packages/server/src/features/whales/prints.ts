import { type Clock, type Print, roundTo, type Timer, type Trade } from '@crosstape/core';

/** How long the last fill of a coin waits for another of its order: a venue's block, with room. */
const FILL_WAIT_MS = 250;
const PRICE_FIGURES = 12;
const SIZE_DECIMALS = 8;

interface OpenPrint {
  readonly first: Trade;
  size: number;
  notionalUsd: number;
  fills: number;
  waiting: Timer;
}

export interface PrintsOptions {
  readonly clock: Clock;
  readonly emit: (print: Print) => void;
}

/**
 * Joins the fills of one taker order into one print. Fills of an order are neighbours on the coin's tape
 * (`sameOrder`), so a print ends with the first trade that is not its own, or when nothing follows for a while.
 */
export class Prints {
  readonly #clock: Clock;
  readonly #emit: (print: Print) => void;
  readonly #open = new Map<string, OpenPrint>();

  constructor({ clock, emit }: PrintsOptions) {
    this.#clock = clock;
    this.#emit = emit;
  }

  add(trade: Trade): void {
    const open = this.#open.get(trade.coin);
    if (open && trade.sameOrder) {
      open.size += trade.size;
      open.notionalUsd += trade.notionalUsd;
      open.fills += 1;
      return;
    }
    if (open) this.#finish(open);
    this.#open.set(trade.coin, {
      first: trade,
      size: trade.size,
      notionalUsd: trade.notionalUsd,
      fills: 1,
      waiting: this.#clock.after(FILL_WAIT_MS, () => this.#finishCoin(trade.coin)),
    });
  }

  /** Emits what is still open; for a shutdown. */
  flush(): void {
    for (const open of this.#open.values()) this.#finish(open);
  }

  #finishCoin(coin: string): void {
    const open = this.#open.get(coin);
    if (open) this.#finish(open);
  }

  #finish(open: OpenPrint): void {
    open.waiting.cancel();
    this.#open.delete(open.first.coin);
    this.#emit(printOf(open.first, open));
  }
}

/** What the fills of an order add up to. */
export interface Fills {
  readonly size: number;
  readonly notionalUsd: number;
  readonly fills: number;
}

/** The print of an order that began with this trade. */
export function printOf(
  { coin, venue, side, price, ts, tid }: Omit<Trade, 'size' | 'notionalUsd' | 'sameOrder'>,
  { size, notionalUsd, fills }: Fills,
): Print {
  return {
    coin,
    venue,
    side,
    price: fills === 1 ? price : Number((notionalUsd / size).toPrecision(PRICE_FIGURES)),
    size: roundTo(size, SIZE_DECIMALS),
    notionalUsd: roundTo(notionalUsd, 2),
    ts,
    tid,
    fills,
  };
}
