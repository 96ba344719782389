import type { BuildSpec } from '@crosstape/client/bars';

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

export const intervals = ['1m', '5m', '15m', '1h', '4h'] as const;
const lengthsMs = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000 };
/** How far back a chart of these begins; a week is kept. */
const spans = { '1m': 1, '5m': 3, '15m': 7, '1h': 7, '4h': 7 };

/** Bars that a day of a coin is cut into where its size decides. */
const BARS_PER_DAY = 400;
const DELTA_SHARE = 0.25;

/** 1, 2 or 5 times a power of ten, at or below a number. */
function niceBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** What to build by the words of an address; nothing while a default is not known yet. */
export function specOf(
  coin: string,
  query: URLSearchParams,
  volume24hUsd: number | undefined,
): BuildSpec | undefined {
  const kind = barKinds.find(({ name }) => name === query.get('kind')) ?? barKinds[0];
  if (!kind) return undefined;
  const given = Number(query.get('days'));
  const days = given > 0 && given <= 7 ? given : undefined;
  if (kind.name === 'time') {
    const interval = intervals.find((one) => one === query.get('interval')) ?? '1m';
    return {
      coin,
      kind: kind.name,
      params: { intervalMs: lengthsMs[interval] },
      days: days ?? spans[interval],
    };
  }
  const params: Record<string, number | string> = {};
  for (const param of kind.params) {
    const value = paramOf(param, query, volume24hUsd);
    if (value === undefined) return undefined;
    params[param.name] = value;
    if (param.unit === '$') params.unit = 'usd';
  }
  return { coin, kind: kind.name, params, days: days ?? 1 };
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
