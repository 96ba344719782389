import type { CandleFigure } from './candles/venue-candle.ts';

export const hourVerdicts = ['equal', 'within', 'differs', 'incomplete', 'unavailable'] as const;
export type HourVerdict = (typeof hourVerdicts)[number];

/** Figures of an hour or a minute: the volume, and those that the venue's candles prove as well. */
export interface AuditFigures {
  readonly volume: number;
  readonly buyVolume?: number;
  readonly notionalUsd?: number;
  readonly trades?: number;
}

/** A minute that is not the same on both sides. */
export interface DifferingMinute {
  readonly ts: number;
  /** Which of its figures. */
  readonly figures: readonly CandleFigure[];
  /** Absent where that side has no trade. */
  readonly ours?: AuditFigures;
  readonly venue?: AuditFigures;
  /** Whether the tape reports a gap there. */
  readonly isReported: boolean;
}

/** A recorded hour of a market against the venue's own candles of it. */
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
  /** Those that are not the same. */
  readonly minutes?: readonly DifferingMinute[];
  /** Of one that is unavailable: why. */
  readonly reason?: string;
  /** Of one that differs or has a reported gap, on a market with numbered trades: what requesting them again brought. */
  readonly refill?: HourRefill;
}

/** The trades of the minutes that differ were requested again. */
export interface HourRefill {
  /** Trades that the tape lacks. */
  readonly trades: number;
  /** Whether the hour agrees with the venue's candles with them: they are kept beside the tape. */
  readonly isRepaired: boolean;
  /** Why the venue returned none. */
  readonly reason?: string;
}

/** What the hourly audit found so far. */
export interface AuditState {
  readonly checkedAtMs: number;
  /** When the next hour is due; absent while hours are being compared for the first time. */
  readonly nextAtMs?: number;
  /** Hours audited since the start of the process, by venue. */
  readonly counts: Readonly<Record<string, Readonly<Record<HourVerdict, number>>>>;
  /** Hours of the last day that differ although the tape reports no gap there, and could not be repaired. */
  readonly differing: readonly Pick<HourAudit, 'market' | 'hour' | 'diffPct'>[];
}
