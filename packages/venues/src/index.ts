import { awaiting } from './awaiting.ts';
import { bitget } from './bitget/index.ts';
import { bybit } from './bybit/index.ts';
import { dydx } from './dydx/index.ts';
import { gate } from './gate/index.ts';
import { hyperliquid } from './hyperliquid/index.ts';
import type { Venue } from './venue.ts';

export { tickAt } from './hyperliquid/index.ts';
export * from './venue.ts';

/** Every perpetual venue, the primary one first. */
export const venues: readonly Venue[] = [hyperliquid, bybit, bitget, gate, dydx, ...awaiting];

/** The default venue, and the one whose trades are the tape. */
export const primaryVenue: Venue = hyperliquid;
