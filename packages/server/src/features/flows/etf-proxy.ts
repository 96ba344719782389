import { type EtfFlows, roundTo } from '@crosstape/core';
import { spotVenues } from '@crosstape/venues';
import { asOfMs, type Snapshot } from '../../topics.ts';
import { summariseEtf } from '../onchain/etf-summary.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import { deviationOf } from './net-deviation.ts';
import { isComparable, type MomentPrice, spreadMs } from './same-moment.ts';
import { bpsAbove, freshMedian } from './venue-spreads.ts';

/** The spot venue that ETF custodians use. */
export const proxyVenue = { venue: spotVenues[0].venue, source: spotVenues[0].id };
const SHARE_DECIMALS = 4;
const Z_DECIMALS = 3;
const USDM_DECIMALS = 2;

export type Confidence = 'low' | 'medium' | 'high';

export interface ProxyPrice {
  /** Against the median of the other fresh venues. */
  readonly premiumBps: number;
  readonly othersMedianUsd: number;
  /** Share of the 24-hour volume of all venues, 0 to 1. */
  readonly volumeShare: number;
  /** From the first of the compared prices that was received to the last. */
  readonly skewMs: number;
  /** The proxy venue's price is from another moment than the others: it is not used. */
  readonly isSkewed: boolean;
}

/** The premium of the proxy venue. `undefined` while it, or every other venue, is stale, or its volume is missing. */
export function proxyPrice(prices: readonly MomentPrice[]): ProxyPrice | undefined {
  const own = prices.find(({ venue }) => venue === proxyVenue.venue);
  const others = prices.filter((price) => price !== own);
  const othersMedianUsd = freshMedian(others);
  const volume = prices.reduce((sum, { volume24hCoins = 0 }) => sum + volume24hCoins, 0);
  if (!own || own.isStale || othersMedianUsd === undefined || volume <= 0) return undefined;
  if (own.volume24hCoins === undefined) return undefined;
  return {
    premiumBps: bpsAbove(own.priceUsd, othersMedianUsd),
    othersMedianUsd,
    volumeShare: roundTo(own.volume24hCoins / volume, SHARE_DECIMALS),
    skewMs: spreadMs([own, ...others.filter(isComparable)]),
    isSkewed: own.isSkewed,
  };
}

/** How reliable the figures of the proxy venue are. */
export function proxyConfidence(freshVenues: number, isTapeLive: boolean): Confidence {
  if (freshVenues === spotVenueNames.length && isTapeLive) return 'high';
  return freshVenues >= 3 ? 'medium' : 'low';
}

export interface EtfDaily {
  readonly latestTotalUsdm: number;
  readonly cumulativeUsdm: number;
  /** The first day that counts in it, where it is not that of the launch. */
  readonly cumulativeFromMs?: number;
  readonly latestDateMs: number;
  /** Complete days among those of the last 30 calendar days. */
  readonly days: number;
  /** Population standard deviation of the totals of these days. */
  readonly sigmaUsdm: number;
  /** The last complete day in standard deviations; absent where these are 0. */
  readonly deviations?: number;
  /** Days with inconsistent figures of the source: they are in no figure. */
  readonly refusedDays?: readonly string[];
  /** Its source. */
  readonly source: string;
  readonly fetchedAtMs: number;
}

/** Figures are made every second, but a page arrives once an hour. */
const made = new WeakMap<Snapshot<EtfFlows>, EtfDaily | undefined>();

/** The last complete day against those before it. `undefined` when no day is complete. */
export function etfDaily(table: Snapshot<EtfFlows>): EtfDaily | undefined {
  if (!made.has(table)) made.set(table, makeDaily(table));
  return made.get(table);
}

function makeDaily(table: Snapshot<EtfFlows>): EtfDaily | undefined {
  const [flows] = table.rows;
  // As of the page's last poll, like `/onchain/etf-flows`.
  const summary = flows && summariseEtf(flows, asOfMs(table));
  if (!summary) return undefined;
  const complete = summary.days.filter(({ isPartial }) => !isPartial).map(({ totalUsdm }) => totalUsdm);
  const sigmaUsdm = roundTo(deviationOf(complete), USDM_DECIMALS);
  return {
    latestTotalUsdm: summary.latest.totalUsdm,
    cumulativeUsdm: summary.cumulativeUsdm,
    latestDateMs: summary.latest.dayMs,
    days: complete.length,
    sigmaUsdm,
    ...(sigmaUsdm > 0 && { deviations: roundTo(summary.latest.totalUsdm / sigmaUsdm, Z_DECIMALS) }),
    ...(flows.refusedDays && { refusedDays: flows.refusedDays }),
    ...(summary.cumulativeFromMs !== undefined && { cumulativeFromMs: summary.cumulativeFromMs }),
    source: table.label ?? table.venue,
    fetchedAtMs: table.fetchedAtMs,
  };
}
