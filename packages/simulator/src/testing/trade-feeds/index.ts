import { binance } from './binance.ts';
import { dydx } from './dydx.ts';
import { kraken } from './kraken.ts';
import type { TestedFeed } from './tested-feed.ts';

/** Every trade feed of the simulator but the primary venue's. */
export const TESTED_FEEDS: readonly TestedFeed[] = [binance, kraken, dydx];
