import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { text as textOf } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import type { ManyCoins } from './dashboard-coins.ts';

/** So often trades are added; many small turns, as a busy venue has them. */
const TURN_MS = 10;
/** A cursor this old is one that the service knows. */
const CURSOR_AGE_MS = 2_000;
/** The most that a price moves by from trade to trade, as a share. */
const STEP = 4e-5;
/** What a page is made of, apart from its figures. */
const FILE_TYPES = /html|javascript|css|font|image/;

interface Frame {
  readonly type: string;
  readonly channel?: string;
  readonly symbol?: string;
  readonly market?: string;
  readonly op?: string;
  seq?: number;
  readonly payload?: { readonly price: number; readonly ts: number };
}

/** A request of the page. */
interface Order {
  readonly op: string;
  readonly channel?: string;
  readonly since?: { readonly ts: number; readonly count: number };
}

/** The trades of a topic, as the page receives them. */
interface Tape {
  readonly symbol: string;
  readonly market: string | undefined;
  /** Of the last frame; `undefined` while the past is sent: nothing is added then. */
  seq: number | undefined;
  price: number;
  ts: number;
  /** When trades were last added, and how many are due. */
  addedMs: number;
  due: number;
}

/**
 * A wire to the service on which the followed tapes of a socket run at a chosen rate together, and with `coins` there are
 * more of them; the rest passes as it is.
 */
export async function openBusyWire(
  target: string,
  tradesPerSecond: number,
  coins?: ManyCoins,
): Promise<{ url: string; sent: () => number; fileBytes: () => number; close: () => void }> {
  const { port } = new URL(target);
  let sent = 0;
  let fileBytes = 0;
  const server = createServer((asked, answer) => {
    if (coins?.stream(asked, answer)) return;
    const hasCopies = coins?.has(asked.url ?? '') === true;
    const { 'accept-encoding': _, 'if-none-match': __, ...plain } = asked.headers;
    const onward = request({
      port,
      host: '127.0.0.1',
      path: hasCopies ? coins.known(asked.url ?? '') : asked.url,
      method: asked.method,
      headers: hasCopies ? plain : asked.headers,
    });
    onward.on('response', (response) => {
      if (hasCopies) {
        const { 'content-length': ___, ...headers } = response.headers;
        const sendCopies = async (): Promise<void> => {
          const text = coins.copied(asked.url ?? '', await textOf(response));
          answer.writeHead(response.statusCode ?? 502, headers);
          answer.end(text);
        };
        void sendCopies();
        return;
      }
      answer.writeHead(response.statusCode ?? 502, response.headers);
      if (FILE_TYPES.test(response.headers['content-type'] ?? ''))
        response.on('data', ({ length }: Buffer) => {
          fileBytes += length;
        });
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  const sockets = new WebSocketServer({ server, path: '/ws/v1', perMessageDeflate: false });
  sockets.on('connection', (page) => {
    const service = new WebSocket(`ws://127.0.0.1:${port}/ws/v1`);
    const early: string[] = [];
    const tapes = new Map<string, Tape>();
    page.on('message', (data: Buffer) => {
      const order = knownCursor(data.toString());
      if (service.readyState === WebSocket.OPEN) service.send(order);
      else early.push(order);
    });
    service.on('open', () => early.splice(0).forEach((order) => service.send(order)));
    service.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      const { symbol, market } = frame;
      if (frame.channel !== 'trades' || symbol === undefined) return page.send(data.toString());
      const key = `${symbol} ${market ?? ''}`;
      if (frame.type === 'ack' && frame.op === 'unsubscribe') tapes.delete(key);
      const known = tapes.get(key);
      if (frame.type === 'ack' && frame.op === 'subscribe')
        tapes.set(key, { symbol, market, seq: undefined, price: 0, ts: 0, addedMs: 0, due: 0 });
      if (frame.type === 'data' && frame.payload && known) {
        known.price = frame.payload.price;
        // The real trades take their places among the added ones.
        known.ts = Math.max(known.ts, frame.payload.ts);
        if (known.seq !== undefined) frame.seq = known.seq += 1;
        Object.assign(frame, { payload: { ...frame.payload, ts: known.ts }, ts: known.ts });
      }
      page.send(JSON.stringify(frame));
      if (frame.type === 'caughtUp' && known)
        Object.assign(known, { seq: frame.seq, addedMs: performance.now() });
    });
    const timer = setInterval(() => {
      if (page.readyState !== WebSocket.OPEN) return;
      const running = [...tapes.values()].filter(({ seq, price }) => seq !== undefined && price > 0);
      for (const tape of running) sent += addTrades(page, tape, tradesPerSecond / running.length);
    }, TURN_MS);
    page.on('close', () => {
      clearInterval(timer);
      service.close();
    });
    service.on('close', () => page.close());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    fileBytes: () => fileBytes,
    close: () => {
      sockets.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The service does not know the added trades: a cursor after them is one after its newest trade. */
function knownCursor(text: string): string {
  const order = JSON.parse(text) as Order;
  if (order.op !== 'subscribe' || order.channel !== 'trades' || !order.since) return text;
  const since = { ts: Math.min(order.since.ts, Date.now() - CURSOR_AGE_MS), count: 0 };
  return JSON.stringify({ ...order, since });
}

/** Adds the trades that are due, and returns how many those were. */
function addTrades(page: WebSocket, tape: Tape, perSecond: number): number {
  const nowMs = performance.now();
  tape.due = Math.min(tape.due + ((nowMs - tape.addedMs) / 1_000) * perSecond, perSecond);
  tape.addedMs = nowMs;
  let count = 0;
  for (; tape.due >= 1; tape.due -= 1, count += 1) {
    tape.seq = (tape.seq as number) + 1;
    tape.ts = Math.max(tape.ts, Date.now());
    tape.price *= 1 + (Math.random() - 0.5) * STEP;
    const size = Number((Math.random() ** 3 * 2).toFixed(4));
    const side = Math.random() < 0.5 ? 'buy' : 'sell';
    const price = Number(tape.price.toPrecision(6));
    const { symbol, market, seq, ts } = tape;
    const payload = { price, size, side, ts, tid: seq };
    page.send(JSON.stringify({ type: 'data', channel: 'trades', symbol, market, seq, ts, payload }));
  }
  return count;
}
