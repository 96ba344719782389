import type { VenueTrade } from '@crosstape/core';
import { jsonReader } from '../frame-reader.ts';
import { type Fields, readInteger, readIsoTime, readPositiveDecimal, readText } from '../reading.ts';
import { type Feed, type Frame, type Known, Malformed } from '../venue.ts';
import { readControl, subscription } from './subscriptions.ts';

const CHANNELS = ['matches', 'heartbeat'];
/** The venue wants a subscription within 5 s and sends a heartbeat every second [D]: the ping is for us. */
const PING_EVERY_MS = 20_000;

/**
 * The trades of coins against the dollar [D]:
 * ```json
 * → {"type":"subscribe","product_ids":["BTC-USD"],"channels":["matches","heartbeat"]}
 * ← {"type":"last_match","trade_id":82047306, … }
 * ← {"type":"subscriptions","channels":[{"name":"matches","product_ids":["BTC-USD"]},
 *     {"name":"heartbeat","product_ids":["BTC-USD"]}]}
 * ← {"type":"match","trade_id":82047307,"maker_order_id":"0f35…","taker_order_id":"252b…","side":"sell",
 *     "size":"0.00513192","price":"9314.78","product_id":"BTC-USD","sequence":12038915443,
 *     "time":"2020-01-31T20:03:41.158814Z"}
 * ← {"type":"heartbeat","last_trade_id":82047307,"product_id":"BTC-USD","sequence":12038915444,
 *     "time":"2020-01-31T20:03:41.163668Z"}
 * ```
 * `last_match` is of before the subscription. The ids of a pair have no gaps, so that what was missed shows.
 * https://docs.cdp.coinbase.com/exchange/websocket-feed/channels
 */
export function tradesOf(coins: readonly string[]): Feed {
  return {
    name: 'trades',
    path: '/',
    sockets: 1,
    topics: (instruments) =>
      instruments
        .filter(({ coin, quote = 'USD' }) => quote === 'USD' && coins.includes(coin))
        .map(({ symbol }) => symbol),
    topicsPerFrame: 50,
    refusesWholeFrames: true,
    subscribe: (symbols) => subscription('subscribe', CHANNELS, symbols),
    unsubscribe: (symbols) => subscription('unsubscribe', CHANNELS, symbols),
    ping: { everyMs: PING_EVERY_MS },
    silentMaxMs: 60_000,
    open: (known) => jsonReader((frame) => parseFrame(frame, known)),
  };
}

function parseFrame(frame: Fields, known: () => Known): Frame {
  switch (frame.type) {
    case 'match':
    case 'last_match': {
      const trades = parseMatch(frame, known());
      if (trades.length === 0) return { kind: 'ignored', why: 'a product that is not listed' };
      return { kind: 'trades', trades, isBackfill: frame.type === 'last_match' };
    }
    default:
      return readControl(frame, 'matches');
  }
}

/** `side` is the maker's [D]: a sell was hit by a taker who bought. */
function parseMatch(match: Fields, { instruments = [] }: Known): readonly VenueTrade[] {
  const symbol = readText(match.product_id, 'product_id');
  const coin = instruments.find((one) => one.symbol === symbol)?.coin;
  if (coin === undefined) return [];
  if (match.side !== 'buy' && match.side !== 'sell')
    throw new Malformed(`${symbol} side is neither buy nor sell`);
  return [
    {
      coin,
      side: match.side === 'sell' ? 'buy' : 'sell',
      price: readPositiveDecimal(match.price, `${symbol} price`),
      size: readPositiveDecimal(match.size, `${symbol} size`),
      venueTs: readIsoTime(match.time, `${symbol} time`),
      tid: readInteger(match.trade_id, `${symbol} trade_id`),
      ...(typeof match.taker_order_id === 'string' ? { taker: match.taker_order_id } : {}),
    },
  ];
}
