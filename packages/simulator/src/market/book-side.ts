import { logNormalTable, mix, uniformOf } from './noise.ts';
import { priceAbove, priceBelow } from './tick.ts';

const DEPTH_FACTORS = logNormalTable(0.8);
/** A price keeps its resting size for 2^6 blocks, about eight seconds, each at its own beat. */
const RESTING_BITS = 6;
/** Size grows with the distance from the touch, by this part of the touch's for each level, up to the last one named. */
const GROWTH = 0.3;
const GROWTH_LEVELS = 30;
/** One in eight prices behind the touch has no order. */
const EMPTY_MASK = 7;

/**
 * One side of a book, walked from the touch outwards. The size at a price is a hash of the price and the moment, so a
 * taker's order and a snapshot see the same book.
 */
export class BookSide {
  readonly #salt: number;
  readonly #dollar: number;
  readonly #isAsk: boolean;
  #block = 0;
  #depthLots = 0;

  /** Scaled price of the current level. */
  price = 0;
  /** 0 at the touch. */
  level = 0;
  /** Resting at the level. */
  lots = 0;
  /** Lots not yet taken by the walk. */
  left = 0;
  /** How many orders make up the level. */
  orders = 0;
  /** Number of remaining orders, and what is left of the first. */
  line = 0;
  head = 0;
  /** Identifies the resting order for as long as it rests. */
  resting = 0;

  constructor(options: { salt: number; dollar: number; isAsk: boolean }) {
    this.#salt = options.salt ^ (options.isAsk ? 0x0a5c : 0);
    this.#dollar = options.dollar;
    this.#isAsk = options.isAsk;
  }

  /** Steps onto the touch. */
  open(price: number, block: number, depthLots: number): void {
    this.price = price;
    // Whole blocks are too many for 32 bits; their low bits are enough to distinguish times.
    this.#block = block | 0;
    this.#depthLots = depthLots;
    this.level = 0;
    this.#look(this.#hash());
  }

  /** Steps onto the next price at which something rests. */
  next(): void {
    let hash = 0;
    do {
      this.price = this.#isAsk ? priceAbove(this.price, this.#dollar) : priceBelow(this.price, this.#dollar);
      hash = this.#hash();
    } while ((hash & EMPTY_MASK) === 0);
    this.level += 1;
    this.#look(hash);
  }

  /** Takes from the first order in line, at most all of it. */
  take(lots: number): void {
    this.left -= lots;
    this.head -= lots;
    if (this.head > 0 || this.left === 0) return;
    this.line -= 1;
    this.#nextInLine();
  }

  #hash(): number {
    const place = mix(this.#salt, this.price);
    return mix(place, (this.#block + (place & 63)) >> RESTING_BITS);
  }

  #look(hash: number): void {
    const distance = this.level < GROWTH_LEVELS ? this.level : GROWTH_LEVELS;
    const lots = Math.round(this.#depthLots * (1 + GROWTH * distance) * DEPTH_FACTORS[hash >>> 20]!);
    this.resting = hash;
    this.lots = lots < 1 ? 1 : lots;
    this.left = this.lots;
    const orders = 1 + ((hash >>> 3) & 3) + ((hash >>> 5) & 1) + ((hash >>> 6) & 3 & (hash >>> 8));
    this.orders = orders < this.lots ? orders : this.lots;
    this.line = this.orders;
    this.#nextInLine();
  }

  /** Half to one and a half of an even share, such that everyone behind has a lot at least; the last has the rest. */
  #nextInLine(): void {
    if (this.line === 1) this.head = this.left;
    else {
      const share = (this.left / this.line) * (0.5 + uniformOf(mix(this.resting, this.line)));
      const most = this.left - this.line + 1;
      this.head = Math.max(1, Math.min(most, Math.round(share)));
    }
  }
}
