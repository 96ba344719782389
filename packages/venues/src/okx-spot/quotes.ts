import type { VenueQuote } from '@crosstape/core';
import { jsonReader } from '../frame-reader.ts';
import {
  type Fields,
  present,
  type ReportOdd,
  readArray,
  readIntegerText,
  readObject,
  readOptional,
  readText,
} from '../reading.ts';
import { channelOperation, PING, PONG, readChannel } from '../okx/channel.ts';
import { quotesFeed, readQuoted, readQuotes } from '../spot-quotes.ts';
import type { Feed, Frame } from '../venue.ts';
import { splitInstId } from './inst-id.ts';

const CHANNEL = 'tickers';

/**
 * Best bid, best ask and last trade, at most every 100 ms and whenever one of them changed [D]:
 * ```json
 * → {"op":"subscribe","args":[{"channel":"tickers","instId":"BTC-USDT"}]}
 * ← {"event":"subscribe","arg":{"channel":"tickers","instId":"BTC-USDT"},"connId":"a4d3ae55"}
 * ← {"arg":{"channel":"tickers","instId":"BTC-USDT"},"data":[{"instType":"SPOT","instId":"BTC-USDT","last":"9999.99",
 *     "lastSz":"0.1","askPx":"9999.99","askSz":"11","bidPx":"8888.88","bidSz":"5","open24h":"9000","high24h":"10000",
 *     "low24h":"8888.88","volCcy24h":"2222","vol24h":"2222","sodUtc0":"2222","sodUtc8":"2222","ts":"1597026383085"}]}
 * → ping  ← pong
 * ```
 * What is not known is an empty text. The channel `bbo-tbt` sends the same every 10 ms, without the last trade.
 * https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-tickers-channel
 */
export const quotes: Feed = {
  ...quotesFeed,
  path: '/ws/v5/public',
  listedBy: 'spotTickers',
  subscribe: (instIds) => channelOperation('subscribe', CHANNEL, instIds),
  unsubscribe: (instIds) => channelOperation('unsubscribe', CHANNEL, instIds),
  ping: PING,
  open: () => jsonReader(parseFrame, PONG),
};

function parseFrame(frame: Fields): Frame {
  return readChannel(frame, CHANNEL, ({ data }) => readQuotes(readArray(data, 'data'), parseQuote));
}

function parseQuote(row: unknown, odd: ReportOdd, i: number): VenueQuote | undefined {
  const ticker = readObject(row, `data[${i}]`);
  const symbol = readText(ticker.instId, `data[${i}].instId`);
  const pair = splitInstId(symbol);
  const price = (field: string): number | undefined => readQuoted(ticker[field], `${symbol}.${field}`);
  const venueTs = readOptional(ticker.ts, `${symbol}.ts`, readIntegerText, odd);
  return (
    pair && {
      ...pair,
      symbol,
      ...present({ bid: price('bidPx'), ask: price('askPx'), last: price('last'), venueTs }),
    }
  );
}
