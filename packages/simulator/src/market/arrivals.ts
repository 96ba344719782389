import { BLOCK_MS, SLOT_BLOCKS, SLOT_MS } from './blocks.ts';
import type { Cascade } from './cascades.ts';
import type { CoinMarket } from './coin-market.ts';
import { Dice, logNormalTable, mix } from './noise.ts';
import { type Pace, TURBULENCE_MEAN } from './pace.ts';

const WEEK_SLOTS = (7 * 86_400_000) / SLOT_MS;
/** Orders of one slot and coin; the largest rate in the wildest slot stays far below. */
const ORDERS_MAX = 1 << 17;
/** Fills that a burst leads to on average, measured. */
const TRADES_PER_BURST = 3.9;
/** The share of rushing takers on its side. */
const RUSH_LEAN = 0.96;
/** Standard deviation of a slot's log return against a day's. */
const SLOT_SIGMA = Math.sqrt(SLOT_MS / 86_400_000);
const SIZE_FACTORS = logNormalTable(1.9);
const FORCED_SIZE_FACTORS = logNormalTable(0.7);
/** Mean of exp(N(0, 0.7)). */
const FORCED_SIZE_MEAN = Math.exp(0.7 ** 2 / 2);
/** The venue takes no smaller order. */
const ORDER_USD_MIN = 10;
/** Prices at which an order may fill before the rest of it is cancelled. */
const LEVELS_USUAL_MAX = 3;
const LEVELS_EAGER_MAX = 12;
const LEVELS_FORCED_MAX = 40;

/**
 * The taker orders of one slot, in order of their blocks. They cluster: one order triggers others, most of them on its
 * side, soon after. All randomness of an order is drawn here; how it fills follows from the book.
 */
export class Arrivals {
  readonly #pace: Pace;
  readonly #dice = new Dice();
  readonly #starts = new Int32Array(SLOT_BLOCKS + 1);
  readonly #blocks = new Uint8Array(ORDERS_MAX);
  readonly #bits = new Int32Array(ORDERS_MAX);
  readonly #flags = new Uint8Array(ORDERS_MAX);
  readonly #sorted = new Int32Array(ORDERS_MAX);
  #forcedLots = 0;
  #isRush = false;

  count = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Draws the orders of a slot, over those drawn before. */
  draw(market: CoinMarket, slot: number): void {
    const firstBlock = slot * SLOT_BLOCKS;
    this.count = 0;
    this.#dice.seed(mix(market.salt, slot));
    const cascade = this.#runningCascade(market, firstBlock);
    const drift =
      market.path.slotReturn / (market.coin.dailyVolatility * market.path.turbulence * SLOT_SIGMA);
    let lean = 0.5 + 0.18 * Math.max(-1.5, Math.min(1.5, drift));
    const rush = market.rushes.at(firstBlock);
    this.#isRush = rush !== undefined;
    if (rush) lean = rush === 'buy' ? RUSH_LEAN : 1 - RUSH_LEAN;
    if (cascade) lean = cascade.side === 'buy' ? 0.72 : 0.28;
    const bursts = this.#poisson(this.#expectedBursts(market, firstBlock, cascade));
    for (let i = 0; i < bursts; i += 1) this.#burst(lean);
    if (cascade) {
      const slots = (cascade.endBlock - cascade.startBlock) / SLOT_BLOCKS;
      const ordinal = (firstBlock - cascade.startBlock) / SLOT_BLOCKS;
      const open = market.usualOpenInterestAt(cascade.startBlock * BLOCK_MS) * market.lotsPerCoin;
      this.#forcedLots = (open * cascade.openInterestShare) / cascade.orders / FORCED_SIZE_MEAN;
      const until = Math.ceil((cascade.orders * (ordinal + 1)) / slots);
      for (let i = Math.ceil((cascade.orders * ordinal) / slots); i < until; i += 1) {
        this.#add((this.#dice.bits() >>> 8) % SLOT_BLOCKS, cascade.side === 'buy', FORCED);
      }
    }
    if (this.count > 0) this.#sort();
  }

  /** Fills that are to be expected of a slot, forced ones apart. Leaves the path in that slot. */
  expectedTrades(market: CoinMarket, slot: number): number {
    const firstBlock = slot * SLOT_BLOCKS;
    const cascade = this.#runningCascade(market, firstBlock);
    return TRADES_PER_BURST * this.#expectedBursts(market, firstBlock, cascade);
  }

  /** Block within the slot. */
  blockOf(rank: number): number {
    return this.#blocks[this.#sorted[rank]!]!;
  }

  isBuy(rank: number): boolean {
    return (this.#flags[this.#sorted[rank]!]! & BUY) !== 0;
  }

  isForced(rank: number): boolean {
    return (this.#flags[this.#sorted[rank]!]! & FORCED) !== 0;
  }

  /** Prices at which the order may fill. */
  levelsMax(rank: number): number {
    if (this.isForced(rank)) return LEVELS_FORCED_MAX;
    const bits = this.#bits[this.#sorted[rank]!]!;
    // Takers in a rush take the nearest levels: none is forced to sell.
    return (bits & 0x1f0) === 0 && !this.#isRush
      ? LEVELS_EAGER_MAX
      : 1 + (((bits >>> 4) & 0xff) % LEVELS_USUAL_MAX);
  }

  /** The order's size at the market's current price. */
  lots(rank: number, market: CoinMarket): number {
    const bits = this.#bits[this.#sorted[rank]!]!;
    if (this.isForced(rank)) {
      return Math.max(1, Math.round(this.#forcedLots * FORCED_SIZE_FACTORS[bits >>> 20]!));
    }
    const { orderUsd, lotsPerCoin, index } = market;
    const fine = 0.9 + ((bits >>> 12) & 0xff) / 1280;
    const usd = Math.max(ORDER_USD_MIN, orderUsd * fine * SIZE_FACTORS[bits >>> 20]!);
    const lots = Math.ceil((usd * lotsPerCoin) / index);
    // People like round sizes.
    return (bits & 3) === 0 ? roundLots(lots) : lots;
  }

  /** The cascade that runs in the slot that begins with a block. Leaves the path in that slot. */
  #runningCascade(market: CoinMarket, firstBlock: number): Cascade | undefined {
    const cascade = market.cascades.near(firstBlock);
    market.path.near(firstBlock);
    return cascade && firstBlock >= cascade.startBlock && firstBlock < cascade.endBlock ? cascade : undefined;
  }

  #expectedBursts(market: CoinMarket, firstBlock: number, cascade: Cascade | undefined): number {
    const calm = market.coin.tradesPerWeek / (TRADES_PER_BURST * WEEK_SLOTS * TURBULENCE_MEAN);
    const alarm = cascade ? 2 + Math.sqrt(cascade.magnitude) : 1;
    const rush = market.rushes.at(firstBlock) ? market.rushes.bursts : 0;
    const usual = this.#pace.at(firstBlock / SLOT_BLOCKS, market.path.turbulence);
    return calm * (usual * alarm + this.#pace.mean * rush);
  }

  #burst(lean: number): void {
    const dice = this.#dice;
    const first = dice.bits();
    let block = first & (SLOT_BLOCKS - 1);
    const isBuy = dice.next() < lean;
    let followers = (first >>> 8) % 100 < 4 ? 6 + ((first >>> 16) & 31) : 0;
    while (followers < 64 && (dice.bits() & 0xff) < 0x73) followers += 1;
    this.#add(block, isBuy, 0);
    for (let i = 0; i < followers; i += 1) {
      const bits = dice.bits();
      // Half of the followers share the block; the others come up to three blocks later.
      if ((bits & 4) === 0) block = (block + (bits & 3)) & (SLOT_BLOCKS - 1);
      this.#add(block, (bits & 0x70) === 0 ? !isBuy : isBuy, 0);
    }
  }

  #add(block: number, isBuy: boolean, forced: number): void {
    if (this.count === ORDERS_MAX) return;
    this.#blocks[this.count] = block;
    this.#flags[this.count] = (isBuy ? BUY : 0) | forced;
    this.#bits[this.count] = this.#dice.bits();
    this.count += 1;
  }

  /** By block, and within one as drawn: a counting sort. */
  #sort(): void {
    const starts = this.#starts;
    starts.fill(0);
    for (let i = 0; i < this.count; i += 1) {
      const block = this.#blocks[i]!;
      starts[block + 1] = starts[block + 1]! + 1;
    }
    for (let i = 0; i < SLOT_BLOCKS; i += 1) starts[i + 1] = starts[i + 1]! + starts[i]!;
    for (let i = 0; i < this.count; i += 1) {
      const block = this.#blocks[i]!;
      const place = starts[block]!;
      this.#sorted[place] = i;
      starts[block] = place + 1;
    }
  }

  #poisson(mean: number): number {
    const dice = this.#dice;
    if (mean > 30) {
      const normal = dice.next() + dice.next() + dice.next() + dice.next() - 2;
      return Math.max(0, Math.round(mean + Math.sqrt(3 * mean) * normal));
    }
    const floor = Math.exp(-mean);
    let count = 0;
    for (let product = dice.next(); product > floor; product *= dice.next()) count += 1;
    return count;
  }
}

const BUY = 1;
const FORCED = 2;

/** The nearest number with one significant figure. */
function roundLots(lots: number): number {
  let unit = 1;
  while (unit * 10 <= lots) unit *= 10;
  return Math.round(lots / unit) * unit;
}
