import { hash32, seededRandom } from '@crosstape/core';
import type { Coin } from './coins.ts';
import type { Market } from './market.ts';
import type { TradeRow } from './trade-rows.ts';
import { MAKERS, TAKERS } from './trades.ts';

/** Kept for requests for recent trades; the oldest are dropped first. */
const EXTRA_TRADES_MAX = 100_000;
/** Levels of the book that extra orders fill at. */
const LEVELS = 10;
const FILLS_PER_ORDER_MAX = 6;

/** Requested extra trades: a burst in one block, at the prices of its book. */
export class ExtraTrades {
  readonly #market: Market;
  #rows: TradeRow[] = [];
  #bursts = 0;

  constructor(market: Market) {
    this.#market = market;
  }

  /** Puts this many trades into the first block after a time. */
  add(coin: Coin, trades: number, afterMs: number): void {
    const ts = this.#market.nextBlockMs(afterMs);
    const book = this.#market.book(coin.name, ts, LEVELS);
    const random = seededRandom(hash32(this.#market.seed, this.#bursts++, ts));
    const made: TradeRow[] = [];
    const firstTaker = Math.floor(random() * TAKERS);
    for (let order = 0; made.length < trades; order += 1) {
      const isBuy = random() < 0.5;
      const levels = isBuy ? book.asks : book.bids;
      const fills = Math.min(1 + Math.floor(random() * FILLS_PER_ORDER_MAX), trades - made.length);
      for (let fill = 0; fill < fills; fill += 1) {
        const level = levels[Math.min(fill, levels.length - 1)];
        if (!level) throw new RangeError(`the book of ${coin.name} is empty`);
        const lots = Math.ceil(random() * level.size * 10 ** coin.sizeDecimals);
        made.push({
          coin: coin.name,
          isBuy,
          price: level.price,
          size: lots / 10 ** coin.sizeDecimals,
          ts,
          tid: Math.floor(random() * 2 ** 32) * 2 ** 18 + Math.floor(random() * 2 ** 18),
          order: hash32(this.#market.seed, this.#bursts, order),
          taker: (firstTaker + order) % TAKERS,
          maker: Math.floor(random() * MAKERS),
          isLiquidation: false,
        });
      }
    }
    this.#rows = [...this.#rows, ...made].slice(-EXTRA_TRADES_MAX);
  }

  /** Trades with `fromMs <= ts < toMs`, oldest first. */
  read(coin: Coin, fromMs: number, toMs: number): readonly TradeRow[] {
    if (this.#rows.length === 0) return this.#rows;
    return this.#rows.filter((row) => row.coin === coin.name && row.ts >= fromMs && row.ts < toMs);
  }
}
