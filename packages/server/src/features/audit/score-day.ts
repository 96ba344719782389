import type { ConnectedSpan } from '@crosstape/core';
import type { InferredLiquidation } from '../liquidations/inferred-liquidations.ts';
import {
  type Alarm,
  countScore,
  type KnownLiquidation,
  ratiosOf,
  type ScoreCounts,
  sumCounts,
} from '../liquidations/score-inference.ts';

/** Inferred liquidations against those that the chain marks. */
export interface LiquidationScore {
  readonly inferred: number;
  readonly correct: number;
  readonly marked: number;
  readonly found: number;
  /** Marked while the service received no trades, or measured them from the fills of a node: not scored. */
  readonly unwatched: number;
  readonly inferredUsd: number;
  readonly markedUsd: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly notionalErrorPct: number | null;
}

export interface LiquidationScores {
  readonly total: LiquidationScore;
  readonly coins: readonly ({ readonly coin: string } & LiquidationScore)[];
}

/** Inferred liquidations of a day, and when the underlying trades were received. */
export interface InferredDay {
  readonly byCoin: ReadonlyMap<string, readonly InferredLiquidation[]>;
  readonly spans: readonly Pick<ConnectedSpan, 'from' | 'to'>[];
  /** Liquidations that were measured instead, as `coin ts`. */
  readonly measured?: ReadonlySet<string>;
}

/** The inferred liquidations of a coin: recorded by the tape's time, scored by the venue's time. */
export class CoinAlarms {
  readonly #rows: ReadonlyMap<number, InferredLiquidation>;
  readonly #venueTs = new Map<number, number>();

  constructor(rows: readonly InferredLiquidation[] = []) {
    this.#rows = new Map(rows.map((row) => [row.tid, row]));
  }

  /** A trade of the tape. */
  trade(tid: number, tapeTs: number, venueTs: number): void {
    if (this.#rows.get(tid)?.ts === tapeTs) this.#venueTs.set(tid, venueTs);
  }

  /** Liquidations whose order began in a compared hour of the day. */
  within(isCompared: (venueTs: number) => boolean): readonly Alarm[] {
    return [...this.#rows.values()].flatMap(({ tid, ts: tapeTs, notionalUsd }) => {
      const ts = this.#venueTs.get(tid) ?? tapeTs;
      return isCompared(ts) ? [{ ts, tid, notionalUsd }] : [];
    });
  }
}

/** Sums the scores of a day, coin by coin. */
export class DayScore {
  readonly #inferred: Pick<InferredDay, 'spans' | 'measured'>;
  readonly #coins: { coin: string; counts: ScoreCounts; unwatched: number }[] = [];

  constructor(inferred: Pick<InferredDay, 'spans' | 'measured'>) {
    this.#inferred = inferred;
  }

  add(coin: string, alarms: readonly Alarm[], marked: readonly KnownLiquidation[]): void {
    if (alarms.length + marked.length === 0) return;
    const counts = countScore(alarms, marked, (one) => this.#isWatched(coin, one));
    this.#coins.push({ coin, counts, unwatched: marked.length - counts.known });
  }

  result(): LiquidationScores {
    const unwatched = this.#coins.reduce((sum, one) => sum + one.unwatched, 0);
    return {
      total: scoreOf(sumCounts(this.#coins.map(({ counts }) => counts)), unwatched),
      coins: this.#coins.map((one) => ({ coin: one.coin, ...scoreOf(one.counts, one.unwatched) })),
    };
  }

  #isWatched(coin: string, { fills }: KnownLiquidation): boolean {
    const ts = fills[0]?.ts ?? 0;
    const { spans, measured } = this.#inferred;
    return !measured?.has(`${coin} ${ts}`) && spans.some(({ from, to }) => from <= ts && ts < to);
  }
}

function scoreOf(counts: ScoreCounts, unwatched: number): LiquidationScore {
  const { inferred, correct, known, found, inferredUsd, knownUsd } = counts;
  const { precision, recall, notionalErrorPct } = ratiosOf(counts);
  return {
    inferred,
    correct,
    marked: known,
    found,
    unwatched,
    inferredUsd,
    markedUsd: knownUsd,
    precision,
    recall,
    notionalErrorPct,
  };
}
