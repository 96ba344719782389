import { type Clock, type CoinUnits, type Print, roundTo, type Timer, type Trade } from '@crosstape/core';

/** How long the last fill of a coin waits for another of its order: a venue's block, with room. */
const FILL_WAIT_MS = 250;
const PRICE_FIGURES = 12;
const SIZE_DECIMALS = 8;

/** Prints that end while nothing follows are looked for at most this often. */
const LOOK_EVERY_MS = 25;

/** The newest print of a coin. */
interface LastPrint {
  readonly coin: string;
  /** Absent once the print has ended. */
  first: Trade | undefined;
  size: number;
  notionalUsd: number;
  fills: number;
  dueMs: number;
}

export interface PrintsOptions {
  readonly clock: Clock;
  readonly emit: (print: Print) => void;
  /** Prints of a coin that are not emitted, by their value; most are small. */
  readonly isSkipped?: (coin: string, notionalUsd: number) => boolean;
  /** Converts prices and sizes to coins, if trades are in another unit. Only emitted prints are converted. */
  readonly unitsOf?: (coin: string) => CoinUnits | undefined;
}

/**
 * Joins the fills of one taker order into one print. Fills of an order are adjacent on the coin's tape (`sameOrder`),
 * so a print ends with the first trade that is not its own, or when nothing follows for a while.
 */
export class Prints {
  readonly #options: PrintsOptions;
  /** One for each coin, reused: thousands of prints a second begin and end. */
  readonly #last = new Map<string, LastPrint>();
  /** One for all. */
  #waiting: Timer | undefined;

  constructor(options: PrintsOptions) {
    this.#options = options;
  }

  /** `coin`, `notionalUsd`: where they are others than the trade's own. */
  add(trade: Trade, coin = trade.coin, notionalUsd = trade.notionalUsd): void {
    let print = this.#last.get(coin);
    if (!print) {
      print = { coin, first: undefined, size: 0, notionalUsd: 0, fills: 0, dueMs: 0 };
      this.#last.set(coin, print);
    }
    if (print.first && trade.sameOrder) {
      print.size += trade.size;
      print.notionalUsd += notionalUsd;
      print.fills += 1;
      return;
    }
    this.#finish(print);
    print.first = trade;
    print.size = trade.size;
    print.notionalUsd = notionalUsd;
    print.fills = 1;
    print.dueMs = this.#options.clock.now() + FILL_WAIT_MS;
    if (!this.#waiting) this.#wait(FILL_WAIT_MS);
  }

  /** Emits open prints; for a shutdown. */
  flush(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    for (const print of this.#last.values()) this.#finish(print);
  }

  #wait(forMs: number): void {
    this.#waiting = this.#options.clock.after(forMs, () => this.#finishDue());
  }

  #finishDue(): void {
    this.#waiting = undefined;
    const nowMs = this.#options.clock.now();
    let nextMs = Infinity;
    for (const print of this.#last.values()) {
      if (!print.first) continue;
      // A clock that was set back does not keep them waiting.
      const leftMs = Math.min(print.dueMs - nowMs, FILL_WAIT_MS);
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
      else this.#finish(print);
    }
    if (nextMs < Infinity) this.#wait(Math.max(nextMs, LOOK_EVERY_MS));
  }

  /** Ends a print, unless it has ended. */
  #finish(print: LastPrint): void {
    const { emit, isSkipped, unitsOf } = this.#options;
    const { coin, first, notionalUsd, fills } = print;
    print.first = undefined;
    if (!first || isSkipped?.(coin, notionalUsd)) return;
    const units = unitsOf?.(coin);
    const price = units ? units.price(first.price) : first.price;
    const size = units ? units.size(print.size) : print.size;
    emit(printOf({ ...first, coin, price }, { size, notionalUsd, fills }));
  }
}

/** The total of an order's fills. */
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

/** Trades of a coin that may belong to a print that was not published yet. */
const RESUMED_TRADES_MAX = 500;

/** The newest of the published trades of a coin, from the first fill of an order on. */
export function lastOrdersOf(published: readonly Trade[]): readonly Trade[] {
  const recent = published.slice(-RESUMED_TRADES_MAX);
  const first = recent.findIndex(({ sameOrder }) => !sameOrder);
  return first === -1 ? [] : recent.slice(first);
}

/** Distinguishes a print from every other of its venue. */
export function printName({ coin, ts, tid }: Print): string {
  return `${coin} ${ts} ${tid}`;
}
