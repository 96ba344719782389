import type { VenueQuote } from '@crosstape/core';
import { frameReader } from '../frame-reader.ts';
import {
  present,
  type ReportOdd,
  readArray,
  readIntegerText,
  readObject,
  readOptional,
  readText,
} from '../reading.ts';
import { quotesFeed, readQuoted, readQuotes } from '../spot-quotes.ts';
import type { Feed, Frame } from '../venue.ts';
import { splitInstId } from './inst-id.ts';

const CHANNEL = 'tickers';
/** The venue drops a connection on which nothing was said for 30 s [C, M]. */
const PING_EVERY_MS = 20_000;

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
  subscribe: (instIds) => operation('subscribe', instIds),
  unsubscribe: (instIds) => operation('unsubscribe', instIds),
  ping: { everyMs: PING_EVERY_MS, frame: 'ping' },
  open: () => frameReader(parseFrame),
};

function operation(op: string, instIds: readonly string[]): string {
  return JSON.stringify({ op, args: instIds.map((instId) => ({ channel: CHANNEL, instId })) });
}

function parseFrame(text: string): Frame {
  if (text === 'pong') return { kind: 'heartbeat' };
  const frame = readObject(JSON.parse(text), 'frame');
  if (frame.event === 'error')
    return { kind: 'refused', why: `the venue says ${String(frame.code)}: ${String(frame.msg)}` };
  if (frame.event !== undefined && frame.event !== 'subscribe')
    return { kind: 'ignored', why: `event ${JSON.stringify(frame.event)}` };
  const arg = readObject(frame.arg, 'arg');
  if (arg.channel !== CHANNEL) return { kind: 'ignored', why: `channel ${String(arg.channel)}` };
  if (frame.event === 'subscribe')
    return { kind: 'subscribed', topics: [readText(arg.instId, 'arg.instId')] };
  return readQuotes(readArray(frame.data, 'data'), parseQuote);
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
