import { jsonReader } from '../frame-reader.ts';
import { type Fields, present, readText } from '../reading.ts';
import { splitPair } from '../spot-pairs.ts';
import { quotesFeed, readQuoted, readQuotes } from '../spot-quotes.ts';
import type { Feed, Frame } from '../venue.ts';

/** The server pings every 20 s itself [D]. */
const PING_EVERY_MS = 30_000;

/**
 * Every change of the best bid or ask, in price or size, as it happens [D]:
 * ```json
 * → {"method":"SUBSCRIBE","params":["bnbusdt@bookTicker"],"id":"BNBUSDT"}  ← {"result":null,"id":"BNBUSDT"}
 * ← {"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}
 * ```
 * Streams are in lower case. There is no time. An `id` may be a text of up to 36 letters and digits [D].
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#individual-symbol-book-ticker-streams
 */
export const quotes: Feed = {
  ...quotesFeed,
  path: '/ws',
  listedBy: 'spotTickers',
  subscribe: (symbols) => request('SUBSCRIBE', symbols),
  unsubscribe: (symbols) => request('UNSUBSCRIBE', symbols),
  ping: { everyMs: PING_EVERY_MS },
  open: () => jsonReader(parseFrame),
};

/** Its answer names the request only: by its first symbol, because an id of all of them would be too long. */
function request(method: string, symbols: readonly string[]): string {
  const id = method === 'SUBSCRIBE' ? symbols[0] : null;
  return JSON.stringify({
    method,
    params: symbols.map((symbol) => `${symbol.toLowerCase()}@bookTicker`),
    id,
  });
}

function parseFrame(frame: Fields): Frame {
  const error = frame.error ?? (frame.code === undefined ? undefined : frame);
  if (error !== undefined)
    return { kind: 'refused', why: `the venue says: ${JSON.stringify(error)}`, isReply: true };
  if (frame.result === null) {
    return typeof frame.id === 'string'
      ? { kind: 'subscribed', topics: [frame.id] }
      : { kind: 'ignored', why: 'unsubscribed' };
  }
  if (frame.s === undefined) return { kind: 'ignored', why: `event ${String(frame.e)}` };
  const symbol = readText(frame.s, 's');
  const pair = splitPair(symbol);
  const price = (field: 'b' | 'a'): number | undefined => readQuoted(frame[field], `${symbol} ${field}`);
  return readQuotes(
    [frame],
    () => pair && { ...pair, symbol, ...present({ bid: price('b'), ask: price('a') }) },
  );
}
