import { bitget } from './bitget/index.ts';
import { bybit } from './bybit/index.ts';
import { dydx } from './dydx/index.ts';
import { gate } from './gate/index.ts';
import { hyperliquid } from './hyperliquid/index.ts';
import type { VenueSimulator } from './venue-simulator.ts';

/** Every venue that is simulated, each under the path of its id. */
export const VENUE_SIMULATORS: readonly VenueSimulator[] = [hyperliquid, bybit, bitget, gate, dydx];
