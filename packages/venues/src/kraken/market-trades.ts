import { hashedId, type MarketTrade, WEEK_MS } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import {
  type Fields,
  readArray,
  readExactNumber,
  readInteger,
  readIsoTime,
  readObject,
  readText,
} from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed, type VenueRequest } from '../venue.ts';
import { readEvent, subscription } from './events.ts';
import { readAnswer } from './answer.ts';

/** The server wants a ping at least every 60 s [D]. */
const PING_EVERY_MS = 20_000;
const ROWS_MAX = 100;

/**
 * Every fill; the wire is that of `liquidations.ts`, which are among them:
 * ```json
 * → {"event":"subscribe","feed":"trade","product_ids":["PF_XBTUSD"]}
 * ← {"event":"subscribed","feed":"trade","product_ids":["PF_XBTUSD"]}
 * ← {"feed":"trade_snapshot","product_id":"PF_XBTUSD","trades":[{"feed":"trade","product_id":"PF_XBTUSD", … }]}
 * ← {"feed":"trade","product_id":"PF_XBTUSD","uid":"05af78ac-a774-478c-a50c-8b9c234e071e","side":"sell","type":"fill",
 *    "seq":653355,"time":1612266317519,"qty":0.5,"price":34969.5}
 * ```
 * `side` is the taker's, `qty` counts coins [D, T]. The snapshot has up to 100 trades, newest first [D, L]. `seq` rises by
 * one from trade to trade of a contract, in snapshots too [D, L], and starts again now and then: of `PF_XBTUSD` it was
 * 883384 on 2026-09-02 and 421135 on 2026-09-25 [L]. Answers of REST have the `uid` and no `seq`.
 * https://docs.kraken.com/exchange/api-reference/futures-websocket/trade
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/ws/v1',
  ids: { counted: 'seq', mayRestart: true },
  grouping: 'time',
  backfillMax: 100,
  silentMaxMs: 10 * 60_000,
  subscribe: (symbols) => subscription('subscribe', 'trade', symbols),
  unsubscribe: (symbols) => subscription('unsubscribe', 'trade', symbols),
  ping: { everyMs: PING_EVERY_MS },
  past: history(),
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  switch (frame.event ?? frame.feed) {
    case 'trade':
      return readMarketTrades([frame], (row) => parseTrade(row, readText(frame.product_id, 'product_id')));
    case 'trade_snapshot': {
      const symbol = readText(frame.product_id, 'product_id');
      const rows = readArray(frame.trades, 'trades').toReversed();
      return rows.length === 0
        ? { kind: 'ignored', why: 'an empty snapshot' }
        : readMarketTrades(rows, (row) => parseTrade(row, symbol), true);
    }
    default:
      return readEvent(frame);
  }
}

function parseTrade(row: unknown, symbol: string): MarketTrade {
  const { side, price, qty, time, uid, seq } = readObject(row, 'trade');
  if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  return {
    symbol,
    side,
    price: readExactNumber(price, 'price', symbol),
    size: readExactNumber(qty, 'qty', symbol),
    venueTs: readInteger(time, 'time', symbol),
    tid: hashedId(readText(uid, 'uid', symbol)),
    seq: readInteger(seq, 'seq', symbol),
  };
}

/**
 * The last 100 fills before a time, newest first [D]:
 * ```json
 * {"result":"success","history":[{"time":"2022-03-18T04:55:37.692Z","trade_id":100,"price":0.7921,"size":1068,
 *   "side":"sell","type":"fill","uid":"6c5da0b0-f1a8-483f-921f-466eb0388265"}],"serverTime":"2022-03-18T06:39:18.056Z"}
 * ```
 * It answers seven days at most [K], and costs nothing [D].
 * https://docs.kraken.com/api/docs/futures-api/trading/get-history
 */
function history(): NonNullable<TradeFeed['past']> {
  const page = (symbol: string, beforeMs: number): VenueRequest => {
    const lastTime = new Date(beforeMs).toISOString();
    return { method: 'GET', path: `/derivatives/api/v3/history?symbol=${symbol}&lastTime=${lastTime}` };
  };
  return pastTrades({
    weight: 1,
    perMinute: 60,
    reachMs: WEEK_MS,
    rowsMax: ROWS_MAX,
    order: 'newestFirst',
    request: ({ market: { symbol }, beforeMs }) => page(symbol, beforeMs + 1),
    rows: (body) => readArray(readAnswer(body).history, 'history'),
    trade: (row, symbol) => {
      const { time, price, size, side, uid } = readObject(row, 'trade');
      if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
      return {
        symbol,
        side,
        price: readExactNumber(price, 'price', symbol),
        size: readExactNumber(size, 'size', symbol),
        venueTs: readIsoTime(time, 'time', symbol),
        tid: hashedId(readText(uid, 'uid', symbol)),
      };
    },
    // A ms later than the oldest, for others of its time; earlier than before in any case.
    next: ({ trade }, { market: { symbol } }, path) => {
      const askedMs = Date.parse(path.slice(path.indexOf('lastTime=') + 'lastTime='.length));
      return page(symbol, Math.min(trade.venueTs + 1, askedMs - 1));
    },
  });
}
