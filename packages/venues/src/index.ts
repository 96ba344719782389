import { binance } from './binance/index.ts';
import { bitcoindata } from './bitcoindata/index.ts';
import { bitget } from './bitget/index.ts';
import { bybit } from './bybit/index.ts';
import { coingecko } from './coingecko/index.ts';
import { deribit } from './deribit/index.ts';
import { dydx } from './dydx/index.ts';
import { farside } from './farside/index.ts';
import { gate } from './gate/index.ts';
import { hyperliquid } from './hyperliquid/index.ts';
import { kraken } from './kraken/index.ts';
import { mexc } from './mexc/index.ts';
import { okx } from './okx/index.ts';
import { polymarket } from './polymarket/index.ts';
import { polymarketClob } from './polymarket-clob/index.ts';
import type { Publisher, Venue } from './venue.ts';

export { isBotWall } from './bot-wall.ts';
export { farsideAt } from './farside/index.ts';
export { tickAt } from './hyperliquid/index.ts';
export * from './venue.ts';

/** Every perpetual venue, the primary one first. */
export const venues: readonly Venue[] = [hyperliquid, bybit, okx, binance, bitget, gate, mexc, dydx, kraken];

/** The venue whose options are served. */
export const optionsVenue: Venue = deribit;

/** The venue whose questions and books are served. */
export const predictionVenue: Venue = polymarket;

/** Every venue that the service asks something of. */
export const allVenues: readonly Venue[] = [...venues, optionsVenue, predictionVenue];

/** Who tells of ETF flows, treasuries and valuation. */
export const onchainPublishers: readonly Publisher[] = [farside, coingecko, bitcoindata];

/** Everybody that the service asks something of. */
export const allPublishers: readonly Publisher[] = [...allVenues, polymarketClob, ...onchainPublishers];

/** The default venue, and the one whose trades are the tape. */
export const primaryVenue: Venue = hyperliquid;
