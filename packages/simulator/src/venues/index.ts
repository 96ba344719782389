import { binance } from './binance/index.ts';
import { bitcoindata } from './bitcoindata/index.ts';
import { bitget } from './bitget/index.ts';
import { bybit } from './bybit/index.ts';
import { coinalyze } from './coinalyze/index.ts';
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
import type { VenueSimulator } from './venue-simulator.ts';

/** Every venue and site that is simulated, each under the path of its id. */
export const VENUE_SIMULATORS: readonly VenueSimulator[] = [
  hyperliquid,
  bybit,
  okx,
  binance,
  bitget,
  gate,
  mexc,
  dydx,
  kraken,
  deribit,
  polymarket,
  polymarketClob,
  farside,
  coingecko,
  bitcoindata,
  coinalyze,
];
