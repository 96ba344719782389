import type { Arrivals } from './arrivals.ts';
import { BLOCK_MS, blockFrom, blockTimeMs, SLOT_BLOCKS } from './blocks.ts';
import { BookSide } from './book-side.ts';
import type { CoinMarket } from './coin-market.ts';
import { mix } from './noise.ts';
import type { TradeColumns } from './trade-columns.ts';

/** Accounts that take, and the fewer that make. An account takes at most once in a block on a coin. */
export const TAKERS = 20_011;
export const MAKERS = 401;
/** Prime to the number of takers, so that those of one block all differ. */
const TAKER_STEP = 7919;
/** Maximum fills of one block; columns must be able to hold one. */
export const BLOCK_TRADES_MAX = 1 << 14;

/** Fills the orders of one coin against its book, into columns. */
export class Trades {
  readonly #seed: number;
  readonly #market: CoinMarket;
  readonly #arrivals: Arrivals;
  readonly #asks: BookSide;
  readonly #bids: BookSide;

  constructor(options: { seed: number; market: CoinMarket; arrivals: Arrivals }) {
    const { seed, market, arrivals } = options;
    this.#seed = seed;
    this.#market = market;
    this.#arrivals = arrivals;
    this.#asks = new BookSide({ salt: market.salt, dollar: market.dollar, isAsk: true });
    this.#bids = new BookSide({ salt: market.salt, dollar: market.dollar, isAsk: false });
  }

  /**
   * Overwrites the columns with the trades with `fromMs <= ts < toMs`. Stops before a block that does not fit. Returns
   * the exclusive time up to which all trades are included: `toMs`, or where to continue.
   */
  fill(fromMs: number, toMs: number, columns: TradeColumns): number {
    if (columns.capacity < BLOCK_TRADES_MAX) {
      throw new RangeError(
        `columns hold a block's trades at least: ${BLOCK_TRADES_MAX}, not ${columns.capacity}`,
      );
    }
    columns.length = 0;
    const first = blockFrom(this.#seed, fromMs);
    const end = blockFrom(this.#seed, toMs);
    for (let slot = Math.floor(first / SLOT_BLOCKS); slot * SLOT_BLOCKS < end; slot += 1) {
      const stopped = this.#fillSlot(slot, first, end, columns);
      if (stopped >= 0) return stopped * BLOCK_MS;
    }
    return toMs;
  }

  /** Returns the block that did not fit, or -1. */
  #fillSlot(slot: number, first: number, end: number, columns: TradeColumns): number {
    const arrivals = this.#arrivals;
    arrivals.draw(this.#market, slot);
    const base = slot * SLOT_BLOCKS;
    for (let rank = 0; rank < arrivals.count; ) {
      const within = arrivals.blockOf(rank);
      let past = rank + 1;
      while (past < arrivals.count && arrivals.blockOf(past) === within) past += 1;
      const block = base + within;
      if (block >= end) break;
      if (block >= first) {
        if (!this.#fillBlock(block, rank, past, columns)) return block;
      }
      rank = past;
    }
    return -1;
  }

  /** Writes a complete block, or nothing and `false` if it does not fit. */
  #fillBlock(block: number, from: number, past: number, columns: TradeColumns): boolean {
    const market = this.#market;
    market.moveTo(block);
    const ts = blockTimeMs(this.#seed, block);
    const salt = mix(market.salt ^ 0x7ade, block);
    const start = columns.length;
    const end = start + BLOCK_TRADES_MAX;
    let asks: BookSide | undefined;
    let bids: BookSide | undefined;
    for (let rank = from; rank < past; rank += 1) {
      const ordinal = rank - from;
      const isBuy = this.#arrivals.isBuy(rank);
      if (isBuy) asks ??= this.#open(this.#asks, market.ask);
      else bids ??= this.#open(this.#bids, market.bid);
      const side = isBuy ? this.#asks : this.#bids;
      let wanted = this.#arrivals.lots(rank, market);
      const lastLevel = side.level + this.#arrivals.levelsMax(rank) - 1;
      const order = mix(salt, ordinal);
      const taker = ((salt >>> 8) + ordinal * TAKER_STEP) % TAKERS;
      const isLiquidation = this.#arrivals.isForced(rank) ? 1 : 0;
      while (wanted > 0 && columns.length < end) {
        if (side.left === 0) {
          if (side.level >= lastLevel) break;
          side.next();
        }
        const lots = wanted < side.head ? wanted : side.head;
        const at = columns.length;
        if (at === columns.capacity) {
          columns.length = start;
          return false;
        }
        const id = mix(order, at - start);
        columns.ts[at] = ts;
        columns.price[at] = side.price;
        columns.lots[at] = lots;
        columns.isBuy[at] = isBuy ? 1 : 0;
        columns.order[at] = order;
        // The block is in the low bits as such: 32 bits of hash alone repeat within hours.
        columns.tid[at] = (id >>> 0) * 0x4_0000 + (mix(block, at - start) >>> 14);
        columns.taker[at] = taker;
        columns.maker[at] = (mix(~side.resting, side.line) >>> 8) % MAKERS;
        columns.isLiquidation[at] = isLiquidation;
        columns.length = at + 1;
        wanted -= lots;
        side.take(lots);
      }
    }
    return true;
  }

  #open(side: BookSide, touch: number): BookSide {
    side.open(touch, this.#market.block, this.#market.depthLots);
    return side;
  }
}
