import type { EtfFlows, ExchangeRate, FlowCoverage, Liveness, SpotBook, SpotTicker } from '@crosstape/core';
import type { Snapshot, UsdRate } from '../../topics.ts';
import { type SpotPrice, spotPrices, type UnpricedPair } from '../spot/spot-prices.ts';
import { usdKrw } from '../rates/usd-krw.ts';
import { usdtRate, type VenueSpot } from '../rates/usdt-rate.ts';
import {
  type Confidence,
  type EtfDaily,
  etfDaily,
  type ProxyPrice,
  proxyConfidence,
  proxyPrice,
} from './etf-proxy.ts';
import { jointLiveness, spotCoverage } from './flow-coverage.ts';
import { type FlowPressure, flowPressure } from './flow-pressure.ts';
import { isCurrent, type KimchiPremium, kimchiPremium, type ReceivedBook } from './kimchi-premium.ts';
import type { Deviation } from './net-deviation.ts';
import { isComparable, type MomentPrice, sameMoment } from './same-moment.ts';
import type { WindowSums } from './trade-window.ts';
import { type VenueSpreads, venueSpreads } from './venue-spreads.ts';

/** A figure that can no longer be computed is served for this long. */
export const LAST_GOOD_MS = 600_000;

/** The trades of a window. */
export interface TapeReading extends WindowSums {
  /** Whether more would be received. */
  readonly isReceiving: boolean;
  /** Whether it is connected, and was throughout the window. */
  readonly isWhole: boolean;
  /** While its feed is up and the window is incomplete: since when nothing is missing. */
  readonly sinceMs?: number;
}

/** The latest data of the Korean venue and of the rate providers. */
export interface KoreanTables {
  readonly tickers?: Snapshot<SpotTicker> | undefined;
  readonly books?: Snapshot<SpotBook> | undefined;
  /** In the order of preference. */
  readonly rates: readonly Snapshot<ExchangeRate>[];
}

/** Prices of the last seconds, so that each venue can be compared with the others at the same moment. */
export interface RecentPrices {
  readonly spot: readonly SpotPrice[];
  /** Books of the coin and of tether, in won. */
  readonly books: readonly ReceivedBook[];
}

/** Everything that the figures of a coin are made from. */
export interface FlowInputs {
  readonly coin: string;
  readonly nowMs: number;
  readonly spots: readonly VenueSpot[];
  readonly korea: KoreanTables;
  readonly recent?: RecentPrices | undefined;
  /** For a coin with ETFs: their flows, unless they are unknown. */
  readonly etf?: { readonly flows?: Snapshot<EtfFlows> | undefined; readonly isOk: boolean } | undefined;
  /** Absent while the feed has never been connected. */
  readonly proxyTape?: TapeReading | undefined;
  readonly primaryTape?: TapeReading | undefined;
  /** Deviation of the primary venue's five-minute net. */
  readonly deviation?: Deviation | undefined;
}

/** Prices of a coin on global spot venues and in Korea. */
export interface PriceFigures {
  /** The newest price of each venue. */
  readonly newest: readonly SpotPrice[];
  /** Each venue's price that is compared with the others. */
  readonly prices: readonly MomentPrice[];
  readonly unpriced: readonly UnpricedPair[];
  readonly usdtRate: UsdRate | undefined;
  readonly spreads: VenueSpreads | undefined;
  /** A sentence if it cannot be computed. */
  readonly kimchi: KimchiPremium | string;
}

/** All figures of a coin at one moment, from fresh inputs. */
export interface FlowFigures extends PriceFigures {
  readonly coin: string;
  readonly atMs: number;
  readonly proxy: ProxyPrice | undefined;
  readonly proxyTape: TapeReading | undefined;
  readonly proxyConfidence: Confidence;
  readonly primaryTape: TapeReading | undefined;
  readonly deviation: Deviation | undefined;
  readonly etf: EtfDaily | undefined;
  readonly pressure: FlowPressure;
  readonly coverage: FlowCoverage;
}

export function priceFigures({
  coin,
  nowMs,
  spots,
  korea,
  recent,
}: Pick<FlowInputs, 'coin' | 'nowMs' | 'spots' | 'korea' | 'recent'>): PriceFigures {
  const { prices: newest, unpriced } = spotPrices([coin], spots, nowMs);
  const prices = sameMoment(newest, recent?.spot);
  const spreads = venueSpreads(prices);
  const rate = usdtRate(spots, nowMs);
  const kimchi = kimchiPremium({
    coin,
    nowMs,
    tickers: korea.tickers,
    books: korea.books,
    recentBooks: recent?.books,
    usdKrw: usdKrw(korea.rates, nowMs),
    usdtUsd: rate && !rate.isStale ? rate.rate : undefined,
    medianUsd: spreads?.medianUsd,
    compared: prices.filter(isComparable),
  });
  return { newest, prices, unpriced, usdtRate: rate, spreads, kimchi };
}

export function flowFigures(inputs: FlowInputs): FlowFigures {
  const { coin, nowMs, korea, etf: reported, proxyTape, primaryTape, deviation } = inputs;
  const figures = priceFigures(inputs);
  const { prices, spreads, kimchi } = figures;
  const freshVenues = spreads?.freshVenues ?? 0;
  const proxy = proxyPrice(prices);
  const etf = reported?.flows && etfDaily(reported.flows);
  const proxyParts: Liveness[] = [
    proxy ? (proxy.isSkewed ? 'stale' : 'live') : 'none',
    tapeLiveness(proxyTape),
  ];
  if (reported) proxyParts.push(etf ? (reported.isOk ? 'live' : 'stale') : 'none');
  return {
    ...figures,
    coin,
    atMs: nowMs,
    proxy,
    proxyTape,
    proxyConfidence: proxyConfidence(freshVenues, proxyTape?.isWhole === true),
    primaryTape,
    deviation,
    etf,
    pressure: flowPressure({
      ...(proxy && !proxy.isSkewed && { proxyPremium: proxy.premiumBps }),
      ...(isCurrent(kimchi) && { kimchiPremium: kimchi.premiumBps }),
      ...(proxyTape?.isWhole && { proxyTape: netShare(proxyTape) }),
      ...(primaryTape?.isWhole && { primaryNet: netShare(primaryTape) }),
      ...(etf?.deviations !== undefined && { etfFlow: etf.deviations }),
    }),
    coverage: {
      globalSpot: spotCoverage(freshVenues),
      kimchi: kimchiLiveness(kimchi, korea, coin, nowMs),
      etfProxy: jointLiveness(proxyParts),
      primaryMicro: tapeLiveness(primaryTape),
    },
  };
}

/** No volume means no pressure. */
function netShare({ netUsd, volumeUsd }: TapeReading): number {
  return volumeUsd > 0 ? netUsd / volumeUsd : 0;
}

function tapeLiveness(tape: TapeReading | undefined): Liveness {
  if (!tape) return 'none';
  return tape.isWhole ? 'live' : 'stale';
}

function kimchiLiveness(
  kimchi: KimchiPremium | string,
  { tickers }: KoreanTables,
  coin: string,
  nowMs: number,
): Liveness {
  if (typeof kimchi === 'object') return isCurrent(kimchi) ? 'live' : 'stale';
  const isKnown = tickers?.rows.some((row) => row.coin === coin) === true;
  return isKnown && nowMs - tickers.fetchedAtMs <= LAST_GOOD_MS ? 'stale' : 'none';
}
