import type { CandleFigure } from './candles/venue-candle.ts';

export const hourVerdicts = ['equal', 'within', 'differs', 'incomplete', 'unavailable'] as const;
export type HourVerdict = (typeof hourVerdicts)[number];

/** Figures of an hour or a minute: the volume, and those that the venue's candles include. */
export interface AuditFigures {
  readonly volume: number;
  readonly buyVolume?: number;
  readonly notionalUsd?: number;
  readonly trades?: number;
}

/** A minute that differs between tape and venue. */
export interface DifferingMinute {
  readonly ts: number;
  /** The figures that differ. */
  readonly figures: readonly CandleFigure[];
  /** Absent where that side has no trade. */
  readonly ours?: AuditFigures;
  readonly venue?: AuditFigures;
  /** Whether the tape reports a gap there. */
  readonly isReported: boolean;
}

/** Comparison of a recorded hour of a market with the venue's own candles. */
export interface HourAudit {
  readonly market: string;
  /** Its start in ms. */
  readonly hour: number;
  readonly verdict: HourVerdict;
  readonly ours: AuditFigures;
  /** Absent while unavailable. */
  readonly venue?: AuditFigures;
  /** Volume that is on one side only, minute by minute, as a share of the venue's. */
  readonly diffPct?: number;
  /** The minutes that differ. */
  readonly minutes?: readonly DifferingMinute[];
  /** Why it is unavailable. */
  readonly reason?: string;
  /**
   * Result of requesting the trades again, for an hour that differs or has a reported gap, on a market with numbered
   * trades.
   */
  readonly refill?: HourRefill;
}

/** Result of requesting the trades of differing minutes again. */
export interface HourRefill {
  /** Trades that the tape lacks. */
  readonly trades: number;
  /** Whether the hour then agrees with the venue's candles: the trades are kept beside the tape. */
  readonly isRepaired: boolean;
  /** Why the venue returned none. */
  readonly reason?: string;
}

/** Results of the hourly audit. */
export interface AuditState {
  readonly checkedAtMs: number;
  /** When the next hour is compared; absent during the first comparison. */
  readonly nextAtMs?: number;
  /** Hours audited since the start of the process, by venue. */
  readonly counts: Readonly<Record<string, Readonly<Record<HourVerdict, number>>>>;
  /** Hours of the last day that differ although the tape reports no gap there, and could not be repaired. */
  readonly differing: readonly Pick<HourAudit, 'market' | 'hour' | 'diffPct'>[];
}
