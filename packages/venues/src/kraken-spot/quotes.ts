import type { VenueQuote } from '@crosstape/core';
import { jsonReader } from '../frame-reader.ts';
import {
  type Fields,
  present,
  type ReportOdd,
  readArray,
  readIsoTime,
  readNumber,
  readObject,
  readOptional,
  readText,
} from '../reading.ts';
import { DOLLARS } from '../spot-pairs.ts';
import { quotesFeed, readQuoted, readQuotes } from '../spot-quotes.ts';
import type { Feed, Frame } from '../venue.ts';

const CHANNEL = 'ticker';
/** A connection is closed after a minute without a message [D]; the ping is answered with a pong. */
const PING_EVERY_MS = 20_000;

/**
 * Best bid, best ask and last trade, on every change of the best bid or ask (`bbo`), after a snapshot [D]:
 * ```json
 * → {"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","ETH/USD"],"event_trigger":"bbo"}}  one answer per pair:
 * ← {"method":"subscribe","result":{"channel":"ticker","event_trigger":"bbo","snapshot":true,"symbol":"BTC/USD"},
 *    "success":true,"time_in":"2023-09-25T09:04:31.742599Z","time_out":"2023-09-25T09:04:31.742648Z"}
 * ← {"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","bid":26319.9,"bid_qty":1.2,"ask":26320.0,
 *    "ask_qty":0.7,"last":26320.0,"volume":1714.1,"vwap":26405.2,"low":26100.0,"high":26650.1,"change":-210.1,
 *    "change_pct":-0.79,"timestamp":"2023-09-25T09:04:31.742599Z"}]}
 * ← {"channel":"heartbeat"}  ← {"channel":"status","type":"update","data":[{"system":"online",…}]}
 * → {"method":"ping"}  ← {"method":"pong","time_in":"…","time_out":"…"}
 * ```
 * Figures are JSON numbers. `timestamp` came in 2025 and is taken where it is [D]. Coins are spelled as everywhere else:
 * BTC and DOGE, not XBT and XDG.
 * https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker
 */
export const quotes: Feed = {
  ...quotesFeed,
  path: '/v2',
  subscribe: (symbols) => request('subscribe', symbols),
  unsubscribe: (symbols) => request('unsubscribe', symbols),
  ping: { everyMs: PING_EVERY_MS, frame: '{"method":"ping"}' },
  open: () => jsonReader(parseFrame),
};

function request(method: string, symbols: readonly string[]): string {
  return JSON.stringify({ method, params: { channel: CHANNEL, symbol: symbols, event_trigger: 'bbo' } });
}

function parseFrame(frame: Fields): Frame {
  if (frame.success === false)
    return { kind: 'refused', why: `the venue says: ${String(frame.error)}`, isReply: true };
  if (frame.channel === 'heartbeat' || frame.method === 'pong') return { kind: 'heartbeat' };
  if (frame.method === 'subscribe') {
    return {
      kind: 'subscribed',
      topics: [readText(readObject(frame.result, 'result').symbol, 'result.symbol')],
    };
  }
  if (frame.channel !== CHANNEL)
    return { kind: 'ignored', why: `channel ${String(frame.channel)}, method ${String(frame.method)}` };
  return readQuotes(readArray(frame.data, 'data'), parseQuote);
}

function parseQuote(row: unknown, odd: ReportOdd, i: number): VenueQuote | undefined {
  const ticker = readObject(row, `data[${i}]`);
  const symbol = readText(ticker.symbol, `data[${i}].symbol`);
  const [coin = '', quote = ''] = symbol.split('/');
  if (coin === '' || !DOLLARS.has(quote)) return undefined;
  const price = (field: 'bid' | 'ask' | 'last'): number | undefined =>
    readQuoted(ticker[field], `${symbol}.${field}`, readNumber);
  const venueTs = readOptional(ticker.timestamp, `${symbol}.timestamp`, readIsoTime, odd);
  return {
    coin,
    symbol,
    quote,
    ...present({ bid: price('bid'), ask: price('ask'), last: price('last'), venueTs }),
  };
}
