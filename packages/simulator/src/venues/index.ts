import { hyperliquid } from './hyperliquid/index.ts';
import type { VenueSimulator } from './venue-simulator.ts';

/** Every venue that is simulated, each under the path of its id. */
export const VENUE_SIMULATORS: readonly VenueSimulator[] = [hyperliquid];
