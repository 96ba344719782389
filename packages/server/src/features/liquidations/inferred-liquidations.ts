import type { Liquidation, Print, Side, Trade } from '@crosstape/core';
import { OpenInterestTrend, type Poll } from './open-interest-trend.ts';
import { OrderSizes, type RememberedSizes } from './order-sizes.ts';
import { printOf } from '../whales/prints.ts';

/** Requirements of an order: price levels filled, and how many of its size or larger the coin has per day. */
interface Bar {
  readonly levelsMin: number;
  readonly perDayMax: number;
}

/** With a fall of open interest that accounts for the order. */
const CONFIRMED: Bar = { levelsMin: 4, perDayMax: 40 };
/** The lower bar for an order near one on the same side that passed the bar above: liquidations cluster. */
const IN_COMPANY: Bar = { levelsMin: 2, perDayMax: 300 };
/** If open interest is unknown. */
const UNCONFIRMED: Bar = { levelsMin: 5, perDayMax: 15 };
/** The part of an order's size that open interest must have fallen by. */
const FALL_SHARE_MIN = 0.6;

/** Polls further apart do not show what happened between them. */
const POLL_GAP_MAX_MS = 90_000;
/** A poll sooner after the previous one is skipped. */
const POLL_GAP_MIN_MS = 10_000;
/** Trades and polls older than this have all arrived. */
const SETTLE_MS = 5_000;
/** Orders of a coin that wait for a poll; of more, the largest. */
const WAITING_MAX = 64;
/** Coins that are followed; of more, the newest. */
const COINS_MAX = 4_096;

/** A liquidation inferred from the tape, and its evidence. */
export interface InferredLiquidation extends Liquidation {
  readonly inferred: true;
  /** Id of the first fill. */
  readonly tid: number;
  /** Prices at which the order filled. */
  readonly levels: number;
  /** Orders of at least this size that are expected per day, from the coin's recent orders. */
  readonly perDay: number;
  /** Fall of open interest in coins, beyond its drift, between the polls around the order; absent if unknown. */
  readonly openInterestFall?: number;
}

export interface LiquidationInference {
  /** The trades of the tape, each coin's in order. */
  trade(trade: Trade): void;
  /** The open interest of a coin in coins, as polled. */
  openInterest(coin: string, coins: number, atMs: number): void;
  /** The order sizes of a coin before the first trade, so that they need not be learned again. */
  recall(coin: string, sizes: RememberedSizes): void;
}

/**
 * Infers liquidations on a venue that does not mark them: see docs/inferred-liquidations.md. Time comes with the data,
 * and results depend only on the trades and polls, not on how they interleave, as long as neither is more than five
 * seconds late.
 */
export function createLiquidationInference(options: {
  readonly emit: (liquidation: InferredLiquidation) => void;
}): LiquidationInference {
  const coins = new Map<string, CoinInference>();
  const coinOf = (name: string): CoinInference => {
    let coin = coins.get(name);
    if (!coin) {
      const oldest = coins.size === COINS_MAX ? coins.keys().next().value : undefined;
      if (oldest !== undefined) coins.delete(oldest);
      coin = new CoinInference(options.emit);
      coins.set(name, coin);
    }
    return coin;
  };
  return {
    trade: (trade) => coinOf(trade.coin).trade(trade),
    openInterest(name, amount, atMs) {
      if (!Number.isFinite(amount))
        throw new RangeError(`open interest of ${name} is a number, not ${amount}`);
      coinOf(name).poll({ atMs, coins: amount });
    },
    recall: (name, sizes) => coinOf(name).recall(sizes),
  };
}

/** A taker order whose fills may not all be here yet. */
interface OpenOrder {
  readonly first: Trade;
  size: number;
  notionalUsd: number;
  fills: number;
  levels: number;
  lastPrice: number;
}

/** An order that may have been a liquidation. */
interface Suspect {
  readonly print: Print;
  readonly levels: number;
  readonly perDay: number;
}

class CoinInference {
  readonly #emit: (liquidation: InferredLiquidation) => void;
  readonly #sizes = new OrderSizes();
  readonly #trend = new OpenInterestTrend();
  #order: OpenOrder | undefined;
  /** In tape order; none is older than the previous poll. */
  #waiting: Suspect[] = [];
  #tapeMs = 0;
  /** The newest poll that was used, and the next one, while earlier trades may still arrive. */
  #opening: Poll | undefined;
  #closing: Poll | undefined;
  /** By side, the poll that confirmed the newest order by itself. */
  readonly #confirmedMs: Record<Side, number> = { buy: 0, sell: 0 };

  constructor(emit: (liquidation: InferredLiquidation) => void) {
    this.#emit = emit;
  }

  trade(trade: Trade): void {
    const order = this.#order;
    if (order && trade.sameOrder) {
      order.size += trade.size;
      order.notionalUsd += trade.notionalUsd;
      order.fills += 1;
      if (trade.price !== order.lastPrice) order.levels += 1;
      order.lastPrice = trade.price;
      return;
    }
    this.#finishOrder();
    this.#tapeMs = trade.ts;
    this.#settle();
    const { size, notionalUsd, price } = trade;
    this.#order = { first: trade, size, notionalUsd, fills: 1, levels: 1, lastPrice: price };
  }

  recall(sizes: RememberedSizes): void {
    this.#sizes.recall(sizes);
  }

  poll(poll: Poll): void {
    const before = this.#closing ?? this.#opening;
    if (before && poll.atMs < before.atMs + POLL_GAP_MIN_MS) return;
    if (this.#closing) {
      if (this.#order && this.#order.first.ts <= this.#closing.atMs) this.#finishOrder();
      this.#judgeTo(this.#closing);
    }
    if (this.#opening) this.#closing = poll;
    else {
      this.#opening = poll;
      this.#judgeAlone(poll.atMs);
    }
    this.#settle();
  }

  #finishOrder(): void {
    const order = this.#order;
    if (!order) return;
    this.#order = undefined;
    const { first, levels, notionalUsd } = order;
    const perDay = this.#sizes.perDay(notionalUsd);
    this.#sizes.add(notionalUsd, first.ts);
    if (perDay === undefined || !passes({ levels, perDay }, IN_COMPANY)) return;
    const suspect = { print: printOf(first, order), levels, perDay };
    if (this.#opening && first.ts <= this.#opening.atMs) this.#reportAlone(suspect);
    else this.#wait(suspect);
  }

  #wait(suspect: Suspect): void {
    this.#waiting.push(suspect);
    if (this.#waiting.length <= WAITING_MAX) return;
    const smallest = this.#waiting.reduce((a, b) => (b.print.size < a.print.size ? b : a));
    this.#waiting.splice(this.#waiting.indexOf(smallest), 1);
  }

  /** Decides every order that the tape time has settled. */
  #settle(): void {
    if (this.#closing) {
      if (this.#tapeMs > this.#closing.atMs) this.#judgeTo(this.#closing);
      return;
    }
    const tooLateMs = this.#opening ? this.#opening.atMs + POLL_GAP_MAX_MS : 0;
    if (this.#waiting.length > 0 && this.#tapeMs > tooLateMs + SETTLE_MS) {
      this.#judgeAlone(this.#tapeMs - SETTLE_MS);
    }
  }

  /** Judges the orders between the newest poll that has been used and the next. */
  #judgeTo(closing: Poll): void {
    const opening = this.#opening;
    this.#opening = closing;
    this.#closing = undefined;
    if (!opening) return;
    const isNear = closing.atMs - opening.atMs <= POLL_GAP_MAX_MS;
    const fall = isNear ? this.#trend.fallBetween(opening, closing) : undefined;
    if (fall === undefined) return this.#judgeAlone(closing.atMs);
    const suspects = this.#takeUntil(closing.atMs);
    const found = new Set<Suspect>();
    // A fall is used once: the largest order first, clustered ones after those that qualify alone.
    let left = fall;
    const spend = (suspect: Suspect): boolean => {
      if (left < FALL_SHARE_MIN * suspect.print.size) return false;
      left -= suspect.print.size;
      found.add(suspect);
      return true;
    };
    const largestFirst = suspects.toSorted((a, b) => b.print.size - a.print.size);
    for (const suspect of largestFirst) {
      if (passes(suspect, CONFIRMED) && spend(suspect)) this.#confirmedMs[suspect.print.side] = closing.atMs;
    }
    for (const suspect of largestFirst) {
      if (!passes(suspect, CONFIRMED) && this.#confirmedMs[suspect.print.side] >= opening.atMs)
        spend(suspect);
    }
    for (const suspect of suspects) if (found.has(suspect)) this.#emitFrom(suspect, fall);
  }

  /** Judges the orders up to a time without open interest. */
  #judgeAlone(untilMs: number): void {
    for (const suspect of this.#takeUntil(untilMs)) this.#reportAlone(suspect);
  }

  #takeUntil(untilMs: number): readonly Suspect[] {
    const taken = this.#waiting.filter(({ print }) => print.ts <= untilMs);
    if (taken.length > 0) this.#waiting = this.#waiting.filter(({ print }) => print.ts > untilMs);
    return taken;
  }

  #reportAlone(suspect: Suspect): void {
    if (passes(suspect, UNCONFIRMED)) this.#emitFrom(suspect);
  }

  #emitFrom({ print, levels, perDay }: Suspect, openInterestFall?: number): void {
    const { coin, venue, side, price, size, notionalUsd, ts, tid } = print;
    const inferred = {
      coin,
      venue,
      side,
      price,
      size,
      notionalUsd,
      ts,
      tid,
      inferred: true as const,
      levels,
      perDay,
    };
    this.#emit(openInterestFall === undefined ? inferred : { ...inferred, openInterestFall });
  }
}

function passes({ levels, perDay }: Pick<Suspect, 'levels' | 'perDay'>, bar: Bar): boolean {
  return levels >= bar.levelsMin && perDay <= bar.perDayMax;
}
