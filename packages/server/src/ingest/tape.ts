import { roundTo, type Trade, type VenueTrade } from '@crosstape/core';

/**
 * Identities remembered per coin, in two halves that take turns. It must span what one socket can lag behind the
 * other in a burst, and the back-fill that follows a subscription.
 */
const IDENTITIES_HALF_MAX = 8_192;
const NOTIONAL_DECIMALS = 6;

interface CoinTape {
  lastTs: number;
  lastOrder: Order | undefined;
  recent: Set<string>;
  older: Set<string>;
}

/** What the fills of one taker order have in common. */
interface Order {
  readonly taker: string;
  readonly side: string;
  readonly venueTs: number;
}

export interface TapeOptions {
  readonly venue: string;
  /** Called once for each trade, in tape order. */
  readonly release: (trade: Trade) => void;
}

/**
 * Merges what several sockets say of the same trades into one append-only tape per coin. A trade is known by coin,
 * venue time and `tid`; it is released the first time it is seen. `ts` never decreases: a trade that comes late
 * takes the time of the one before it and keeps its own as `venueTs`.
 */
export class Tape {
  readonly #venue: string;
  readonly #release: (trade: Trade) => void;
  readonly #coins = new Map<string, CoinTape>();
  #repeats = 0;

  constructor({ venue, release }: TapeOptions) {
    this.#venue = venue;
    this.#release = release;
  }

  /** Trades seen more than once: on a healthy pair of sockets, about half of all. */
  get repeats(): number {
    return this.#repeats;
  }

  add(trades: readonly VenueTrade[], isBackfill: boolean): void {
    // A back-fill may come newest first; within one time, the venue's order stands.
    const inOrder = isBackfill ? trades.toSorted((a, b) => a.venueTs - b.venueTs) : trades;
    for (const trade of inOrder) this.#addOne(trade);
  }

  #addOne(trade: VenueTrade): void {
    const tape = this.#tape(trade.coin);
    if (!remember(tape, identity(trade))) {
      this.#repeats += 1;
      return;
    }
    const ts = Math.max(trade.venueTs, tape.lastTs);
    const order = trade.taker === undefined ? undefined : (trade as Order);
    const sameOrder = order !== undefined && isSameOrder(order, tape.lastOrder);
    tape.lastTs = ts;
    tape.lastOrder = order;
    this.#release({
      coin: trade.coin,
      venue: this.#venue,
      side: trade.side,
      price: trade.price,
      size: trade.size,
      notionalUsd: roundTo(trade.price * trade.size, NOTIONAL_DECIMALS),
      ts,
      ...(ts === trade.venueTs ? {} : { venueTs: trade.venueTs }),
      tid: trade.tid,
      sameOrder,
    });
  }

  #tape(coin: string): CoinTape {
    let tape = this.#coins.get(coin);
    if (!tape) {
      tape = { lastTs: 0, lastOrder: undefined, recent: new Set(), older: new Set() };
      this.#coins.set(coin, tape);
    }
    return tape;
  }
}

/** Old data holds `tid` 0, which identifies nothing: there, what was traded has to. */
function identity({ venueTs, tid, side, price, size }: VenueTrade): string {
  return tid === 0 ? `${venueTs}:${side}:${price}:${size}` : `${venueTs}:${tid}`;
}

/** False when it was known already. */
function remember(tape: CoinTape, id: string): boolean {
  if (tape.recent.has(id) || tape.older.has(id)) return false;
  if (tape.recent.size >= IDENTITIES_HALF_MAX) {
    tape.older = tape.recent;
    tape.recent = new Set();
  }
  tape.recent.add(id);
  return true;
}

function isSameOrder(order: Order, last: Order | undefined): boolean {
  return last?.taker === order.taker && last.side === order.side && last.venueTs === order.venueTs;
}
