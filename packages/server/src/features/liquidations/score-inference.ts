import { roundTo } from '@crosstape/core';

/** A fill by the venue's time and its id. */
export interface FillKey {
  readonly ts: number;
  readonly tid: number;
}

/** An inferred liquidation: the first fill of its order. */
export interface Alarm extends FillKey {
  readonly notionalUsd: number;
}

/** An order that was a liquidation for certain. */
export interface KnownLiquidation {
  readonly fills: readonly FillKey[];
  readonly notionalUsd: number;
}

export interface ScoreCounts {
  readonly inferred: number;
  /** Inferred ones that belong to a known liquidation. */
  readonly correct: number;
  readonly known: number;
  /** Known ones that were inferred. */
  readonly found: number;
  readonly inferredUsd: number;
  readonly correctUsd: number;
  readonly knownUsd: number;
  readonly foundUsd: number;
}

/** Shares from 0 to 1; null if there is nothing to divide by. */
export interface ScoreRatios {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly precisionUsd: number | null;
  readonly recallUsd: number | null;
  /** By how much the inferred sum is above (or below) the known one. */
  readonly notionalErrorPct: number | null;
}

const RATIO_DECIMALS = 4;
const USD_DECIMALS = 2;

/** A tid is a hash and may repeat, so the time is part of the key. */
export function keyOf({ ts, tid }: FillKey): string {
  return `${ts}:${tid}`;
}

/** Compares inferred liquidations with known ones; those that `isScored` refuses count for precision only. */
export function countScore(
  alarms: readonly Alarm[],
  known: readonly KnownLiquidation[],
  isScored: (liquidation: KnownLiquidation) => boolean = () => true,
): ScoreCounts {
  const byFill = new Map(known.flatMap((one) => one.fills.map((fill) => [keyOf(fill), one] as const)));
  const found = new Set<KnownLiquidation>();
  const correct = alarms.filter((alarm) => {
    const liquidation = byFill.get(keyOf(alarm));
    if (liquidation) found.add(liquidation);
    return liquidation !== undefined;
  });
  const scored = known.filter(isScored);
  const foundScored = scored.filter((one) => found.has(one));
  return {
    inferred: alarms.length,
    correct: correct.length,
    known: scored.length,
    found: foundScored.length,
    inferredUsd: usdOf(alarms),
    correctUsd: usdOf(correct),
    knownUsd: usdOf(scored),
    foundUsd: usdOf(foundScored),
  };
}

export function sumCounts(all: readonly ScoreCounts[]): ScoreCounts {
  const sum = (key: keyof ScoreCounts): number => all.reduce((total, counts) => total + counts[key], 0);
  const sumUsd = (key: keyof ScoreCounts): number => roundTo(sum(key), USD_DECIMALS);
  return {
    inferred: sum('inferred'),
    correct: sum('correct'),
    known: sum('known'),
    found: sum('found'),
    inferredUsd: sumUsd('inferredUsd'),
    correctUsd: sumUsd('correctUsd'),
    knownUsd: sumUsd('knownUsd'),
    foundUsd: sumUsd('foundUsd'),
  };
}

export function ratiosOf(counts: ScoreCounts): ScoreRatios {
  const { inferredUsd, knownUsd } = counts;
  return {
    precision: ratio(counts.correct, counts.inferred),
    recall: ratio(counts.found, counts.known),
    precisionUsd: ratio(counts.correctUsd, inferredUsd),
    recallUsd: ratio(counts.foundUsd, knownUsd),
    notionalErrorPct: ratio(100 * (inferredUsd - knownUsd), knownUsd),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : roundTo(part / whole, RATIO_DECIMALS);
}

function usdOf(rows: readonly { readonly notionalUsd: number }[]): number {
  return roundTo(
    rows.reduce((sum, { notionalUsd }) => sum + notionalUsd, 0),
    USD_DECIMALS,
  );
}
