import { DAY_MS } from '@crosstape/core';
import { recordedTicks } from '../tape/recorded-ticks.ts';
import type { TapeCoverage } from '../tape/tape-coverage.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import type { Ticks } from '../tape/tick-table.ts';
import type { DayFills } from './day-fills.ts';
import {
  CoinComparison,
  type CoinReconciliation,
  type Difference,
  LISTED_MAX,
  type Reconciliation,
  verdictOf,
} from './reconcile.ts';
import { CoinAlarms, DayScore, type InferredDay } from './score-day.ts';

const HOURS = 24;
/** The tape may have a trade this much later than the venue's time, after an outage, and this much earlier. */
export const LATE_MAX_MS = 6 * 3_600_000;
export const EARLY_MAX_MS = 60_000;

/** The record of the primary venue. */
export interface RecordedDay {
  readonly coins: readonly string[];
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  /** Absent when the inferred liquidations of the day are no longer kept. */
  readonly inferred?: InferredDay;
}

/** Compares a recorded day with its fills, trade by trade, and scores the liquidations that were inferred. */
export async function compareDay(
  fills: DayFills,
  { coins, tape, coverage, inferred }: RecordedDay,
  nowMs: number,
): Promise<Reconciliation> {
  const { dayMs, hours, refused } = fills;
  const endMs = dayMs + DAY_MS;
  const compared = new Set(hours);
  const isCompared = (ts: number): boolean =>
    ts >= dayMs && ts < endMs && compared.has(new Date(ts).getUTCHours());
  const score = inferred && new DayScore(inferred);
  const results: CoinReconciliation[] = [];
  const lists: { [kind in 'missing' | 'extra' | 'different']: Difference[] } = {
    missing: [],
    extra: [],
    different: [],
  };
  for (const coin of coins) {
    const columns = fills.coins.get(coin);
    const comparison = new CoinComparison(coin, columns, compared);
    const alarms = new CoinAlarms(inferred?.byCoin.get(coin));
    for await (const ticks of recordedTicks(tape, coin, dayMs - EARLY_MAX_MS, endMs + LATE_MAX_MS))
      addTicks(comparison, alarms, ticks, dayMs);
    score?.add(coin, alarms.within(isCompared), fills.liquidations.get(coin) ?? []);
    const stretches = await coverage.stretches(coin, dayMs, endMs);
    const isComplete = (ts: number): boolean =>
      stretches.some(
        ({ from, to, state }) => from <= ts && ts < to && (state === 'complete' || state === 'refilled'),
      );
    const { result, missing } = comparison.finish((ts) => !isComplete(ts));
    if (result.chain + result.tape === 0) continue;
    results.push(result);
    lists.missing.push(...missing);
    lists.extra.push(...comparison.extra);
    lists.different.push(...comparison.different);
  }
  const known = new Set(coins);
  const sum = (key: keyof Omit<CoinReconciliation, 'coin'>): number =>
    results.reduce((total, result) => total + result[key], 0);
  const found = {
    hoursMissing: Array.from({ length: HOURS }, (_, hour) => hour).filter((hour) => !compared.has(hour)),
    refused,
    total: {
      chain: sum('chain'),
      tape: sum('tape'),
      matched: sum('matched'),
      missing: sum('missing'),
      missingReported: sum('missingReported'),
      extra: sum('extra'),
      different: sum('different'),
    },
  };
  return {
    day: new Date(dayMs).toISOString().slice(0, 10),
    comparedAtMs: nowMs,
    verdict: verdictOf(found),
    ...found,
    coinsNotRecorded: [...fills.coins.keys()].filter((coin) => !known.has(coin)).length,
    coins: results,
    missing: lists.missing.slice(0, LISTED_MAX),
    extra: lists.extra.slice(0, LISTED_MAX),
    different: lists.different.slice(0, LISTED_MAX),
    ...(score && { liquidations: score.result() }),
  };
}

/** Adds the ticks of the day by the venue's time. */
function addTicks(
  comparison: CoinComparison,
  alarms: CoinAlarms,
  { columns, ids }: Ticks,
  dayMs: number,
): void {
  const priceScale = 10 ** columns.priceDecimals;
  const sizeScale = 10 ** columns.sizeDecimals;
  for (let i = 0; i < columns.length; i += 1) {
    const tapeTs = columns.ts[i] as number;
    const ts = tapeTs - (ids.lateMs[i] as number);
    const tid = ids.tid[i] as number;
    alarms.trade(tid, tapeTs, ts);
    if (ts < dayMs || ts >= dayMs + DAY_MS) continue;
    comparison.add({
      ts,
      tid,
      side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
      price: (columns.price[i] as number) / priceScale,
      size: (columns.size[i] as number) / sizeScale,
    });
  }
}
