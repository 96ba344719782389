import { binance } from './binance/index.ts';
import { binanceSpot } from './binance-spot/index.ts';
import { bitcoindata } from './bitcoindata/index.ts';
import { bitget } from './bitget/index.ts';
import { bybit } from './bybit/index.ts';
import { bybitSpot } from './bybit-spot/index.ts';
import { coinbase } from './coinbase/index.ts';
import { coinalyze } from './coinalyze/index.ts';
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
import { mexc } from './mexc/index.ts';
import { okx } from './okx/index.ts';
import { okxSpot } from './okx-spot/index.ts';
import { polymarket } from './polymarket/index.ts';
import { polymarketClob } from './polymarket-clob/index.ts';
import { upbit } from './upbit/index.ts';
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
  coinbase,
  binanceSpot,
  krakenSpot,
  okxSpot,
  bybitSpot,
  upbit,
  dunamu,
  frankfurter,
  farside,
  coingecko,
  bitcoindata,
  coinalyze,
];
