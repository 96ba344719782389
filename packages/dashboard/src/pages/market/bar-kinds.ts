import type { BuildSpec, CandleSpec } from '@crosstape/client/bars';
import type { MarketChoice } from './market-choice.ts';

export type ChartSpec = BuildSpec | CandleSpec;

/** A number that a kind of bars takes; its name is the one of the interface, and of the address. */
export interface KindParam {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly fallback: number;
}

export interface KindChoice {
  readonly name: BuildSpec['kind'];
  readonly title: string;
  readonly params: readonly KindParam[];
}

/** Every kind that the service builds. */
export const barKinds: readonly KindChoice[] = [
  { name: 'time', title: 'Time', params: [] },
  { name: 'tick', title: 'Tick', params: [{ name: 'trades', label: 'Trades', unit: '', fallback: 200 }] },
  { name: 'volume', title: 'Volume', params: [{ name: 'volume', label: 'Volume', unit: '$', fallback: 0 }] },
  {
    name: 'range',
    title: 'Range',
    params: [{ name: 'rangeTicks', label: 'Range', unit: 'ticks', fallback: 80 }],
  },
  { name: 'delta', title: 'Delta', params: [{ name: 'delta', label: 'Imbalance', unit: '$', fallback: 0 }] },
  {
    name: 'trend_reversal',
    title: 'Trend',
    params: [
      { name: 'trendTicks', label: 'With', unit: 'ticks', fallback: 80 },
      { name: 'revTicks', label: 'Back', unit: 'ticks', fallback: 40 },
    ],
  },
  {
    name: 'pnf',
    title: 'P&F',
    params: [
      { name: 'boxTicks', label: 'Box', unit: 'ticks', fallback: 40 },
      { name: 'reversal', label: 'Reversal', unit: 'boxes', fallback: 3 },
    ],
  },
];

/** Lengths of candles; the first is the default. */
export const intervals = [
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '6h',
  '8h',
  '12h',
  '1d',
  '1w',
] as const satisfies readonly CandleSpec['interval'][];
/** Lengths below a minute, which are built from the record: in ms, and the days that a chart of them begins with. */
const shortIntervals = {
  '1s': { intervalMs: 1_000, days: 0.1 },
  '5s': { intervalMs: 5_000, days: 0.25 },
  '15s': { intervalMs: 15_000, days: 0.5 },
} as const;
const shortNames = Object.keys(shortIntervals) as (keyof typeof shortIntervals)[];
/** Lengths of all time bars. */
export const marketIntervals = [...shortNames, ...intervals];
export type MarketInterval = (typeof marketIntervals)[number];
/** Those in a menu instead of beside each other, where there is no room for all. */
export const rareIntervals: readonly MarketInterval[] = ['3m', '30m', '2h', '6h', '8h', '12h'];
export const usualIntervals = marketIntervals.filter((one) => !rareIntervals.includes(one));
/** Initial number of candles; older ones are loaded when they become visible. */
const CANDLES_FIRST = 1_000;

const DAYS_MAX = 7;
const DAYS_FIRST = 1;
/** Days that bars of other kinds are built from. */
export const daysChoices: readonly number[] = [DAYS_FIRST, 2, 3, DAYS_MAX];
/** Bars that a day of a coin is cut into where its size decides. */
const BARS_PER_DAY = 400;
const DELTA_SHARE = 0.25;

/** 1, 2 or 5 times a power of ten, at or below a number. */
function niceBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** The bars that a URL describes; nothing while a default is unknown. */
export function specOf(
  { id, coin, isPrimary }: MarketChoice,
  query: URLSearchParams,
  volume24hUsd: number | undefined,
): ChartSpec | undefined {
  const kind = barKinds.find(({ name }) => name === query.get('kind')) ?? barKinds[0];
  if (!kind) return undefined;
  const of = isPrimary ? { coin } : { market: id };
  const short = shortNames.find((one) => one === query.get('interval'));
  if (kind.name === 'time' && short) {
    const { intervalMs, days } = shortIntervals[short];
    return { ...of, kind: 'time', params: { intervalMs }, days: daysOf(query, days) };
  }
  if (kind.name === 'time') {
    const interval = intervals.find((one) => one === query.get('interval')) ?? intervals[0];
    return { market: id, interval, limit: CANDLES_FIRST };
  }
  const params: Record<string, number | string> = {};
  for (const param of kind.params) {
    const value = paramOf(param, query, volume24hUsd);
    if (value === undefined) return undefined;
    params[param.name] = value;
    if (param.unit === '$') params.unit = 'usd';
  }
  return { ...of, kind: kind.name, params, days: daysOf(query) };
}

/** How many days an address chooses. */
export function daysOf(query: URLSearchParams, fallback: number = DAYS_FIRST): number {
  const given = Number(query.get('days'));
  return given > 0 && given <= DAYS_MAX ? given : fallback;
}

/** `day`, `3 days`. */
export function daysText(days: number = DAYS_FIRST): string {
  return days === 1 ? 'day' : `${days} days`;
}

/** The name of a length below a minute. */
export function shortIntervalOf({ params }: BuildSpec): string | undefined {
  return shortNames.find((name) => shortIntervals[name].intervalMs === params?.intervalMs);
}

/** The value of a parameter: that of the address, or one that suits the coin. */
export function paramOf(
  { name, fallback }: KindParam,
  query: URLSearchParams,
  volume24hUsd: number | undefined,
): number | undefined {
  const given = Number(query.get(name));
  if (Number.isFinite(given) && given > 0) return given;
  if (fallback > 0) return fallback;
  if (!volume24hUsd) return undefined;
  return niceBelow((volume24hUsd / BARS_PER_DAY) * (name === 'delta' ? DELTA_SHARE : 1));
}
