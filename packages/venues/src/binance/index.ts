import { READ_FIRST } from '../read-first.ts';
import type { PerpVenue } from '../venue.ts';
import { candles } from './candles.ts';
import { dayTickers } from './day-tickers.ts';
import { fundingPeriods } from './funding-periods.ts';
import { histories } from './history.ts';
import { instruments } from './instruments.ts';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { orderBooks } from './order-books.ts';
import { openInterest } from './open-interest.ts';
import { positioning } from './positioning.ts';
import { premiumIndex } from './premium-index.ts';

/**
 * The USD-margined contracts. Limits per IP as published [D]: a weight of 2400 a minute, 300 connections in 5 minutes;
 * 10 messages a second and connection (5 by another source): at most three subscriptions, a ping and a pong are sent.
 * Some countries get HTTP 451 [M].
 */
export const binance: PerpVenue = {
  id: 'binance',
  name: 'Binance',
  kind: 'cex',
  aliases: ['bn', 'venue_d'],
  perp: { fundingPeriodHours: 8, isOiUsdOnly: false },
  terms: {
    takes:
      'trades, order books, open interest, funding, volume, liquidations and positioning of perpetuals; spot prices, trades and order books',
    trust: 'documented',
    attribution: 'Perpetuals, positioning and spot prices: Binance',
    termsUrl: 'https://www.binance.com/en/terms',
    termsNote: `${READ_FIRST} Some countries are refused (HTTP 451).`,
  },
  connector: {
    // The documents name no other address for USD-margined futures [D].
    origins: { rest: 'https://fapi.binance.com', ws: 'wss://fstream.binance.com' },
    limits: {
      weightPerMinute: 2400,
      requestsInFlight: 5,
      connectionsPerMinute: 60,
      messagesPerMinute: 120,
      messagesAtOnce: 2,
    },
    resources: [instruments, fundingPeriods, premiumIndex, dayTickers],
    lookups: [openInterest, ...positioning],
    feeds: [liquidations],
    marketTrades,
    marketBooks: orderBooks,
    candles,
    histories,
  },
};
