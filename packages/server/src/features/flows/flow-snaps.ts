import { roundTo } from '@crosstape/core';
import type { Static } from 'typebox';
import type { EtfDaily } from './etf-proxy.ts';
import type { FlowReport } from './flow-report.ts';
import type { KimchiPremium } from './kimchi-premium.ts';
import type { VenueSpreads } from './venue-spreads.ts';
import type { PriceReading } from './read-flows.ts';
import type { EtfFlowProxySnap, KimchiPremiumSnap, VenueSpreadSnap } from './schema.ts';

const USD_DECIMALS = 2;
const LABEL = 'Proxy only: venue pressure, not ETF attribution.';

export function spreadFetchedAt({ rows }: VenueSpreads): number {
  return Math.max(...rows.map(({ price }) => price.receivedAtMs));
}

export function spreadSnap(
  {
    coin,
    atMs,
    figures,
    spreads,
  }: Pick<PriceReading, 'coin' | 'atMs' | 'spreads'> & {
    readonly figures: Pick<PriceReading['figures'], 'usdtRate'>;
  },
  part: VenueSpreads,
): Static<typeof VenueSpreadSnap> {
  const { medianUsd, freshVenues, skewMs, dispersionBps, rows, premiumVenue, discountVenue } = part;
  // If the median can no longer be made, every price of it is old.
  const isOld = spreads !== undefined && spreads.atMs < atMs;
  return {
    coin,
    globalMedianUsd: medianUsd,
    rows: rows.map(({ price, basisBps, bidUsd, askUsd, change24hPct, volume24hCoins, estimated }) => ({
      venue: price.venue,
      priceUsd: price.priceUsd,
      basisBps,
      bid: bidUsd,
      ask: askUsd,
      volume24h: volume24hCoins,
      change24hPct,
      stale: isOld || price.isStale,
      fetchedAt: price.receivedAtMs,
      quote: price.quote,
      rawPrice: price.rawPrice,
      asOf: price.asOfMs,
      skewMs: price.skewMs,
      ...(price.isSkewed && { skewed: true }),
      ...(estimated.length > 0 && { estimated: [...estimated] }),
    })),
    strongestPremiumVenue: premiumVenue,
    strongestDiscountVenue: discountVenue,
    fetchedAt: spreadFetchedAt(part),
    freshVenues,
    skewMs,
    ...(dispersionBps !== undefined && { dispersionBps }),
    ...(figures.usdtRate && {
      usdtUsd: figures.usdtRate.rate,
      usdtUsdAgeMs: Math.max(0, spreadFetchedAt(part) - figures.usdtRate.asOfMs),
    }),
  };
}

export function kimchiSnap(coin: string, part: KimchiPremium): Static<typeof KimchiPremiumSnap> {
  return {
    coin,
    region: 'KR',
    localVenue: part.venue,
    localPair: part.pair,
    localPriceKrw: part.localPriceKrw,
    usdKrw: part.usdKrw.rate,
    localPriceUsd: part.localPriceUsd,
    globalMedianUsd: part.medianUsd,
    premiumPct: part.premiumPct,
    premiumBps: part.premiumBps,
    bidAskPressure: part.pressure ?? null,
    interpretation: part.interpretation,
    fetchedAt: part.fetchedAtMs,
    ...(part.usdt && { premiumBpsUsdt: part.usdt.premiumBps, usdtKrw: part.usdt.usdtKrw }),
    usdKrwSource: part.usdKrw.provider,
    usdKrwAsOf: part.usdKrw.asOfMs,
    usdKrwStale: part.usdKrw.isStale,
    skewMs: part.skewMs,
    ...(part.isSkewed && { skewed: true }),
  };
}

/** `undefined` while the venue's half is unknown; the ETF day is null while their source is closed. */
export function etfProxySnap(
  report: FlowReport,
  asset: Static<typeof EtfFlowProxySnap>['asset'],
): Static<typeof EtfFlowProxySnap> | undefined {
  const { figures, parts } = report;
  const { proxy, proxyTape } = parts;
  const { prices, etf } = figures;
  if (!proxy || !proxyTape) return undefined;
  return {
    asset,
    daily: etf ? dailySnap(etf) : null,
    spotProxy: {
      proxyPremiumBps: proxy.part.premiumBps,
      proxyVolumeShare: proxy.part.volumeShare,
      proxyTapeDeltaUsd5m: roundTo(proxyTape.part.netUsd, USD_DECIMALS),
      proxyNetTradeUsd5m: roundTo(proxyTape.part.largeNetUsd, USD_DECIMALS),
      confidence: figures.proxyConfidence,
      label: LABEL,
      skewMs: proxy.part.skewMs,
      ...(proxy.part.isSkewed && { skewed: true }),
      tapeComplete: proxyTape.atMs === report.atMs && proxyTape.part.isWhole,
      ...(proxyTape.part.sinceMs !== undefined && { sinceTs: proxyTape.part.sinceMs }),
    },
    fetchedAt: Math.max(...(etf ? [etf.fetchedAtMs] : []), ...prices.map(({ receivedAtMs }) => receivedAtMs)),
  };
}

function dailySnap(etf: EtfDaily): NonNullable<Static<typeof EtfFlowProxySnap>['daily']> {
  return {
    latestTotalUsdm: etf.latestTotalUsdm,
    cumulativeUsdm: etf.cumulativeUsdm,
    latestDateMs: etf.latestDateMs,
    source: etf.source,
    ...(etf.cumulativeFromMs !== undefined && { cumulativeFromMs: etf.cumulativeFromMs }),
    ...(etf.deviations !== undefined && { deviations: etf.deviations }),
    ...(etf.refusedDays && { refusedDays: [...etf.refusedDays] }),
  };
}
