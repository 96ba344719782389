import { READ_FIRST } from '../read-first.ts';
import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { contracts } from './contracts.ts';
import { histories } from './history.ts';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { tickers } from './tickers.ts';

/**
 * Limits per IP: 200 requests in 10 s on each call [C, M]; 300 connections at once [M], we open few; nothing
 * is published on messages.
 */
export const gate: PerpVenue = {
  id: 'gate',
  name: 'Gate',
  kind: 'cex',
  aliases: ['gateio', 'venue_f'],
  perp: { fundingPeriodHours: 8, isOiUsdOnly: true, coinsByDefault: ['BTC', 'ETH'] },
  terms: {
    takes: 'trades, order books, open interest, funding, volume and liquidations of perpetuals',
    trust: 'documented',
    attribution: 'Perpetuals: Gate',
    termsUrl: 'https://www.gate.com/legal/user-agreement',
    termsNote: READ_FIRST,
  },
  connector: {
    origins: { rest: 'https://api.gateio.ws', ws: 'wss://fx-ws.gateio.ws' },
    // 200 requests in 10 s per IP and endpoint [C]: what may be sent at once and the refill of 10 s stay below that.
    limits: {
      weightPerMinute: 1000,
      weightAtOnce: 30,
      requestsInFlight: 2,
      connectionsPerMinute: 30,
      messagesPerMinute: 600,
    },
    resources: [contracts, tickers],
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
