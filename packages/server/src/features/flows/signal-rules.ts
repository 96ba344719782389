import { sourceTerms } from '@crosstape/venues';
import { spotVenueNames } from '../spot/spot-venues.ts';
import type { Confidence } from './etf-proxy.ts';
import type { FlowFigures } from './flow-figures.ts';
import { pressureComponents } from './flow-pressure.ts';
import { isCurrent } from './kimchi-premium.ts';

export type SignalLayer = 'venue' | 'regional' | 'etf' | 'micro' | 'composite';
export type SignalSeverity = 'info' | 'warm' | 'hot';

/** One condition: its value, its thresholds and its wording. */
export interface SignalRule {
  readonly slug: string;
  readonly layer: SignalLayer;
  /** In words, for the documentation. */
  readonly looksAt: string;
  readonly unit: 'bps' | 'σ' | 'points';
  /** Thresholds on the absolute value. */
  readonly warm: number;
  readonly hot: number;
  /** Short name of the condition, used while its value is unknown. */
  readonly name: string;
  /** `undefined` while unknown. */
  readonly value: (figures: FlowFigures) => number | undefined;
  /** Describes the current value. */
  readonly title: (value: number, severity: SignalSeverity) => string;
  readonly message: (value: number, figures: FlowFigures) => string;
  readonly confidence: (figures: FlowFigures) => Confidence;
}

/** Minutes of the primary venue's net needed for high and medium confidence in its standard deviation. */
const DEVIATION_SAMPLES = { high: 1_080, medium: 360 };
/** Complete days of ETF flows needed for it. */
const ETF_DAYS = { high: 15, medium: 8 };
/** Known components of the score needed for it. */
const COMPONENTS = { high: 4, medium: 3 };

export const signalRules: readonly SignalRule[] = [
  {
    slug: 'venue-dispersion',
    layer: 'venue',
    looksAt: 'highest minus lowest spot price',
    unit: 'bps',
    warm: 15,
    hot: 30,
    name: 'Spot dispersion',
    value: ({ spreads }) => spreads?.dispersionBps,
    title: (_, severity) =>
      ({ info: 'Spot prices close together', warm: 'Spot prices diverging', hot: 'Spot prices far apart' })[
        severity
      ],
    message: (value, { spreads, coin }) =>
      `${coin} trades ${bps(value)} higher on ${nameOf(spreads?.premiumVenue)} than on ${nameOf(spreads?.discountVenue)}.`,
    confidence: ({ spreads }) => ofVenues(spreads?.freshVenues ?? 0),
  },
  {
    slug: 'proxy-premium',
    layer: 'etf',
    looksAt: 'Coinbase against the median of the other spot venues',
    unit: 'bps',
    warm: 8,
    hot: 15,
    name: 'Coinbase premium',
    value: ({ proxy }) => (proxy?.isSkewed ? undefined : proxy?.premiumBps),
    title: (value, severity) => titleOf(severity, `Coinbase ${premiumOf(value)}`),
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
    name: 'Korean premium',
    value: ({ kimchi }) => (isCurrent(kimchi) ? kimchi.premiumBps : undefined),
    title: (value, severity) => titleOf(severity, `Korean ${premiumOf(value)}`),
    message: (value, { coin }) =>
      `${coin} costs ${percent(value)} ${value > 0 ? 'more' : 'less'} in Korea than in the rest of the world.`,
    confidence: ({ kimchi, spreads }) =>
      isCurrent(kimchi) && kimchi.priceFrom === 'book' ? ofVenues(spreads?.freshVenues ?? 0) : 'medium',
  },
  {
    slug: 'etf-flow',
    layer: 'etf',
    looksAt: 'last complete day of the ETFs over the standard deviation of the days shown',
    unit: 'σ',
    warm: 1.5,
    hot: 2.5,
    name: 'ETF flow',
    value: ({ etf }) => etf?.deviations,
    title: (value, severity) =>
      `${{ info: 'Ordinary', warm: 'Large', hot: 'Very large' }[severity]} ETF ${value > 0 ? 'inflow' : 'outflow'}`,
    message: (value, { etf }) =>
      `ETFs saw ${value > 0 ? 'inflows' : 'outflows'} of ${Math.abs(etf?.latestTotalUsdm ?? 0)} million USD on their last complete day, ${size(value)} standard deviations.`,
    confidence: ({ etf }) => ofCount(etf?.days ?? 0, ETF_DAYS),
  },
  {
    slug: 'micro-flow',
    layer: 'micro',
    looksAt: "primary venue's 5-minute net over its standard deviation of 24 hours",
    unit: 'σ',
    warm: 3,
    hot: 5,
    name: 'Taker flow',
    value: ({ primaryTape, deviation }) =>
      primaryTape?.isWhole && deviation ? primaryTape.netUsd / deviation.sigmaUsd : undefined,
    title: (value, severity) =>
      `${{ info: 'Ordinary', warm: 'Unusual', hot: 'Extreme' }[severity]} taker ${buyingOf(value)}`,
    message: (value, { primaryTape, deviation, coin }) =>
      `Takers ${value > 0 ? 'bought' : 'sold'} ${coin} worth ${Math.round(Math.abs(primaryTape?.netUsd ?? 0))} USD net within 5 minutes, ${size(value)} standard deviations of the last ${minutesOf(deviation?.samples ?? 0)}.`,
    confidence: ({ deviation }) => ofCount(deviation?.samples ?? 0, DEVIATION_SAMPLES),
  },
  {
    slug: 'pressure',
    layer: 'composite',
    looksAt: 'flow pressure score',
    unit: 'points',
    warm: 50,
    hot: 75,
    name: 'Flow pressure',
    value: ({ pressure }) => (pressure.components.length === 0 ? undefined : pressure.score),
    title: (value, severity) => titleOf(severity, `${buyingOf(value)} pressure`),
    message: (value, { pressure }) =>
      `The flow pressure score is ${value}, from ${pressure.components.length} of ${Object.keys(pressureComponents).length} components.`,
    confidence: ({ pressure }) => ofCount(pressure.components.length, COMPONENTS),
  },
];

const venueNames = new Map(sourceTerms.map(({ id, name }) => [id, name]));

/** `OKX` of `okx`. */
function nameOf(venue = ''): string {
  return venueNames.get(venue) ?? venue;
}

/** Length of the baseline: one sample a minute, at most 24 hours. */
function minutesOf(samples: number): string {
  return samples >= 1_440 ? '24 hours' : `${samples} minutes`;
}

function ofVenues(fresh: number): Confidence {
  return ofCount(fresh, { high: spotVenueNames.length, medium: 3 });
}

function ofCount(count: number, least: { readonly high: number; readonly medium: number }): Confidence {
  if (count >= least.high) return 'high';
  return count >= least.medium ? 'medium' : 'low';
}

function premiumOf(value: number): string {
  return value > 0 ? 'premium' : 'discount';
}

function buyingOf(value: number): string {
  return value > 0 ? 'buying' : 'selling';
}

function titleOf(severity: SignalSeverity, words: string): string {
  if (severity === 'warm') return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return `${severity === 'hot' ? 'Strong' : 'Slight'} ${words}`;
}

/** Decimals are cut off, not rounded: a message never shows a threshold that the value has not reached. */
function size(value: number): string {
  return (Math.trunc(Math.round(Math.abs(value) * 1_000) / 100) / 10).toFixed(1);
}

function bps(value: number): string {
  return `${size(value)} bps`;
}

function percent(valueBps: number): string {
  return `${(Math.trunc(Math.abs(valueBps)) / 100).toFixed(2)} %`;
}

/** A size in the unit of a rule, as messages print it. */
export function inUnit(value: number, unit: SignalRule['unit']): string {
  return `${size(value)} ${unit}`;
}
