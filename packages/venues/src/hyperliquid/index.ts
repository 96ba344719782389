import type { PerpVenue } from '../venue.ts';
import { assetContexts } from './asset-contexts.ts';
import { books } from './books.ts';
import { candles } from './candles.ts';
import { histories } from './history.ts';
import { roundedBooks } from './rounded-books.ts';
import { trades } from './trades.ts';

export { tickAt } from './instruments.ts';
export { figuresOfBooks } from './rounded-books.ts';

/** The primary venue. Limits per IP as published [D, M]; the in-flight bound keeps clear of its connection limiter [M]. */
export const hyperliquid: PerpVenue = {
  id: 'hyperliquid',
  name: 'Hyperliquid',
  kind: 'dex',
  aliases: ['hl', 'venue_a'],
  perp: { fundingPeriodHours: 1, isOiUsdOnly: false },
  terms: {
    takes:
      'every trade (the tape), order books and their depth, open interest, funding, volume, mark and index prices of perpetuals',
    trust: 'documented',
    attribution: 'Trades and perpetuals: Hyperliquid',
    termsUrl: 'https://app.hyperliquid.xyz/terms',
    termsNote: 'Its trades are public on-chain. The terms are those of its website.',
  },
  connector: {
    origins: { rest: 'https://api.hyperliquid.xyz', ws: 'wss://api.hyperliquid.xyz' },
    limits: { weightPerMinute: 1200, requestsInFlight: 5, connectionsPerMinute: 30, messagesPerMinute: 2000 },
    resources: [assetContexts],
    lookups: [roundedBooks],
    feeds: [trades, books],
    candles,
    histories,
  },
};
