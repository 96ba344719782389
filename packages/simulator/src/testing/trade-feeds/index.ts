import { binance, binanceSpot } from './binance.ts';
import { bitget, bitgetOld } from './bitget.ts';
import { bybit, bybitSpot } from './bybit.ts';
import { coinbase } from './coinbase.ts';
import { dydx } from './dydx.ts';
import { gate } from './gate.ts';
import { kraken } from './kraken.ts';
import { krakenSpot } from './kraken-spot.ts';
import { mexc } from './mexc.ts';
import { okx, okxSpot } from './okx.ts';
import type { TestedFeed } from './tested-feed.ts';

/** Every trade feed of the simulator but the primary venue's. */
export const TESTED_FEEDS: readonly TestedFeed[] = [
  binance,
  bybit,
  okx,
  bitget,
  bitgetOld,
  gate,
  mexc,
  dydx,
  kraken,
  coinbase,
  binanceSpot,
  krakenSpot,
  okxSpot,
  bybitSpot,
];
