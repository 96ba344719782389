import type { MarketTrade } from '@crosstape/core';
import { jsonReader, readMarketTrades } from '../frame-reader.ts';
import { pastTrades } from '../past-trades.ts';
import {
  type Fields,
  readArray,
  readExact,
  readInteger,
  readIsoTime,
  readObject,
  readText,
} from '../reading.ts';
import { tradeFeed } from '../trade-feed.ts';
import { type Frame, Malformed, type TradeFeed, type VenueRequest } from '../venue.ts';
import { readControl, subscription } from './subscriptions.ts';

const CHANNELS = ['matches', 'heartbeat'];
/** The venue wants a subscription within 5 s and sends a heartbeat every second [D]: the ping is for us. */
const PING_EVERY_MS = 20_000;
const ROWS_MAX = 1000;
const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Every fill; the wire is that of `trades.ts`. `trade_id` of a product has no gaps [D, L]; `last_match` is the one trade
 * of before the subscription. `side` is the maker's [D].
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels
 */
export const marketTrades: TradeFeed = {
  ...tradeFeed,
  path: '/',
  ids: { counted: 'tid' },
  grouping: 'order',
  backfillMax: 1,
  refusesWholeFrames: true,
  silentMaxMs: 5 * 60_000,
  subscribe: (symbols) => subscription('subscribe', CHANNELS, symbols),
  unsubscribe: (symbols) => subscription('unsubscribe', CHANNELS, symbols),
  ping: { everyMs: PING_EVERY_MS },
  past: productTrades(),
  open: () => jsonReader(parseFrame),
};

function parseFrame(frame: Fields): Frame {
  switch (frame.type) {
    case 'match':
    case 'last_match': {
      const symbol = readText(frame.product_id, 'product_id');
      return readMarketTrades([frame], (row) => parseTrade(row, symbol), frame.type === 'last_match');
    }
    default:
      return readControl(frame, 'matches');
  }
}

function parseTrade(row: unknown, symbol: string): MarketTrade {
  const { side, price, size, time, trade_id, taker_order_id: order } = readObject(row, 'trade');
  if (side !== 'buy' && side !== 'sell') throw new Malformed(`${symbol} side is neither buy nor sell`);
  return {
    symbol,
    side: side === 'sell' ? 'buy' : 'sell',
    price: readExact(price, 'price', symbol),
    size: readExact(size, 'size', symbol),
    venueTs: readIsoTime(time, 'time', symbol),
    tid: readInteger(trade_id, 'trade_id', symbol),
    order: typeof order === 'string' ? order : undefined,
  };
}

/**
 * Fills older than an id, newest first, without their orders [D]:
 * ```json
 * [{"trade_id":18502034,"side":"sell","size":"0.00007448","price":"73271.63000000","time":"2024-03-13T11:00:17.710679Z"}]
 * ```
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-trades
 */
function productTrades(): NonNullable<TradeFeed['past']> {
  const page = (symbol: string, upTo: number | undefined): VenueRequest => ({
    method: 'GET',
    path: `/products/${symbol}/trades?limit=${ROWS_MAX}${upTo === undefined ? '' : `&after=${upTo + 1}`}`,
  });
  return pastTrades({
    weight: 1,
    reachMs: YEAR_MS,
    rowsMax: ROWS_MAX,
    order: 'newestFirst',
    request: ({ market: { symbol }, beforeTid }) => page(symbol, beforeTid),
    rows: (body) => readArray(body, 'answer'),
    trade: parseTrade,
    next: ({ trade }, { market: { symbol } }) => page(symbol, trade.tid - 1),
  });
}
