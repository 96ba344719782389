import { parseFields } from '../../json.ts';
import { isWithinSecond } from '../per-second.ts';
import type { Session, WireSocket } from '../wire.ts';
import { type BinanceTrades, printTrade } from './trades.ts';

const LIFETIME_MS = 24 * 3_600_000;
/** Of one connection [D]. */
const STREAMS_MAX = 1024;
/** `btcusdt@aggTrade`, `btcusdt@depth20@100ms` */
const STREAM = /^([a-z0-9_]+)@(aggTrade|depth20@100ms)$/;
const TRADES = 'aggTrade';
const DEPTH = 20;

/** What differs between the spot market and the contracts. */
interface Streams {
  readonly paths: readonly string[];
  readonly messagesPerSecond: number;
  readonly everyMs: number;
  /** The market whose trades or book are on a stream of this connection. */
  find(session: Session, symbol: string, kind: 'trades' | 'book'): BinanceTrades | undefined;
  /** Called before a stream is subscribed to or left. */
  asked?(session: Session, stream: string): void;
  push: WireSocket['push'];
}

/**
 * Sockets whose streams are raw at `/ws` or wrapped at `/stream`, named in the address or subscribed to. Connections live
 * for a day, and 300 may be opened in 5 minutes [D].
 */
export function streamSocketsOf(streams: Streams): readonly WireSocket[] {
  const { messagesPerSecond, everyMs, push } = streams;
  return streams.paths.map((path) => ({
    path,
    socketsMax: 300,
    socketsPerMinute: 60,
    messagesPerMinute: messagesPerSecond * 60,
    everyMs,
    greet(session) {
      session.memory.set('openedMs', session.nowMs());
      const named = isWrapped(session)
        ? session.query.get('streams')?.split('/')
        : [session.path.split('/ws/')[1]];
      for (const name of named ?? []) if (name) subscribe(streams, session, decodeURIComponent(name));
    },
    receive(text, session) {
      if (isWithinSecond(session, messagesPerSecond)) return answer(streams, text, session);
      session.violate('messages');
      session.close(1008, 'Too many requests');
    },
    push(session, fromMs, toMs) {
      if (session.nowMs() - Number(session.memory.get('openedMs')) >= LIFETIME_MS)
        return session.close(1000, '');
      push(session, fromMs, toMs);
    },
  }));
}

function isWrapped({ path }: Session): boolean {
  return path.endsWith('/stream');
}

export function printEvent(session: Session, stream: string, data: object): string {
  return JSON.stringify(isWrapped(session) ? { stream, data } : data);
}

function subscribe(streams: Streams, session: Session, stream: string): void {
  if (session.topics.size >= STREAMS_MAX) return session.violate('streams');
  const [, symbol = '', name] = STREAM.exec(stream) ?? [];
  const kind = name === TRADES ? 'trades' : 'book';
  const printed = name === undefined ? undefined : streams.find(session, symbol.toUpperCase(), kind);
  if (!printed) session.topics.add(stream);
  else if (kind === 'book') followBook(session, stream, printed);
  else followTrades(session, stream, printed);
}

function followTrades(session: Session, stream: string, printed: BinanceTrades): void {
  session.follow(stream, {
    market: printed.market,
    print: (deals) =>
      deals.map((deal) => {
        const data = printTrade(printed, deal, session.nowMs());
        return { text: printEvent(session, stream, data), deals: [deal] };
      }),
  });
}

/**
 * Of a contract, and of a pair, which has neither a name nor a time:
 * {"e":"depthUpdate","E":1571889248277,"T":1571889248276,"s":"BTCUSDT","U":390497796,"u":390497878,"pu":390497794,
 *  "b":[["7403.89","0.002"]],"a":[["7405.96","3.340"]]}
 * {"lastUpdateId":160,"bids":[["0.0024","10"]],"asks":[["0.0026","100"]]}
 * https://developers.binance.com/docs/derivatives/usds-margined-futures/websocket-market-streams/Partial-Book-Depth-Streams [D]
 * https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams#partial-book-depth-streams [D]
 */
function followBook(session: Session, stream: string, book: BinanceTrades): void {
  session.followBook(stream, {
    book,
    depth: DEPTH,
    isWhole: true,
    print(message, nextNumber) {
      const [bids, asks] = [message.bids, message.asks].map((levels) =>
        levels.map(([price, size]) => [price, size]),
      );
      if (!book.isContract) return [printEvent(session, stream, { lastUpdateId: nextNumber(), bids, asks })];
      const { ts } = message;
      const u = nextNumber() * 10;
      const numbers = { U: u - 8, u, pu: u - 10 };
      const named = { e: 'depthUpdate', E: ts, T: ts - 1, s: book.market.symbol };
      return [printEvent(session, stream, { ...named, ...numbers, b: bids, a: asks, st: 1 })];
    },
  });
}

/** → {"method":"SUBSCRIBE","params":["btcusdt@forceOrder"],"id":1} ← {"result":null,"id":1} */
function answer(streams: Streams, text: string, session: Session): void {
  const request = parseFields(text);
  if (!request) return refuse(session, 3, 'Invalid JSON: expected value at line 1 column 1');
  const { method, params, id } = request;
  if (method === 'LIST_SUBSCRIPTIONS')
    return session.send(JSON.stringify({ result: [...session.topics], id }));
  if (method !== 'SUBSCRIBE' && method !== 'UNSUBSCRIBE')
    return refuse(session, 2, `Invalid request: unknown variant ${String(method)}`);
  if (!Array.isArray(params)) return refuse(session, 2, 'Invalid request: params must be an array of texts');
  for (const name of params.map(String)) {
    streams.asked?.(session, name);
    if (method === 'SUBSCRIBE') subscribe(streams, session, name);
    else session.leave(name);
  }
  session.send(JSON.stringify({ result: null, id }));
}

function refuse(session: Session, code: number, msg: string): void {
  session.send(JSON.stringify({ code, msg }));
}
