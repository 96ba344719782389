import { hashedId, type MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import { type Fields, readArray, readExact, readIntegerText, readObject, readText } from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed, type VenueRequest } from '../venue.ts';
import { unwrap } from './answer.ts';
import { productOf } from './product.ts';
import { PING, PONG, readTopic, topicOperation } from './topic.ts';

const TOPIC = 'publicTrade';
const ROWS_MAX = 1000;
const MONTHS_MS = 90 * 24 * 3_600_000;

/**
 * Every fill, on the third version of the public socket:
 * ```json
 * → {"op":"subscribe","args":[{"instType":"usdt-futures","topic":"publicTrade","symbol":"BTCUSDT"}]}
 * ← {"event":"subscribe","arg":{"instType":"usdt-futures","topic":"publicTrade","symbol":"BTCUSDT"}}
 * ← {"action":"update","arg":{"instType":"usdt-futures","topic":"publicTrade","symbol":"BTCUSDT"},
 *    "data":[{"i":"1485683898127761410","p":"80810.6","v":"0.0246","S":"sell","T":"1789940564662",
 *      "L":"1485683898127761411","isRPI":"no"}],"ts":1789940564662}
 * ```
 * Shape [T, L]. `S` is the taker's, `v` counts coins [T]. The first message, a `snapshot`, is a back-fill of about 50
 * trades [L]; rows come newest first, in updates too [L]. One reader has the price as `P` [C]. Ids do not count.
 * https://www.bitget.com/api-doc/uta/websocket/public/New-Trades-Channel
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/v3/ws/public',
  ids: {},
  grouping: 'time',
  backfillMax: 100,
  // Fewer than 50 on one connection are advised [K]; others send five at once [T].
  topicsPerSocket: 50,
  topicsPerFrame: 5,
  silentMaxMs: 5 * 60_000,
  subscribe: (symbols) => topicOperation('subscribe', TOPIC, symbols),
  unsubscribe: (symbols) => topicOperation('unsubscribe', TOPIC, symbols),
  ping: PING,
  past: fillsHistory(),
  open: () => jsonReader((frame) => readTopic(frame, TOPIC, readTrades), PONG),
};

function readTrades({ action, data }: Fields, symbol: string): Frame {
  const rows = readArray(data, 'data').toReversed();
  return readMarketTrades(rows, (row) => parseTrade(row, symbol), action === 'snapshot');
}

function parseTrade(row: unknown, symbol: string): MarketTrade {
  const { i: id, p, P, v: size, S: side, T: ts } = readObject(row, 'trade');
  return tradeOf({ id, price: p ?? P, size, side, ts }, symbol);
}

/** The side is in lower case on the socket and with a capital in answers [C]. */
function tradeOf({ id, price, size, side, ts }: Fields, symbol: string): MarketTrade {
  const isPlain = side === 'buy' || side === 'sell';
  const taker = isPlain || typeof side !== 'string' ? side : side.toLowerCase();
  if (taker !== 'buy' && taker !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  return {
    symbol,
    side: taker,
    price: readExact(price, 'price', symbol),
    size: readExact(size, 'size', symbol),
    venueTs: readIntegerText(ts, 'ts', symbol),
    tid: hashedId(readText(id, 'id', symbol)),
  };
}

/**
 * Fills of the last 90 days, newest first, older than an id or up to a time; 10 requests a second [D]:
 * ```json
 * {"code":"00000","msg":"success","requestTime":1692073693562,"data":[{"tradeId":"1075199767891652609",
 *   "price":"29376.5","size":"6.035","side":"Buy","ts":"1692073521000","symbol":"BTCUSDT"}]}
 * ```
 * Shape [D, C]. That their ids are those of the socket is [K]: both come from one generator by their size and time. The
 * times of this sample are cut to seconds, those of others are not [D]: an answer of the first kind is not used, because
 * its trades would be recorded a second time.
 * https://www.bitget.com/api-doc/contract/market/Get-Fills-History
 */
function fillsHistory(): NonNullable<TradeFeed['past']> {
  const page = (symbol: string, bound: string): VenueRequest => ({
    method: 'GET',
    path: `/api/v2/mix/market/fills-history?symbol=${symbol}&productType=${productOf(symbol)}&limit=${ROWS_MAX}&${bound}`,
  });
  return pastTrades({
    // Half as many as of other calls are allowed a second [C].
    weight: 2,
    reachMs: MONTHS_MS,
    rowsMax: ROWS_MAX,
    order: 'newestFirst',
    request: ({ market: { symbol }, beforeMs }) => page(symbol, `endTime=${beforeMs + 1}`),
    rows: (body) => refuseSeconds(readArray(unwrap(body), 'data')),
    trade: (row, symbol) => {
      const { tradeId: id, price, size, side, ts } = readObject(row, 'trade');
      return tradeOf({ id, price, size, side, ts }, symbol);
    },
    next: ({ row }, { market: { symbol } }) =>
      page(symbol, `idLessThan=${readText((row as Fields).tradeId, 'tradeId')}`),
  });
}

function refuseSeconds(rows: readonly unknown[]): readonly unknown[] {
  const isCut = (row: unknown): boolean => String((Object(row) as Fields).ts).endsWith('000');
  if (rows.length > 0 && rows.every(isCut)) throw new Malformed('the times of trades are cut to seconds');
  return rows;
}
