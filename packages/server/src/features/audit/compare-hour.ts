import {
  type AuditFigures,
  type CandleFigure,
  type CandleRow,
  type DifferingMinute,
  HOUR_MS,
  type HourAudit,
  type HourVerdict,
  MINUTE_MS,
  roundTo,
} from '@crosstape/core';

/** A difference of this share is rounding, or a trade on the other side of a minute. */
const WITHIN_PCT = 0.1;
/** Decimals of `diffPct`. */
const PCT_DECIMALS = 6;
/** Venues round the value of trades: a difference below this share of the hour's value is ignored. */
const WORTH_ROUNDING = 1e-9;
/** Decimals of sums over minutes: more than any venue has, fewer than floats lose. */
const SUM_DECIMALS = 10;
/** Relative error of a floating-point sum. */
const SUM_ROUNDING = 1e-12;

interface Range {
  readonly from: number;
  readonly to: number;
}

export interface HourToCompare {
  readonly market: string;
  readonly hour: number;
  /** Minutes of the hour, oldest first. */
  readonly ours: readonly CandleRow[];
  /** Absent if the venue has none; see `reason`. */
  readonly venue?: readonly CandleRow[];
  readonly reason?: string;
  /** Spans of the hour where the tape reports that trades are or may be missing. */
  readonly gaps: readonly Range[];
  /**
   * Spans around the hour whose trades were requested later. Live trades may precede them on the tape, which counts
   * such late trades in a later minute, up to the one after the span.
   */
  readonly refilled?: readonly Range[];
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
const allAmounts = Object.keys(amounts) as Amount[];
/** For minutes that are compared as one: which trade was first is unknown. */
const unorderedPrices = ['high', 'low'] as const;

/** Compares minute by minute, on the figures that the venue's candles prove; refilled minutes are compared as one. */
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
  let hasGap = gaps.length > 0;
  for (const { from: start, to: end, isRefilled, isCut } of blocksOf(hour)) {
    const times = Array.from({ length: (end - start) / MINUTE_MS }, (_, i) => start + i * MINUTE_MS);
    const [a, b] = [ours, theirs].map((rows) => summed(times.flatMap((ts) => rows?.get(ts) ?? [])));
    const shares = sharesOf(a, b, venue, isRefilled ? unorderedPrices : prices);
    apart += shares.volume;
    const figures = figuresApart(shares, proves);
    if (figures.length === 0) continue;
    const isReported = isCut || gaps.some((gap) => gap.from < end && gap.to > start);
    if (isReported) hasGap = true;
    else silent.push(shares);
    for (const ts of times) {
      const [our, their] = [ours?.get(ts), theirs?.get(ts)];
      const named = figuresApart(sharesOf(our, their, venue), figures);
      if (named.length === 0) continue;
      minutes.push({
        ts,
        figures: named,
        ...(our && { ours: figuresOf([our], proves) }),
        ...(their && { venue: figuresOf([their], proves) }),
        isReported,
      });
    }
  }
  return {
    ...own,
    venue,
    diffPct: roundTo(100 * apart, PCT_DECIMALS),
    verdict: verdictOf(silent, hasGap, proves),
    ...(minutes.length > 0 && { minutes }),
  };
}

/** The minutes of an hour; those that refilled trades may have moved between are one block. */
function blocksOf({ hour, refilled = [] }: HourToCompare): readonly (Range & {
  readonly isRefilled: boolean;
  /** Trades may have moved over the start or the end of the hour. */
  readonly isCut: boolean;
})[] {
  const ranges = refilled.map(({ from, to }) => ({
    from: minuteOf(from),
    to: minuteOf(to - 1) + 2 * MINUTE_MS,
  }));
  const isWithin = (ts: number): boolean => ranges.some(({ from, to }) => ts >= from && ts < to);
  const endOfHour = hour + HOUR_MS;
  const blocks = [];
  for (let from = hour; from < endOfHour; ) {
    const isRefilled = isWithin(from);
    let to = from + MINUTE_MS;
    while (isRefilled && to < endOfHour && isWithin(to)) to += MINUTE_MS;
    const isMoved = (at: number): boolean => ranges.some((range) => range.from < at && range.to > at);
    const isCut = (from === hour && isMoved(hour)) || (to === endOfHour && isMoved(endOfHour));
    blocks.push({ from, to, isRefilled, isCut });
    from = to;
  }
  return blocks;
}

function minuteOf(ts: number): number {
  return ts - (ts % MINUTE_MS);
}

/** Minutes as one, without its order of trades. */
function summed(rows: readonly CandleRow[]): Row {
  const [first] = rows;
  if (!first || rows.length === 1) return first;
  return {
    ...first,
    ...figuresOf(rows, allAmounts),
    high: Math.max(...rows.map(({ high }) => high)),
    low: Math.min(...rows.map(({ low }) => low)),
  };
}

/** Which of some figures differ. */
function figuresApart(shares: Shares, some: readonly CandleFigure[]): readonly CandleFigure[] {
  return some.filter((name) => shares[name] > (name === 'notional' ? WORTH_ROUNDING : 0));
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
function sharesOf(
  a: Row,
  b: Row,
  hour: AuditFigures,
  compared: readonly (typeof prices)[number][] = prices,
): Shares {
  const share = (name: Amount): number => {
    const field = amounts[name];
    const difference = Math.abs((a?.[field] ?? 0) - (b?.[field] ?? 0));
    const total = hour[field] ?? 0;
    if (difference <= total * SUM_ROUNDING) return 0;
    return total > 0 ? difference / total : 1;
  };
  return {
    prices: a && b ? Math.max(...compared.map((name) => Math.abs(a[name] - b[name]) / b[name])) : 0,
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
