import type { Schemas } from '@crosstape/client';
import { intervalStart } from '@crosstape/client/bars';

type Candle = Schemas['Candle'];
type CvdPoint = Schemas['CvdSeries']['points'][number];
type Deltas = CvdPoint['all'];
type Pairs = Readonly<Record<string, readonly number[]>>;

/** A part of an interval that was over before the interval was. */
export interface IntervalPart {
  readonly interval: '1h' | '1m';
  readonly start: number;
  /** Not included. */
  readonly end: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The finished parts of the interval that began at `openTs`, at a time: its whole hours, then its whole minutes. */
export function partsOf(openTs: number, nowMs: number): readonly IntervalPart[] {
  const hourTs = Math.max(openTs, intervalStart(nowMs, HOUR_MS));
  const minuteTs = Math.max(hourTs, intervalStart(nowMs, MINUTE_MS));
  const parts = [
    { interval: '1h', start: openTs, end: hourTs },
    { interval: '1m', start: hourTs, end: minuteTs },
  ] as const;
  return parts.filter(({ start, end }) => start < end);
}

/** The candle of an interval from candles of its parts, oldest first; `undefined` if nothing was traded. */
export function joinCandles(openTs: number, parts: readonly Candle[]): Candle | undefined {
  const [first] = parts;
  if (!first) return undefined;
  return parts.slice(1).reduce(
    (candle, part) => ({
      ...candle,
      high: Math.max(candle.high, part.high),
      low: Math.min(candle.low, part.low),
      close: part.close,
      volume: sum(candle.volume, part.volume),
      ...both('buyVolume', candle, part),
      ...both('notionalUsd', candle, part),
      ...both('trades', candle, part),
      ...both('buyTrades', candle, part),
      liqLongUsd: sum(candle.liqLongUsd, part.liqLongUsd),
      liqShortUsd: sum(candle.liqShortUsd, part.liqShortUsd),
      ...(candle.byMarket && part.byMarket && { byMarket: sumsByName([candle.byMarket, part.byMarket]) }),
      // A known gap in one of them wins; else it is unknown if one is unknown.
      complete: candle.complete === false ? false : part.complete && candle.complete,
    }),
    { ...first, ts: openTs },
  );
}

/** The deltas of an interval from those of its parts, oldest first; running sums continue from the point before. */
export function joinPoints(
  openTs: number,
  parts: readonly CvdPoint[],
  before: CvdPoint | undefined,
): CvdPoint | undefined {
  if (parts.length === 0) return undefined;
  const scope = (name: 'perp' | 'spot' | 'all'): Deltas => {
    const deltaCoins = parts.reduce((total, part) => sum(total, part[name].deltaCoins), 0);
    const deltaUsd = parts.reduce((total, part) => sum(total, part[name].deltaUsd), 0);
    const { cvdCoins = 0, cvdUsd = 0 } = before?.[name] ?? {};
    return { deltaCoins, deltaUsd, cvdCoins: sum(cvdCoins, deltaCoins), cvdUsd: sum(cvdUsd, deltaUsd) };
  };
  return {
    ts: openTs,
    complete: parts.every(({ complete }) => complete),
    markets: sumsByName(parts.map(({ markets }) => markets)),
    perp: scope('perp'),
    spot: scope('spot'),
    all: scope('all'),
  };
}

/** Pairs of figures by the id of a market, each the sum of those with the same id. */
function sumsByName(parts: readonly Pairs[]): Pairs {
  const sums: Record<string, number[]> = {};
  for (const part of parts)
    for (const [id, [one = 0, other = 0]] of Object.entries(part)) {
      const [oneBefore = 0, otherBefore = 0] = sums[id] ?? [];
      sums[id] = [sum(oneBefore, one), sum(otherBefore, other)];
    }
  return sums;
}

/** A figure that candles of some venues do not have: the sum lacks it where one of them does. */
function both(
  name: 'buyVolume' | 'notionalUsd' | 'trades' | 'buyTrades',
  a: Candle,
  b: Candle,
): Partial<Candle> {
  const [one, other] = [a[name], b[name]];
  return { [name]: one === undefined || other === undefined ? undefined : sum(one, other) };
}

/** Sum of decimals with at most 15 digits, without floating-point noise. */
function sum(a: number, b: number): number {
  return Number((a + b).toPrecision(15));
}
