import type { CatalogVenue, MarketVenue, SourceTerms, VenueIdentity } from '@crosstape/core';
import { binance } from './binance/index.ts';
import { binanceSpot } from './binance-spot/index.ts';
import { bitcoindata } from './bitcoindata/index.ts';
import { bitget } from './bitget/index.ts';
import { bybit } from './bybit/index.ts';
import { bybitSpot } from './bybit-spot/index.ts';
import { catalogOf } from './catalog.ts';
import { coinalyze, coinalyzeWith } from './coinalyze/index.ts';
import { coinbase } from './coinbase/index.ts';
import { coingecko } from './coingecko/index.ts';
import { deribit } from './deribit/index.ts';
import { dunamu } from './dunamu/index.ts';
import { dydx } from './dydx/index.ts';
import { farside } from './farside/index.ts';
import { frankfurter } from './frankfurter/index.ts';
import { gate } from './gate/index.ts';
import { hyperliquid } from './hyperliquid/index.ts';
import { kraken } from './kraken/index.ts';
import { krakenSpot } from './kraken-spot/index.ts';
import { marketVenuesOf } from './markets.ts';
import { mexc } from './mexc/index.ts';
import { okx } from './okx/index.ts';
import { okxSpot } from './okx-spot/index.ts';
import { polymarket } from './polymarket/index.ts';
import { polymarketClob } from './polymarket-clob/index.ts';
import { upbit } from './upbit/index.ts';
import type { PerpVenue, Publisher, SpotVenue, Venue } from './venue.ts';

export { MARKET_BOOKS_MAX } from './book-feed.ts';
export { isBotWall } from './bot-wall.ts';
export { bitcoindataWith } from './bitcoindata/index.ts';
export { coinalyzeWith } from './coinalyze/index.ts';
export { coinbaseFollowing } from './coinbase/index.ts';
export { coingeckoWith } from './coingecko/index.ts';
export { aggregatedVenues } from './coinalyze/liquidation-history.ts';
export { type EtfPage, farsideWith } from './farside/index.ts';
export { type FillBlock, fillBlockMs, isPerpetualFill, parseFillBlock } from './hyperliquid/fills.ts';
export { figuresOfBooks, tickAt } from './hyperliquid/index.ts';
export { marketPrefixOf, marketsOf } from './markets.ts';
export { upbitFollowing } from './upbit/index.ts';
export { type ParseRequest, feedsOf, requestsOf, type RequestSource } from './sources.ts';
export * from './venue.ts';
export {
  type CandlePage,
  type CandleSpan,
  type VenueCandles,
  type VenueInterval,
  venueIntervalsMs,
} from './venue-candles.ts';
export type { OptionTradePage, OptionTradeSpan, VenueOptionTrades } from './venue-option-trades.ts';
export type {
  RatioKind,
  SampleKind,
  SamplePage,
  SampleSpan,
  VenueSample,
  VenueSamples,
} from './venue-samples.ts';

/** Every perpetual venue, the primary one first. */
export const venues: readonly PerpVenue[] = [
  hyperliquid,
  bybit,
  okx,
  binance,
  bitget,
  gate,
  mexc,
  dydx,
  kraken,
];

/** The venue whose options are served. */
export const optionsVenue: Venue = deribit;

/** The venue whose questions and books are served. */
export const predictionVenue: Venue = polymarket;

/** Every venue that the service queries. */
export const allVenues: readonly Venue[] = [...venues, optionsVenue, predictionVenue];

/** Publishers of ETF flows, treasuries and valuation. */
export const onchainPublishers: readonly Publisher[] = [farside, coingecko, bitcoindata];

/** The spot markets whose prices are compared, the proxy venue of ETF flows first. */
export const spotVenues: readonly [SpotVenue, ...SpotVenue[]] = [
  coinbase,
  binanceSpot,
  krakenSpot,
  okxSpot,
  bybitSpot,
];

/** The venues whose markets can be recorded, as market ids name them. */
export const marketVenues: readonly MarketVenue[] = marketVenuesOf([...venues, ...spotVenues]);

/** The spot market in won. */
export const koreanVenue: SpotVenue = upbit;

/** Publishers of USD/KRW, in the order of preference. */
export const fxPublishers: readonly Publisher[] = [dunamu, frankfurter];

/** The aggregator of liquidations over several venues, for operators with a key. */
export const liquidationAggregator: Publisher = coinalyze;

/** Every upstream source. */
export const allPublishers: readonly Publisher[] = [
  ...allVenues,
  polymarketClob,
  ...spotVenues,
  koreanVenue,
  ...fxPublishers,
  ...onchainPublishers,
  liquidationAggregator,
];

/** Every source whose figures are served, once each, with its terms. */
export const sourceTerms: readonly SourceTerms[] = allPublishers.flatMap(({ id, name, terms }) =>
  terms ? [{ id, name, ...terms }] : [],
);

/** Venues that are known by name only: their market data need a licence. */
const plannedVenues: readonly VenueIdentity[] = [{ id: 'cme', name: 'CME', kind: 'tradfi', aliases: [] }];

/** The venues that are known by their spot prices only. */
const spotOnlyVenues = spotVenues
  .filter(({ id, venue }) => id === venue)
  .map(({ id, name }): VenueIdentity => ({ id, name, kind: 'cex', aliases: [] }));

/** Every venue in the catalogue, with what it supplies. */
export const catalog: readonly CatalogVenue[] = catalogOf(
  [...allVenues, ...spotOnlyVenues, ...plannedVenues],
  allPublishers,
  hyperliquid.id,
);

/** The same including sources that need a key, for code that parses answers and requests nothing. */
export const readablePublishers: readonly Publisher[] = allPublishers.map((one) =>
  one === liquidationAggregator ? coinalyzeWith('') : one,
);

/** The default venue, and the one whose trades are the tape. */
export const primaryVenue: Venue = hyperliquid;
export { areMostRefused } from './reading.ts';
