import type { SourceStatus } from './health.ts';

/** The recorded flow figures of a coin, per minute. */
export const flowMetrics = [
  'flowPressureScore',
  'proxyPremiumBps',
  'kimchiPremiumBps',
  'etfLatestTotalUsdm',
  'proxyTapeDeltaUsd5m',
  'primaryMicroNetUsd5m',
  'venueSpreadDispersionBps',
  'sourcePartial',
] as const;
export type FlowMetric = (typeof flowMetrics)[number];

/** Quality of a part: `stale` if partial or outdated. */
export type Liveness = 'live' | 'stale' | 'none';

/** The parts that the figures of a coin are made from. */
export interface FlowCoverage {
  /** `full`: every spot venue is fresh. */
  readonly globalSpot: 'full' | 'partial' | 'none';
  readonly kimchi: Liveness;
  readonly etfProxy: Liveness;
  readonly primaryMicro: Liveness;
}

/** A failing source, as it is reported. */
export interface FailingSource {
  readonly source: string;
  readonly status: SourceStatus;
  /** Age of its last good value; null when there was none. */
  readonly ageMs: number | null;
  readonly error: string | null;
  /** The affected coins, if not all. */
  readonly coins?: string[];
}

/** The state of an active signal that is needed to continue it after a restart. */
export interface SignalMark {
  readonly slug: string;
  /** The minute of its start. */
  readonly beganMs: number;
  /** Number of the signal of this slug within that minute, from 1; absent: the first. */
  readonly count?: number;
  /** Sign of its value; absent in records of older versions. */
  readonly sign?: 1 | -1;
  /** When it was last at or above 80 % of its warm threshold. */
  readonly warmMs: number;
  /** Its largest value, with sign; absent in records of older versions. */
  readonly peak?: number;
}

/** Sources by figure: names joined by `+`. */
export interface FlowOrigins {
  readonly spot?: string;
  readonly korea?: string;
  readonly etf?: string;
  readonly proxyTape?: string;
  readonly primaryTape?: string;
}

/** The flows of a coin in one minute. */
export interface FlowPoint {
  readonly coin: string;
  /** Start of the minute. */
  readonly t: number;
  /** At its end; figures that could not be computed are absent. */
  readonly values: Readonly<Partial<Record<FlowMetric, number>>>;
  readonly origins: FlowOrigins;
  readonly coverage: FlowCoverage;
  /** Whether any source failed at any time of the minute. */
  readonly partial: boolean;
  /** Whether any part was stale. */
  readonly stale: boolean;
  /** Failing sources, with the last report of each. */
  readonly sources: readonly FailingSource[];
  /** The signals that were on. */
  readonly signals: readonly SignalMark[];
}
