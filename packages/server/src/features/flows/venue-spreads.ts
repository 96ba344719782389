import { roundTo } from '@crosstape/core';
import { median } from '../rates/median.ts';
import type { SpotPrice } from '../spot/spot-prices.ts';
import { isComparable, type MomentPrice, spreadMs } from './same-moment.ts';

const BPS_DECIMALS = 2;
const PERCENT_DECIMALS = 4;
/** Digits beyond this many figures of a price are noise. */
const PRICE_FIGURES = 12;

/** Figures that a venue does not send and that are estimated. */
export type Estimated = 'bid' | 'ask' | 'change24hPct' | 'volume24h';

/** One venue against the median. */
export interface SpreadRow {
  readonly price: MomentPrice;
  readonly basisBps: number;
  readonly bidUsd: number;
  readonly askUsd: number;
  readonly change24hPct: number;
  readonly volume24hCoins: number;
  readonly estimated: readonly Estimated[];
}

export interface VenueSpreads {
  /** Median of comparable prices: fresh ones of the same moment. */
  readonly medianUsd: number;
  /** Venues that the median is made of. */
  readonly freshVenues: number;
  /** From the first of the compared prices that was received to the last. */
  readonly skewMs: number;
  /** From the cheapest of these venues to the dearest; absent of one venue alone. */
  readonly dispersionBps?: number;
  readonly rows: readonly SpreadRow[];
  readonly premiumVenue: string;
  readonly discountVenue: string;
}

/** Spreads between venues. `undefined` if none has a fresh price. */
export function venueSpreads(prices: readonly MomentPrice[]): VenueSpreads | undefined {
  const medianUsd = freshMedian(prices);
  if (medianUsd === undefined) return undefined;
  const rows = prices.map((price) => spreadRow(price, medianUsd, prices));
  const fresh = rows.filter(({ price }) => isComparable(price)).toSorted((a, b) => a.basisBps - b.basisBps);
  const [lowest, highest] = [fresh[0], fresh.at(-1)] as [SpreadRow, SpreadRow];
  return {
    medianUsd,
    freshVenues: fresh.length,
    skewMs: spreadMs(fresh.map(({ price }) => price)),
    ...(fresh.length > 1 && {
      dispersionBps: roundTo(highest.basisBps - lowest.basisBps, BPS_DECIMALS),
    }),
    rows,
    premiumVenue: highest.price.venue,
    discountVenue: lowest.price.venue,
  };
}

/** The median of those that are compared. */
export function freshMedian(prices: readonly MomentPrice[]): number | undefined {
  const fresh = prices.filter(isComparable).map(({ priceUsd }) => priceUsd);
  const middle = median(fresh);
  return middle === undefined ? undefined : Number(middle.toPrecision(PRICE_FIGURES));
}

/** By how much one price is above another. */
export function bpsAbove(priceUsd: number, referenceUsd: number): number {
  return roundTo((priceUsd / referenceUsd - 1) * 10_000, BPS_DECIMALS);
}

function spreadRow(price: MomentPrice, medianUsd: number, all: readonly SpotPrice[]): SpreadRow {
  const { priceUsd, bidUsd, askUsd, change24hPct, volume24hCoins } = price;
  const estimated: Estimated[] = [
    ...(bidUsd === undefined ? (['bid'] as const) : []),
    ...(askUsd === undefined ? (['ask'] as const) : []),
    ...(change24hPct === undefined ? (['change24hPct'] as const) : []),
    ...(volume24hCoins === undefined ? (['volume24h'] as const) : []),
  ];
  return {
    price,
    basisBps: bpsAbove(priceUsd, medianUsd),
    bidUsd: bidUsd ?? priceUsd,
    askUsd: askUsd ?? priceUsd,
    change24hPct: change24hPct ?? estimatedChange(price, all),
    volume24hCoins: volume24hCoins ?? 0,
    estimated,
  };
}

/** From the price a day ago on the venues that report it. */
function estimatedChange({ lastUsd }: SpotPrice, all: readonly SpotPrice[]): number {
  const dayAgo = median(
    all.flatMap((one) => (one.change24hPct === undefined ? [] : one.lastUsd / (1 + one.change24hPct / 100))),
  );
  return dayAgo === undefined ? 0 : roundTo((lastUsd / dayAgo - 1) * 100, PERCENT_DECIMALS);
}
