import type { FaultBoard } from '../fault-board.ts';
import { mangleTrades } from '../mangle.ts';
import type { TradeLedgers, TradeMarket, WireDeal } from './trade-ledger.ts';

export interface TradePagesOptions {
  readonly ledgers: TradeLedgers;
  readonly faults: FaultBoard;
  readonly venue: string;
  readonly nowMs: number;
  readonly skewMs: number;
}

/** The trades of one REST answer; recorded, so that they count as sent once it has gone out. */
export class TradePages {
  /** Trades from this time on are unknown yet: now, or earlier while that fault is active. */
  readonly untilMs: number;
  readonly #options: TradePagesOptions;
  readonly #carried: { readonly market: TradeMarket; readonly deals: readonly WireDeal[] }[] = [];

  constructor(options: TradePagesOptions) {
    const { faults, venue, nowMs } = options;
    this.#options = options;
    this.untilMs = nowMs - (faults.strike({ venue, part: 'rest' }, 'lag')?.lagMs ?? 0);
  }

  /** The newest trades before a time but for the last `skip`, oldest first. */
  newest(
    market: TradeMarket,
    count: number,
    beforeMs = Number.POSITIVE_INFINITY,
    skip = 0,
  ): readonly WireDeal[] {
    const next = market.tape.nextAt(Math.min(this.untilMs, this.#ownMs(beforeMs)));
    const to = Math.max(0, next - skip);
    return this.#read(market, to - count, to);
  }

  /** The first trades of those with `fromMs <= ts < toMs`, oldest first. */
  since(
    market: TradeMarket,
    fromMs: number,
    count: number,
    toMs = Number.POSITIVE_INFINITY,
  ): readonly WireDeal[] {
    const from = market.tape.nextAt(this.#ownMs(fromMs));
    const next = market.tape.nextAt(Math.min(this.untilMs, this.#ownMs(toMs)));
    return this.#read(market, from, Math.min(next, from + count));
  }

  /** The same without an end, but never some of the trades of a millisecond without the others, if that can be. */
  sinceWhole(market: TradeMarket, fromMs: number, count: number): readonly WireDeal[] {
    const { tape } = market;
    const from = tape.nextAt(this.#ownMs(fromMs));
    const next = tape.nextAt(this.untilMs);
    const [left] = from + count < next ? tape.read(from + count, from + count + 1) : [];
    const whole = left ? tape.nextAt(left.ts) : next;
    return this.#read(market, from, whole > from ? whole : from + count);
  }

  /** The first trades with ids from `id` on, oldest first. */
  fromId(market: TradeMarket, id: number, count: number): readonly WireDeal[] {
    const from = this.#ledger(market).numberFrom(id);
    return this.#read(market, from, Math.min(from + count, market.tape.nextAt(this.untilMs)));
  }

  /** The last trades with ids below `id`, oldest first. */
  beforeId(market: TradeMarket, id: number, count: number): readonly WireDeal[] {
    const to = Math.min(this.#ledger(market).numberFrom(id), market.tape.nextAt(this.untilMs));
    return this.#read(market, to - count, to);
  }

  markSent(): void {
    for (const { market, deals } of this.#carried) this.#ledger(market).markSent(deals);
  }

  /** A time of the venue's clock as one of the market's. */
  #ownMs(atMs: number): number {
    return atMs - this.#options.skewMs;
  }

  #ledger(market: TradeMarket): ReturnType<TradeLedgers['of']> {
    return this.#options.ledgers.of(market, this.#options.nowMs);
  }

  #read(market: TradeMarket, from: number, to: number): readonly WireDeal[] {
    const { faults, venue, skewMs } = this.#options;
    if (to <= from) return [];
    const spot = { faults, venue, part: 'rest' } as const;
    const reported = mangleTrades(this.#ledger(market).read(Math.max(0, from), to, skewMs), spot);
    const deals = faults.strike(spot, 'reorder') ? reported.toReversed() : reported;
    this.#carried.push({ market, deals });
    return deals;
  }
}
