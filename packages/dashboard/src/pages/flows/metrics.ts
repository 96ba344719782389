import { type AnswerOf, type QueryOf, systemClock } from '@crosstape/client';
import { bps, percent, plain, usd } from '../../format/numbers.ts';

export type Metric = QueryOf<'/flows/history'>['metric'];
type Asset = NonNullable<QueryOf<'/flows/etf'>['asset']>;
type Component = NonNullable<AnswerOf<'/flows/summary'>['data']['rows'][number]['components']>[number];

/** The coins that have ETFs. */
export const etfAssets: Readonly<Record<string, Asset>> = { BTC: 'bitcoin', ETH: 'ethereum' };

const points = (value: number | undefined): string => plain(value, 1);
const signedUsd = (value: number | undefined): string => usd(value, { signed: true });

/** Every recorded flow metric: its name, its format, and whether it is stepped. */
export const metrics: Readonly<
  Record<
    Metric,
    {
      readonly name: string;
      readonly text: (value: number | undefined) => string;
      readonly isStepped?: boolean;
      readonly range?: readonly [low: number, high: number];
    }
  >
> = {
  flowPressureScore: { name: 'Pressure score', text: points },
  proxyPremiumBps: { name: 'Coinbase premium', text: bps },
  kimchiPremiumBps: { name: 'Korean premium', text: bps },
  venueSpreadDispersionBps: { name: 'Venue dispersion', text: (value) => bps(value, { signed: false }) },
  proxyTapeDeltaUsd5m: { name: 'Coinbase taker net, 5 min', text: signedUsd },
  primaryMicroNetUsd5m: { name: 'Primary venue taker net, 5 min', text: signedUsd },
  etfLatestTotalUsdm: {
    name: 'ETF net flow, last day',
    text: (value) => signedUsd(value === undefined ? undefined : value * 1e6),
    isStepped: true,
  },
  sourcePartial: {
    name: 'A source was missing',
    text: (value) => (value === undefined ? '–' : value === 1 ? 'yes' : value === 0 ? 'no' : ''),
    isStepped: true,
    range: [-0.05, 1.05],
  },
};
export const metricNames = Object.keys(metrics) as readonly Metric[];

/** How far back charts go. */
export const spans = ['6h', '24h', '7d', 'live'] as const;
export type Span = (typeof spans)[number];
export const spanNames = { '6h': '6 h', '24h': '24 h', '7d': '7 d', live: 'Live' } as const;
const HOUR_MS = 3_600_000;
const spanMs: Readonly<Record<Span, number>> = {
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  live: HOUR_MS / 4,
};

const MINUTE_MS = 60_000;

/** Start of a span that ends now, to the minute, so that requests within it share one answer. */
export function sinceOf(span: Span): number {
  return Math.floor(systemClock.now() / MINUTE_MS) * MINUTE_MS - spanMs[span];
}

/** Minutes are recorded: a missing one is a gap. */
export const GAP_MS = 90_000;

const parts: Readonly<Record<string, readonly [name: string, text: (x: number) => string]>> = {
  proxyPremium: ['Coinbase premium', (x) => bps(x)],
  kimchiPremium: ['Korean premium', (x) => bps(x)],
  proxyTape: ['Coinbase taker net', (x) => `${percent(x * 100, { digits: 1 })} of volume`],
  primaryNet: ['Primary taker net', (x) => `${percent(x * 100, { digits: 1 })} of volume`],
  etfFlow: ['ETF flow, last day', (x) => `${plain(x)} σ`],
};

export function partName({ part }: Component): string {
  return parts[part]?.[0] ?? part;
}

export function partText({ part, x }: Component): string {
  return parts[part]?.[1](x) ?? plain(x);
}
