import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { type Fields, readText } from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import type { Frame, TradeFeed } from '../venue.ts';
import { parseAggTrade, pastAggTrades } from './agg-trades.ts';

const STREAM = '@aggTrade';
const SUBSCRIBE_ID = 1;
const UNSUBSCRIBE_ID = 2;
/** The server pings every 3 minutes itself, and lets a client send 10 messages a second, pings among them [D]. */
const PING_EVERY_MS = 30_000;
const TWO_DAYS_MS = 48 * 3_600_000;

/**
 * Trades of a contract, those of one taker order at one price and within 100 ms as one [D]:
 * ```json
 * → {"method":"SUBSCRIBE","params":["btcusdt@aggTrade"],"id":1}  ← {"result":null,"id":1}
 * ← {"e":"aggTrade","E":1755487578300,"s":"BTCUSDT","a":5933014,"p":"115309.8","q":"0.100","nq":"0.100","f":100,
 *    "l":105,"T":1755487578276,"m":true,"st":1}
 * ```
 * `a` rises by one from trade to trade of a contract [D, T]. Trades of the insurance fund and of automatic deleveraging
 * are not included [D]. There is no back-fill. A connection may carry 1024 streams (200 by older text) [D]. The path
 * matters: any other acknowledges and stays silent [D].
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/Aggregate-Trade-Streams
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/market/ws',
  ids: { counted: 'tid' },
  isAggregated: true,
  grouping: 'time',
  silentMaxMs: 5 * 60_000,
  subscribe: (symbols) => request('SUBSCRIBE', symbols, SUBSCRIBE_ID),
  unsubscribe: (symbols) => request('UNSUBSCRIBE', symbols, UNSUBSCRIBE_ID),
  ping: { everyMs: PING_EVERY_MS },
  // The last 48 hours, at a weight of 20 [D]:
  // https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Compressed-Aggregate-Trades-List
  past: pastAggTrades('/fapi/v1/aggTrades', { weight: 20, reachMs: TWO_DAYS_MS }),
  open: () => jsonReader(parseFrame),
};

function request(method: string, symbols: readonly string[], id: number): string {
  return JSON.stringify({ method, params: symbols.map((symbol) => `${symbol.toLowerCase()}${STREAM}`), id });
}

function parseFrame(frame: Fields): Frame {
  if (frame.e === 'aggTrade')
    return readMarketTrades([frame], (row) => parseAggTrade(row, readText(row.s, 's')));
  const error = frame.error ?? (frame.code === undefined ? undefined : frame);
  if (error !== undefined)
    return { kind: 'refused', why: `the venue says: ${JSON.stringify(error)}`, isReply: true };
  // The answer does not name its topics.
  if (frame.result === null && frame.id === SUBSCRIBE_ID) return { kind: 'subscribed', topics: [] };
  return { kind: 'ignored', why: frame.result === null ? 'unsubscribed' : `event ${String(frame.e)}` };
}
