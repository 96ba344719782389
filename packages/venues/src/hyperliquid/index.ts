import type { Venue } from '../venue.ts';
import { assetContexts } from './asset-contexts.ts';
import { books } from './books.ts';
import { trades } from './trades.ts';

export { tickAt } from './instruments.ts';

/** The primary venue. Limits per IP as published [D, M]; the in-flight bound keeps clear of its connection limiter [M]. */
export const hyperliquid: Venue = {
  id: 'hyperliquid',
  name: 'Hyperliquid',
  kind: 'dex',
  aliases: ['hl', 'venue_a'],
  connector: {
    origins: { rest: 'https://api.hyperliquid.xyz', ws: 'wss://api.hyperliquid.xyz' },
    limits: { weightPerMinute: 1200, requestsInFlight: 5, connectionsPerMinute: 30, messagesPerMinute: 2000 },
    resources: [assetContexts],
    feeds: [trades, books],
  },
};
