import {
  type CandleFigure,
  type CandleRow,
  type DifferingMinute,
  type AuditFigures,
  type HourAudit,
  type HourVerdict,
  roundTo,
} from '@crosstape/core';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A difference of this share is rounding, or a trade on the other side of a minute. */
const WITHIN_PCT = 0.1;
/** Decimals of `diffPct`. */
const PCT_DECIMALS = 6;
/** Venues print the worth of trades rounded: a smaller share of the hour's is no difference. */
const WORTH_ROUNDING = 1e-9;
/** Decimals of sums over minutes: more than any venue has, fewer than floats lose. */
const SUM_DECIMALS = 10;

export interface HourToCompare {
  readonly market: string;
  readonly hour: number;
  /** Minutes of the hour, oldest first. */
  readonly ours: readonly CandleRow[];
  /** Absent where the venue has none: `reason` says why. */
  readonly venue?: readonly CandleRow[];
  readonly reason?: string;
  /** Spans of the hour where the tape reports that trades are or may be missing. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  readonly proves: readonly CandleFigure[];
}

type Row = CandleRow | undefined;
type Amount = Exclude<CandleFigure, 'prices'>;
type Shares = Readonly<Record<CandleFigure, number>>;

const amounts: Readonly<Record<Amount, keyof AuditFigures>> = {
  volume: 'volume',
  buyVolume: 'buyVolume',
  notional: 'notionalUsd',
  trades: 'trades',
};
const prices = ['open', 'high', 'low', 'close'] as const;

/** Compares minute by minute, on the figures that the venue's candles prove. */
export function compareHour(hour: HourToCompare): HourAudit {
  const { market, hour: from, gaps, proves } = hour;
  const own = { market, hour: from, ours: figuresOf(hour.ours, proves) };
  if (!hour.venue)
    return { ...own, verdict: 'unavailable', reason: hour.reason ?? 'The venue returned no candles.' };
  const venue = figuresOf(hour.venue, proves);
  const [ours, theirs] = [hour.ours, hour.venue].map((rows) => new Map(rows.map((row) => [row.ts, row])));
  const minutes: DifferingMinute[] = [];
  const silent: Shares[] = [];
  let apart = 0;
  for (let ts = from; ts < from + HOUR_MS; ts += MINUTE_MS) {
    const [a, b] = [ours?.get(ts), theirs?.get(ts)];
    const shares = sharesOf(a, b, venue);
    apart += shares.volume;
    const figures = proves.filter((name) => shares[name] > (name === 'notional' ? WORTH_ROUNDING : 0));
    if (figures.length === 0) continue;
    const isReported = gaps.some((gap) => gap.from < ts + MINUTE_MS && gap.to > ts);
    if (!isReported) silent.push(shares);
    minutes.push({
      ts,
      figures,
      ...(a && { ours: figuresOf([a], proves) }),
      ...(b && { venue: figuresOf([b], proves) }),
      isReported,
    });
  }
  return {
    ...own,
    venue,
    diffPct: roundTo(100 * apart, PCT_DECIMALS),
    verdict: verdictOf(silent, gaps.length > 0, proves),
    ...(minutes.length > 0 && { minutes }),
  };
}

/** By the minutes that differ although the tape reports no gap there. */
function verdictOf(silent: readonly Shares[], hasGap: boolean, proves: readonly CandleFigure[]): HourVerdict {
  const isFar = proves.some((name) => {
    const shares = silent.map((minute) => minute[name]);
    const share = name === 'prices' ? Math.max(0, ...shares) : shares.reduce((sum, one) => sum + one, 0);
    return 100 * share > WITHIN_PCT;
  });
  if (isFar) return 'differs';
  if (hasGap) return 'incomplete';
  return silent.length > 0 ? 'within' : 'equal';
}

/** How far the figures of a minute are apart: amounts as a share of the venue's hour, prices of the venue's price. */
function sharesOf(a: Row, b: Row, hour: AuditFigures): Shares {
  const share = (name: Amount): number => {
    const field = amounts[name];
    const difference = Math.abs((a?.[field] ?? 0) - (b?.[field] ?? 0));
    const total = hour[field] ?? 0;
    if (difference === 0) return 0;
    return total > 0 ? difference / total : 1;
  };
  return {
    prices: a && b ? Math.max(...prices.map((name) => Math.abs(a[name] - b[name]) / b[name])) : 0,
    volume: share('volume'),
    buyVolume: share('buyVolume'),
    notional: share('notional'),
    trades: share('trades'),
  };
}

function figuresOf(rows: readonly CandleRow[], proves: readonly CandleFigure[]): AuditFigures {
  const sum = (name: Amount): number =>
    roundTo(
      rows.reduce((total, row) => total + (row[amounts[name]] ?? 0), 0),
      SUM_DECIMALS,
    );
  return {
    volume: sum('volume'),
    ...(proves.includes('buyVolume') && { buyVolume: sum('buyVolume') }),
    ...(proves.includes('notional') && { notionalUsd: sum('notional') }),
    ...(proves.includes('trades') && { trades: sum('trades') }),
  };
}
