import { blockAt, blockTimeMs, SLOT_BLOCKS } from './blocks.ts';
import { reopenedShare } from './cascades.ts';
import type { CoinMarket } from './coin-market.ts';
import type { TradeColumns } from './trade-columns.ts';
import type { Trades } from './trades.ts';

/** An ordinary order shows in the positions for this long, less and less: others do the opposite. */
const FADE_SLOTS = 8;
const FADE_BLOCKS = FADE_SLOTS * SLOT_BLOCKS;
/** Sums that are remembered, of slots and of cascades each. */
const SUMS_MAX = 256;

/**
 * The open positions of one coin. Within minutes they move by what is traded: an ordinary order opens positions if both
 * of its sides are new, closes some if both leave, and otherwise passes them on; a forced order closes what it fills,
 * at once. Over hours they drift, and positions closed by cascades are reopened.
 */
export class OpenInterest {
  readonly #seed: number;
  readonly #market: CoinMarket;
  readonly #trades: Trades;
  readonly #columns: TradeColumns;
  readonly #slots = new Map<number, number>();
  readonly #cascades = new Map<number, number>();

  /** The columns are used only during a call. */
  constructor(options: { seed: number; market: CoinMarket; trades: Trades; columns: TradeColumns }) {
    this.#seed = options.seed;
    this.#market = options.market;
    this.#trades = options.trades;
    this.#columns = options.columns;
  }

  /** In coins, one-sided. */
  at(atMs: number): number {
    const block = blockAt(this.#seed, atMs);
    const lots = this.#openedLots(block) - this.#closedLots(block);
    return this.#market.usualOpenInterestAt(atMs) + lots / this.#market.lotsPerCoin;
  }

  /** By ordinary orders, those that closed taken off. */
  #openedLots(block: number): number {
    const slot = Math.floor(block / SLOT_BLOCKS);
    let lots = this.#sum(slot * SLOT_BLOCKS, block + 1, openedBy);
    for (let past = slot - FADE_SLOTS; past < slot; past += 1) {
      const age = block + 1 - (past + 1) * SLOT_BLOCKS;
      const whole = remembered(this.#slots, past, () =>
        this.#sum(past * SLOT_BLOCKS, (past + 1) * SLOT_BLOCKS, openedBy),
      );
      lots += whole * (1 - age / FADE_BLOCKS);
    }
    return lots;
  }

  /** By the cascade of this time, as far as they have not been opened again. */
  #closedLots(block: number): number {
    const cascade = this.#market.cascades.near(block);
    if (!cascade || block < cascade.startBlock) return 0;
    const { startBlock, endBlock } = cascade;
    if (block < endBlock) return this.#sum(startBlock, block + 1, closedBy);
    const whole = remembered(this.#cascades, startBlock, () => this.#sum(startBlock, endBlock, closedBy));
    return whole * (1 - reopenedShare(cascade, block));
  }

  /** Over the trades of the blocks [from, to). */
  #sum(from: number, to: number, lotsOf: (columns: TradeColumns, i: number) => number): number {
    const columns = this.#columns;
    const toMs = blockTimeMs(this.#seed, to);
    let lots = 0;
    for (let atMs = blockTimeMs(this.#seed, from); atMs < toMs; ) {
      atMs = this.#trades.fill(atMs, toMs, columns);
      for (let i = 0; i < columns.length; i += 1) lots += lotsOf(columns, i);
    }
    return lots;
  }
}

/** Each side of an order is new or leaves, as a coin falls. */
function openedBy({ order, lots, isLiquidation }: TradeColumns, i: number): number {
  if (isLiquidation[i] === 1) return 0;
  const sides = order[i]! & 3;
  if (sides === 0) return -lots[i]!;
  return sides === 3 ? lots[i]! : 0;
}

function closedBy({ lots, isLiquidation }: TradeColumns, i: number): number {
  return isLiquidation[i] === 1 ? lots[i]! : 0;
}

function remembered(sums: Map<number, number>, key: number, sum: () => number): number {
  let lots = sums.get(key);
  if (lots === undefined) {
    lots = sum();
    if (sums.size >= SUMS_MAX) sums.clear();
    sums.set(key, lots);
  }
  return lots;
}
