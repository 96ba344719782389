import { spotVenueNames } from '../spot-venues.ts';
import type { Confidence } from './etf-proxy.ts';
import type { FlowFigures } from './flow-figures.ts';

export type SignalLayer = 'venue' | 'regional' | 'etf' | 'micro' | 'composite';
export type SignalSeverity = 'warm' | 'hot';

/** When a condition is worth a word, and which. */
export interface SignalRule {
  readonly slug: string;
  readonly layer: SignalLayer;
  /** In words, for the documentation. */
  readonly looksAt: string;
  readonly unit: 'bps' | 'σ' | 'points';
  /** From these sizes on, whatever the sign. */
  readonly warm: number;
  readonly hot: number;
  /** `undefined` while it is not known. */
  readonly value: (figures: FlowFigures) => number | undefined;
  readonly title: (value: number, severity: SignalSeverity) => string;
  readonly message: (value: number, figures: FlowFigures) => string;
  readonly confidence: (figures: FlowFigures) => Confidence;
}

/** Hours of the primary venue's net that make what is usual of it well known, or known. */
const DEVIATION_SAMPLES = { high: 1_080, medium: 360 };
/** Complete days of flows that do. */
const ETF_DAYS = { high: 15, medium: 8 };
const PARTS = { high: 4, medium: 3 };

export const signalRules: readonly SignalRule[] = [
  {
    slug: 'venue-dispersion',
    layer: 'venue',
    looksAt: 'dearest less cheapest spot venue',
    unit: 'bps',
    warm: 15,
    hot: 30,
    value: ({ spreads }) => spreads?.dispersionBps,
    title: (_, severity) => (severity === 'hot' ? 'Spot venues far apart' : 'Spot venues apart'),
    message: (value, { spreads, coin }) =>
      `${coin} costs ${bps(value)} more on ${spreads?.premiumVenue} than on ${spreads?.discountVenue}.`,
    confidence: ({ spreads }) => ofVenues(spreads?.freshVenues ?? 0),
  },
  {
    slug: 'proxy-premium',
    layer: 'etf',
    looksAt: 'Coinbase against the median of the other spot venues',
    unit: 'bps',
    warm: 8,
    hot: 15,
    value: ({ proxy }) => proxy?.premiumBps,
    title: (value, severity) => `${strong(severity)}Coinbase ${value > 0 ? 'premium' : 'discount'}`,
    message: (value, { coin }) =>
      `${coin} costs ${bps(value)} ${value > 0 ? 'more' : 'less'} on Coinbase than on the other spot venues.`,
    confidence: (figures) => figures.proxyConfidence,
  },
  {
    slug: 'regional-premium',
    layer: 'regional',
    looksAt: 'Korean premium by the official rate of the won',
    unit: 'bps',
    warm: 200,
    hot: 400,
    value: ({ kimchi }) => (typeof kimchi === 'object' ? kimchi.premiumBps : undefined),
    title: (value, severity) => `${strong(severity)}Korean ${value > 0 ? 'premium' : 'discount'}`,
    message: (value, { coin }) =>
      `${coin} costs ${percent(value)} ${value > 0 ? 'more' : 'less'} in Korea than in the rest of the world.`,
    confidence: ({ kimchi, spreads }) => {
      if (typeof kimchi !== 'object' || kimchi.usdKrw.isStale) return 'low';
      return kimchi.priceFrom === 'book' ? ofVenues(spreads?.freshVenues ?? 0) : 'medium';
    },
  },
  {
    slug: 'etf-flow',
    layer: 'etf',
    looksAt: 'last complete day of the ETFs over the standard deviation of the days shown',
    unit: 'σ',
    warm: 1.5,
    hot: 2.5,
    value: ({ etf }) => etf?.deviations,
    title: (value, severity) =>
      `${severity === 'hot' ? 'Very large' : 'Large'} ETF ${value > 0 ? 'inflow' : 'outflow'}`,
    message: (value, { etf }) =>
      `The ETFs ${value > 0 ? 'took in' : 'gave out'} ${Math.abs(etf?.latestTotalUsdm ?? 0)} million USD on their last complete day, ${size(value)} standard deviations.`,
    confidence: ({ etf }) => ofCount(etf?.days ?? 0, ETF_DAYS),
  },
  {
    slug: 'micro-flow',
    layer: 'micro',
    looksAt: "primary venue's 5-minute net over its standard deviation of 24 hours",
    unit: 'σ',
    warm: 3,
    hot: 5,
    value: ({ primaryTape, deviation }) =>
      primaryTape?.isWhole && deviation ? primaryTape.netUsd / deviation.sigmaUsd : undefined,
    title: (value, severity) =>
      `${severity === 'hot' ? 'Extreme' : 'Unusual'} taker ${value > 0 ? 'buying' : 'selling'}`,
    message: (value, { primaryTape, coin }) =>
      `Takers ${value > 0 ? 'bought' : 'sold'} ${coin} worth ${Math.round(Math.abs(primaryTape?.netUsd ?? 0))} USD net within 5 minutes, ${size(value)} standard deviations of the last 24 hours.`,
    confidence: ({ deviation }) => ofCount(deviation?.samples ?? 0, DEVIATION_SAMPLES),
  },
  {
    slug: 'pressure',
    layer: 'composite',
    looksAt: 'flow pressure score',
    unit: 'points',
    warm: 50,
    hot: 75,
    value: ({ pressure }) => (pressure.components.length === 0 ? undefined : pressure.score),
    title: (value, severity) =>
      severity === 'hot'
        ? `Strong ${value > 0 ? 'buying' : 'selling'} pressure`
        : `${value > 0 ? 'Buying' : 'Selling'} pressure`,
    message: (value, { pressure }) =>
      `The flow pressure score is ${value}, from ${pressure.components.length} of 5 parts.`,
    confidence: ({ pressure }) => ofCount(pressure.components.length, PARTS),
  },
];

function ofVenues(fresh: number): Confidence {
  return ofCount(fresh, { high: spotVenueNames.length, medium: 3 });
}

function ofCount(count: number, least: { readonly high: number; readonly medium: number }): Confidence {
  if (count >= least.high) return 'high';
  return count >= least.medium ? 'medium' : 'low';
}

function strong(severity: SignalSeverity): string {
  return severity === 'hot' ? 'Strong ' : '';
}

function size(value: number): string {
  return Math.abs(value).toFixed(1);
}

function bps(value: number): string {
  return `${size(value)} bps`;
}

function percent(valueBps: number): string {
  return `${(Math.abs(valueBps) / 100).toFixed(2)} %`;
}
