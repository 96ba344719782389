import { FillColumns } from './day-fills.ts';
import type { LiquidationScores } from './score-day.ts';

/** Rows of each kind that are listed one by one; the rest is counted. */
export const LISTED_MAX = 100;
const NONE = -1;

export type DayVerdict = 'equal' | 'incomplete' | 'differs';

/** One trade that is not the same on both sides. */
export interface Difference {
  readonly coin: string;
  readonly ts: number;
  readonly tid: number;
  /** `missing`: whether the tape reports a gap there. */
  readonly isReported?: boolean;
  /** `different`: figures of the tape and of the chain. */
  readonly tape?: TradeFigures;
  readonly chain?: TradeFigures;
}

export interface TradeFigures {
  readonly ts: number;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly size: number;
}

export interface CoinReconciliation {
  readonly coin: string;
  /** Trades on the chain, and on the tape. */
  readonly chain: number;
  readonly tape: number;
  readonly matched: number;
  /** On the chain, not on the tape. */
  readonly missing: number;
  /** How many of these are in a reported gap. */
  readonly missingReported: number;
  /** On the tape, not on the chain. */
  readonly extra: number;
  /** On both, with another time, side, price or size. */
  readonly different: number;
}

/** The result of one day, as it is kept and served. */
export interface Reconciliation {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly comparedAtMs: number;
  readonly verdict: DayVerdict;
  /** Hours of the day without a file of fills: they were not compared. */
  readonly hoursMissing: readonly number[];
  /** Lines of the fills that could not be read. */
  readonly refused: number;
  /** Coins on the chain that the tape does not record, such as spot pairs. */
  readonly coinsNotRecorded: number;
  readonly total: Omit<CoinReconciliation, 'coin'>;
  readonly coins: readonly CoinReconciliation[];
  /** At most a hundred of each. */
  readonly missing: readonly Difference[];
  readonly extra: readonly Difference[];
  readonly different: readonly Difference[];
  /** Absent when the inferred liquidations of the day are no longer kept. */
  readonly liquidations?: LiquidationScores;
}

/** A trade of the tape, by the venue's own time. */
export interface TapeTrade extends TradeFigures {
  readonly tid: number;
}

/** Compares the tape of one coin with the fills of a day, trade by trade. */
export class CoinComparison {
  readonly #coin: string;
  readonly #fills: FillColumns;
  /** The newest row of each tid; `#next` links older ones, because a tid is a hash and may repeat. */
  readonly #rows = new Map<number, number>();
  readonly #next: Int32Array;
  readonly #isFound: Uint8Array;
  readonly #hours: ReadonlySet<number>;
  #tape = 0;
  #matched = 0;
  #extra = 0;
  #different = 0;
  readonly extra: Difference[] = [];
  readonly different: Difference[] = [];

  /** `fills`: absent if the chain has none of the coin; `hours`: those of the day that have a file. */
  constructor(coin: string, fills: FillColumns | undefined, hours: ReadonlySet<number>) {
    this.#coin = coin;
    this.#fills = fills ?? new FillColumns();
    this.#hours = hours;
    const { length, tid } = this.#fills;
    this.#isFound = new Uint8Array(length);
    this.#next = new Int32Array(length);
    for (let i = 0; i < length; i += 1) {
      this.#next[i] = this.#rows.get(tid[i] as number) ?? NONE;
      this.#rows.set(tid[i] as number, i);
    }
  }

  /** The next trade of the tape; those of hours without fills are passed over. */
  add(trade: TapeTrade): void {
    if (!this.#hours.has(new Date(trade.ts).getUTCHours())) return;
    this.#tape += 1;
    const { ts, tid } = trade;
    const row = this.#find(ts, tid);
    if (row === NONE) {
      this.#extra += 1;
      if (this.extra.length < LISTED_MAX) this.extra.push({ coin: this.#coin, ts, tid });
      return;
    }
    this.#isFound[row] = 1;
    const chain = this.#figures(row);
    const isEqual =
      chain.ts === ts &&
      chain.side === trade.side &&
      chain.price === trade.price &&
      chain.size === trade.size;
    if (isEqual) {
      this.#matched += 1;
      return;
    }
    this.#different += 1;
    const { side, price, size } = trade;
    if (this.different.length < LISTED_MAX)
      this.different.push({ coin: this.#coin, ts: chain.ts, tid, tape: { ts, side, price, size }, chain });
  }

  /** `isGap`: whether the tape reports a gap at a time. */
  finish(isGap: (ts: number) => boolean): {
    readonly result: CoinReconciliation;
    readonly missing: readonly Difference[];
  } {
    const missing: Difference[] = [];
    let [count, reported] = [0, 0];
    for (let i = 0; i < this.#fills.length; i += 1) {
      if (this.#isFound[i] === 1) continue;
      const ts = this.#fills.ts[i] as number;
      const isReported = isGap(ts);
      count += 1;
      if (isReported) reported += 1;
      const tid = this.#fills.tid[i] as number;
      if (missing.length < LISTED_MAX) missing.push({ coin: this.#coin, ts, tid, isReported });
    }
    const result = {
      coin: this.#coin,
      chain: this.#fills.length,
      tape: this.#tape,
      matched: this.#matched,
      missing: count,
      missingReported: reported,
      extra: this.#extra,
      different: this.#different,
    };
    return { result, missing };
  }

  /** The unmatched row with this tid: of the same time, or else any. */
  #find(ts: number, tid: number): number {
    let found = NONE;
    for (let row = this.#rows.get(tid) ?? NONE; row !== NONE; row = this.#next[row] as number) {
      if (this.#isFound[row] === 1) continue;
      if (this.#fills.ts[row] === ts) return row;
      found = row;
    }
    return found;
  }

  #figures(row: number): TradeFigures {
    const { ts, price, size } = this.#fills;
    const signed = size[row] as number;
    return {
      ts: ts[row] as number,
      side: signed > 0 ? 'buy' : 'sell',
      price: price[row] as number,
      size: Math.abs(signed),
    };
  }
}

/** `incomplete`: nothing contradicts the tape, but it reports gaps, or hours of the fills are missing. */
export function verdictOf({
  total,
  refused,
  hoursMissing,
}: Pick<Reconciliation, 'total' | 'refused' | 'hoursMissing'>): DayVerdict {
  const { missing, missingReported, extra, different } = total;
  if (missing > missingReported || extra > 0 || different > 0) return 'differs';
  return missing > 0 || refused > 0 || hoursMissing.length > 0 ? 'incomplete' : 'equal';
}
