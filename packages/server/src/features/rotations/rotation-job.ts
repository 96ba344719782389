import type { BuildStats } from '@crosstape/core';
import type { Static } from 'typebox';
import type { LatestTopic } from '../../platform/bus.ts';
import type { RotationRecord } from './rotation-table.ts';
import type { RotationStats } from './schema.ts';

/** The state of a build, as served. */
export interface RotationJob {
  readonly status: RotationRecord['status'];
  /** 0 to 1; 1 only when done. */
  readonly pct: number;
  readonly trades: number;
  readonly totalTrades: number;
  readonly bars: number;
  readonly resultKey?: string;
  readonly error?: string;
  readonly stats?: BuildStats;
  /** The end of its window. */
  readonly submittedAt: number;
}

/** A build moved. */
export interface RotationNews {
  readonly id: string;
  readonly job: RotationJob;
}

export const rotationTopic: LatestTopic<RotationNews> = {
  name: 'rotations',
  keep: { kind: 'latest' },
  by: 'gateway',
};

/** While trades are still being read, progress is never reported as complete. */
const PCT_UNDER_WAY_MAX = 0.99;

export function jobOf(record: RotationRecord): RotationJob {
  const { status, trades, totalTrades, bars, resultKey, error, stats, submittedAtMs } = record;
  const share = totalTrades === 0 ? 0 : Math.min(trades / totalTrades, PCT_UNDER_WAY_MAX);
  return {
    status,
    pct: status === 'done' ? 1 : share,
    trades,
    totalTrades,
    bars,
    ...(status === 'done' && { resultKey }),
    ...(error !== undefined && { error }),
    ...(stats && { stats }),
    submittedAt: submittedAtMs,
  };
}

/** Copies the statistics of a build. */
export function servedStats({ gaps, merged, ...stats }: BuildStats): Static<typeof RotationStats> {
  return {
    ...stats,
    gaps: [...gaps],
    ...(merged && { merged: { ...merged, members: [...merged.members] } }),
  };
}
