import { hashedId, type MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import {
  type Fields,
  readExact,
  readExactNumber,
  readInteger,
  readIntegerText,
  readObject,
  readText,
} from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed } from '../venue.ts';

/** The server closes a connection that has sent no ping for a minute, and advises 10 to 20 s [D]. */
const PING_EVERY_MS = 15_000;

/**
 * Every fill, one request for each contract:
 * ```json
 * → {"method":"sub.deal","param":{"symbol":"BTC_USDT"},"gzip":false}
 * ← {"channel":"rs.sub.deal","data":"success","ts":1788335242021}
 * ← {"symbol":"BTC_USDT","data":[{"p":114350.4,"v":4,"T":2,"O":3,"M":2,"t":1760368563597,"i":"13064218826",
 *    "cts":"1760368563597"}],"channel":"push.deal","ts":1760368563597}
 * → {"method":"ping"}  ← {"channel":"pong","data":1788336475469,"ts":1788336475469}
 * ```
 * Shape [D, T, L]. `T` is the taker's: 1 bought, 2 sold; `v` counts contracts [D]. Older frames have one object in place
 * of the array, and no `i` [D, L]. Ids are consecutive within a frame [T], unconfirmed from frame to
 * frame: they are not counted. Answers of `GET /api/v1/contract/deals` have no ids [D], so that trades in them cannot be
 * distinguished from those received: there is no refill. There is no back-fill [K].
 * https://www.mexc.com/api-docs/futures/websocket-api#public-channels
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/edge',
  ids: {},
  grouping: 'time',
  topicsPerSocket: 100,
  topicsPerFrame: 1,
  silentMaxMs: 5 * 60_000,
  subscribe: ([symbol = '']) => JSON.stringify({ method: 'sub.deal', param: { symbol }, gzip: false }),
  unsubscribe: ([symbol = '']) => JSON.stringify({ method: 'unsub.deal', param: { symbol } }),
  ping: { everyMs: PING_EVERY_MS, frame: '{"method":"ping"}' },
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  switch (frame.channel) {
    case 'push.deal': {
      const symbol = readText(frame.symbol, 'symbol');
      const rows: readonly unknown[] = Array.isArray(frame.data) ? frame.data : [frame.data];
      return readMarketTrades(rows, (row) => parseTrade(row, symbol));
    }
    case 'pong':
      return { kind: 'heartbeat' };
    case 'rs.error':
      return { kind: 'refused', why: `the venue says: ${String(frame.data)}`, isReply: true };
    case 'rs.sub.deal':
      return frame.data === 'success'
        ? { kind: 'subscribed', topics: [] }
        : { kind: 'refused', why: `the venue says: ${String(frame.data)}`, isReply: true };
    default:
      return { kind: 'ignored', why: `channel ${String(frame.channel)}` };
  }
}

function parseTrade(row: unknown, symbol: string): MarketTrade {
  const { p, v, T, t, i } = readObject(row, 'trade');
  if (T !== 1 && T !== 2) throw new Malformed(`${symbol} T is neither 1 nor 2`);
  const price = readAmount(p, 'p', symbol);
  const size = readAmount(v, 'v', symbol);
  const venueTs = readInteger(t, 't', symbol);
  const isNumbered = i !== undefined && i !== null;
  return {
    symbol,
    side: T === 1 ? 'buy' : 'sell',
    price,
    size,
    venueTs,
    tid: isNumbered ? readIntegerText(i, 'i', symbol) : hashedId(`${venueTs} ${price} ${size} ${T}`),
  };
}

/** A JSON number; one reader has seen a text [M]. */
function readAmount(value: unknown, what: string, of: string): number {
  return typeof value === 'string' ? readExact(value, what, of) : readExactNumber(value, what, of);
}
