import { HOUR_MS, type SpotTicker, type Trade } from '@crosstape/core';
import { proxyVenue } from '../../features/flows/etf-proxy.ts';
import { startFlowEngine } from '../../features/flows/flow-engine.ts';
import { koreanSource } from '../../features/flows/flow-inputs.ts';
import type { FlowHistoryReader } from '../../features/flows/print-flow-history.ts';
import { spotVenueNames } from '../../features/spot/spot-venues.ts';
import { fxSources } from '../../features/rates/usd-krw.ts';
import { spotTradeTopic, tradeTopic } from '../../topics.ts';
import { sampleEtfFlows } from './sample-onchain.ts';
import { START_MS, type TestApi } from './test-api.ts';

/** Prices of the sample coins. XRP is not followed, and not listed on one venue. */
const dollars = { BTC: 100_000, ETH: 4_000, SOL: 200, XRP: 2 } as const;
type SampleCoin = keyof typeof dollars;
export const WON = 1_400;

export interface SampleFlows {
  /** By plain id of a spot venue, how much dearer it is, in basis points. */
  readonly bps?: Readonly<Record<string, number>>;
  /** Premium of the Korean venue. */
  readonly koreanBps?: number;
  /** Sources that do not answer now. */
  readonly silent?: readonly string[];
  /** Sources with outdated prices. */
  readonly frozen?: Readonly<Record<string, number>>;
}

/** Data of the spot venues, Korea, the rate providers and the ETFs while all are healthy. */
export function publishSamplePrices(api: TestApi, options: SampleFlows = {}): void {
  const { bps = {}, koreanBps = 0, silent = [], frozen = {} } = options;
  const nowMs = api.clock.now();
  for (const { venue, source } of spotVenueNames) {
    if (silent.includes(source)) continue;
    const quote = source.endsWith('-spot') && source !== 'kraken-spot' ? 'USDT' : 'USD';
    const rows = (Object.keys(dollars) as SampleCoin[])
      .filter((coin) => coin !== 'XRP' || venue !== 'okx')
      .map((coin): SpotTicker => {
        const last = dollars[coin] * (1 + (bps[venue] ?? 0) / 10_000);
        return {
          coin,
          symbol: `${coin}-${quote}`,
          quote,
          last,
          bid: last * 0.9999,
          ask: last * 1.0001,
          volume24hCoins: 1_000,
          change24hPct: 1.5,
          venueTs: frozen[source] ?? nowMs,
        };
      });
    const tether = { coin: 'USDT', symbol: 'USDT-USD', quote: 'USD', last: 1, volume24hCoins: 1 };
    api.table(source, 'spotTickers', quote === 'USD' ? [...rows, tether] : rows);
  }
  if (!silent.includes(koreanSource)) publishKorea(api, koreanBps);
  for (const source of fxSources) {
    if (silent.includes(source)) continue;
    api.table(source, 'exchangeRates', [{ coin: 'USD', quote: 'KRW', rate: WON, asOfMs: nowMs }], HOUR_MS);
  }
}

function publishKorea(api: TestApi, bps: number): void {
  const venueTs = api.clock.now();
  const pairs = (['BTC', 'ETH', 'XRP'] as const).map((coin) => ({
    coin,
    symbol: `KRW-${coin}`,
    quote: 'KRW',
    last: dollars[coin] * WON * (1 + bps / 10_000),
    venueTs,
  }));
  const tether = { coin: 'USDT', symbol: 'KRW-USDT', quote: 'KRW', last: 1_421, volume24hCoins: 5, venueTs };
  api.table(koreanSource, 'spotTickers', [...pairs.map((pair) => ({ ...pair, volume24hCoins: 10 })), tether]);
  const books = pairs.map(({ last, ...pair }) => ({
    ...pair,
    bid: last * 0.999,
    ask: last * 1.001,
    bidSize: 6,
    askSize: 4,
  }));
  api.table(koreanSource, 'spotBooks', books);
}

/** The ETF page, and connected feeds. */
export function publishSampleFeeds(api: TestApi): void {
  for (const asset of ['bitcoin', 'ethereum'] as const)
    api.table('farside', `${asset}EtfFlows`, [sampleEtfFlows(asset)], HOUR_MS);
  for (const venue of ['hyperliquid', proxyVenue.source])
    api.health(venue, {
      source: `${venue}:trades`,
      gives: ['trades'],
      lastGoodMs: api.clock.now(),
      sinceMs: 0,
    });
}

/** A trade of a followed coin on the primary and on the proxy venue. */
export function publishSampleTrades(api: TestApi, more: Partial<Trade> = {}): void {
  const trade: Trade = {
    coin: 'BTC',
    venue: 'hyperliquid',
    side: 'buy',
    price: dollars.BTC,
    size: 0.2,
    notionalUsd: 20_000,
    ts: api.clock.now(),
    tid: 1,
    sameOrder: false,
    ...more,
  };
  api.bus.publish(tradeTopic(trade.coin), trade);
  api.bus.publish(spotTradeTopic(proxyVenue.venue, trade.coin), { ...trade, venue: proxyVenue.venue });
}

/** Follows the sample coins, as the service would. The caller stops it. */
export function startSampleEngine({ clock, bus }: TestApi): ReturnType<typeof startFlowEngine> {
  return startFlowEngine({
    clock,
    bus,
    coins: ['BTC', 'ETH', 'SOL'],
    primaryVenue: 'hyperliquid',
    history: new Map(),
  });
}

/** One report of everything about flows; a premium on the proxy venue is a signal. */
export function publishSampleFlows(api: TestApi): void {
  const engine = startSampleEngine(api);
  publishSamplePrices(api, { bps: { [proxyVenue.venue]: 12 } });
  publishSampleFeeds(api);
  publishSampleTrades(api);
  publishSampleTrades(api, { coin: 'ETH' });
  api.clock.advance(1_000);
  engine.stop();
}

/** One point of every metric. */
export const sampleFlowHistory: FlowHistoryReader = {
  async read() {
    const point = {
      t: START_MS - 60_000,
      v: 1.5,
      partial: false,
      stale: false,
      source: 'coinbase',
      sources: [],
      coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
    };
    const json = new TextEncoder().encode(JSON.stringify([point]));
    return { json, newest: { t: point.t, names: ['coinbase'] } };
  },
};
