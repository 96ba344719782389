import type { Tape, TapeDeal } from '../market/tape.ts';
import { NumberRanges } from '../number-ranges.ts';

/** Jumps of a market's ids that are remembered. */
const JUMPS_MAX = 1000;
/** Gaps that a report lists. */
const GAPS_MAX = 1000;

/** A market of a venue whose trades can be subscribed to and requested. */
export interface TradeMarket {
  /** The venue's spelling. */
  readonly symbol: string;
  readonly tape: Tape;
}

/** A trade with the number that the venue counts it by. */
export interface WireDeal extends TapeDeal {
  readonly id: number;
}

/** What was sent of a market's trades between two times. */
export interface TradeReport {
  readonly market: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly firstId: number;
  /** Number of the first trade after `toMs`. */
  readonly nextId: number;
  /** Trades that happened. */
  readonly made: number;
  /** How many of these no client was sent intact, over any socket or in any answer. */
  readonly neverSent: number;
  /** Their ids, both ends included; the first thousand stretches. */
  readonly gaps: readonly { readonly fromId: number; readonly toId: number }[];
}

/** One market's ids, and which of its trades were sent. */
export class TradeLedger {
  readonly market: TradeMarket;
  /** Time of the first subscription or request. */
  readonly sinceMs: number;
  readonly #sent = new NumberRanges();
  readonly #jumps: { readonly from: number; readonly by: number }[] = [];

  constructor(market: TradeMarket, sinceMs: number) {
    this.market = market;
    this.sinceMs = sinceMs;
  }

  idOf(number: number): number {
    const jump = this.#jumps.findLast(({ from }) => number >= from);
    return number + (jump?.by ?? 0);
  }

  /** The number of the first trade whose id is not below. */
  numberFrom(id: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { from, by } of this.#jumps.toReversed()) {
      if (id >= from + by) return Math.min(id - by, next);
      next = from;
    }
    return Math.min(id, next);
  }

  /** From a trade on, ids are larger by this much. */
  jump(from: number, by: number): void {
    const last = this.#jumps.at(-1);
    if (this.#jumps.length >= JUMPS_MAX || (last && from <= last.from)) return;
    this.#jumps.push({ from, by: (last?.by ?? 0) + by });
  }

  /** Trades as the venue numbers them, with its clock's error. */
  number(deals: readonly TapeDeal[], skewMs: number): readonly WireDeal[] {
    return deals.map((deal) => ({ ...deal, ts: deal.ts + skewMs, id: this.idOf(deal.number) }));
  }

  read(from: number, to: number, skewMs: number): readonly WireDeal[] {
    return this.number(this.market.tape.read(from, to), skewMs);
  }

  markSent(deals: readonly WireDeal[]): void {
    for (const { number } of deals) this.#sent.add(number);
  }

  report(fromMs: number, toMs: number): TradeReport {
    const { tape, symbol } = this.market;
    const first = Math.max(tape.nextAt(fromMs), this.#sent.floor);
    const next = Math.max(tape.nextAt(toMs), first);
    const gaps = this.#sent.missing(first, next);
    return {
      market: symbol,
      fromMs,
      toMs,
      firstId: this.idOf(first),
      nextId: this.idOf(next),
      made: next - first,
      neverSent: gaps.reduce((sum, { from, to }) => sum + to - from, 0),
      gaps: gaps
        .slice(0, GAPS_MAX)
        .map(({ from, to }) => ({ fromId: this.idOf(from), toId: this.idOf(to - 1) })),
    };
  }
}

/** The ledgers of a venue's markets, each kept from the first subscription or request on. */
export class TradeLedgers {
  readonly #ledgers = new Map<string, TradeLedger>();

  of(market: TradeMarket, nowMs: number): TradeLedger {
    let ledger = this.#ledgers.get(market.symbol);
    if (!ledger) {
      ledger = new TradeLedger(market, nowMs);
      this.#ledgers.set(market.symbol, ledger);
    }
    return ledger;
  }

  find(symbol: string): TradeLedger | undefined {
    return this.#ledgers.get(symbol);
  }

  all(): readonly TradeLedger[] {
    return [...this.#ledgers.values()];
  }
}
