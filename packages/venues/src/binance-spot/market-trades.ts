import { parseAggTrade, pastAggTrades } from '../binance/agg-trades.ts';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { type Fields, readText } from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import type { Frame, TradeFeed } from '../venue.ts';

/** The server pings every 20 s itself [D]. */
const PING_EVERY_MS = 30_000;
const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Trades of a pair, those of one taker order at one price as one [D]:
 * ```json
 * → {"method":"SUBSCRIBE","params":["bnbusdt@aggTrade"],"id":"BNBUSDT"}  ← {"result":null,"id":"BNBUSDT"}
 * ← {"e":"aggTrade","E":1672515782136,"s":"BNBUSDT","a":12345,"p":"0.00100000","q":"100.00000000","f":100,"l":105,
 *    "T":1672515782136,"m":true,"M":true}
 * ```
 * `a` rises by one from trade to trade of a pair [D, T]. There is no back-fill. A connection may carry 1024 streams [D].
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#aggregate-trade-streams
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/ws',
  ids: { counted: 'tid' },
  isAggregated: true,
  grouping: 'time',
  silentMaxMs: 5 * 60_000,
  subscribe: (symbols) => request('SUBSCRIBE', symbols),
  unsubscribe: (symbols) => request('UNSUBSCRIBE', symbols),
  ping: { everyMs: PING_EVERY_MS },
  // A weight of 4, from the first trade of a pair on [D]; more than a year is never needed.
  past: pastAggTrades('/api/v3/aggTrades', { weight: 4, reachMs: YEAR_MS }),
  open: () => jsonReader(parseFrame),
};

/** Its answer names the request only: by its first symbol, because an id may have 36 characters [D]. */
function request(method: string, symbols: readonly string[]): string {
  const id = method === 'SUBSCRIBE' ? symbols[0] : null;
  return JSON.stringify({ method, params: symbols.map((symbol) => `${symbol.toLowerCase()}@aggTrade`), id });
}

function parseFrame(frame: Fields): Frame {
  if (frame.e === 'aggTrade')
    return readMarketTrades([frame], (row) => parseAggTrade(row, readText(row.s, 's')));
  const error = frame.error ?? (frame.code === undefined ? undefined : frame);
  if (error !== undefined)
    return { kind: 'refused', why: `the venue says: ${JSON.stringify(error)}`, isReply: true };
  if (frame.result === null && typeof frame.id === 'string')
    return { kind: 'subscribed', topics: [frame.id] };
  return { kind: 'ignored', why: frame.result === null ? 'unsubscribed' : `event ${String(frame.e)}` };
}
