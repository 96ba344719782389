import type { Venue } from '../venue.ts';
import { funding } from './funding.ts';
import { instruments } from './instruments.ts';
import { liquidations } from './liquidations.ts';
import { products } from './product.ts';
import { tickers } from './tickers.ts';

/**
 * Limits per IP: 20 requests a second on each call we use [C], of which one call alone is never allowed more; 300
 * connections in 5 minutes and 10 messages a second on each [K].
 */
export const bitget: Venue = {
  id: 'bitget',
  name: 'Bitget',
  kind: 'cex',
  aliases: ['venue_e'],
  connector: {
    origins: { rest: 'https://api.bitget.com', ws: 'wss://ws.bitget.com' },
    limits: { weightPerMinute: 1200, requestsInFlight: 3, connectionsPerMinute: 60, messagesPerMinute: 600 },
    resources: products.flatMap((product) => [instruments(product), tickers(product), funding(product)]),
    feeds: [liquidations],
  },
};
