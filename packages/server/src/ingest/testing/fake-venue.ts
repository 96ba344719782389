import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OpenInterest } from '@crosstape/core';
import { type Feed, type Frame, type Lookup, Malformed, type Resource } from '@crosstape/venues';
import { type WebSocket, WebSocketServer } from 'ws';

/** A venue on loopback sockets whose every answer the test decides. */
export interface FakeVenue {
  readonly origins: { readonly rest: string; readonly ws: string };
  /** Requested paths, in order. */
  readonly asked: string[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Sockets that are open now, oldest first. */
  readonly sockets: WebSocket[];
  /** Connections that were ever made. */
  connections: number;
  /** Headers of each handshake. */
  readonly handshakes: IncomingHttpHeaders[];
  /** Frames that were received from all sockets, in order. */
  readonly received: string[];
  /** Answers a frame of a socket. */
  reply: (frame: string, socket: WebSocket) => void;
  /** Takes a connection's upgrade instead of the venue. */
  intercept: ((request: IncomingMessage, stream: Duplex) => void) | undefined;
  close(): Promise<void>;
}

export async function startFakeVenue(): Promise<FakeVenue> {
  const server = createServer((request, response) => {
    venue.asked.push(request.url ?? '');
    venue.answer(request, response);
  });
  const gateway = new WebSocketServer({ noServer: true });
  const streams = new Set<Duplex>();
  server.on('connection', (stream) => {
    streams.add(stream);
    stream.on('close', () => streams.delete(stream));
  });
  server.on('upgrade', (request, stream, head) => {
    venue.connections += 1;
    venue.handshakes.push(request.headers);
    if (venue.intercept) return venue.intercept(request, stream);
    gateway.handleUpgrade(request, stream, head, (socket) => {
      venue.sockets.push(socket);
      socket.on('close', () => venue.sockets.splice(venue.sockets.indexOf(socket), 1));
      socket.on('message', (data: Buffer) => {
        const frame = data.toString();
        venue.received.push(frame);
        venue.reply(frame, socket);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const venue: FakeVenue = {
    origins: { rest: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}` },
    asked: [],
    answer: (_, response) => void response.end(oiBody(1)),
    sockets: [],
    connections: 0,
    handshakes: [],
    received: [],
    reply: (frame, socket) => {
      if (frame === 'ping') socket.send('pong');
      if (frame.startsWith('sub ')) socket.send(`ack ${frame.slice(4)}`);
    },
    intercept: undefined,
    close: async () => {
      for (const stream of streams) stream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return venue;
}

/** An answer of the fake resource: `[["BTC", 5]]`. */
export function oiBody(contracts: number, rows = 1): string {
  return JSON.stringify(Array.from({ length: rows }, (_, i) => [`COIN${i}`, contracts]));
}

export function fakeResource(changes: Partial<Resource> = {}): Resource {
  return {
    name: 'oi',
    polled: 'always',
    everyMs: 5_000,
    gives: ['openInterest'],
    weight: 1,
    request: { method: 'GET', path: '/oi' },
    parse: parseOi,
    ...changes,
  };
}

/** One key at a time: `/oi/BTC` is answered with `[["BTC", 5]]`. */
export function fakeLookup(changes: Partial<Lookup> = {}): Lookup {
  return {
    name: 'oi',
    polled: 'always',
    everyMs: 60_000,
    gives: ['openInterest'],
    weight: 1,
    keys: () => ['BTC', 'ETH', 'SOL'],
    request: (key) => ({ method: 'GET', path: `/oi/${key}` }),
    parse: parseOi,
    ...changes,
  };
}

/** `null` as a count becomes NaN, as a careless parser would let it. A text as a count is refused by row. */
function parseOi(body: unknown) {
  if (!Array.isArray(body)) throw new Malformed('the answer is not an array');
  const refused: string[] = [];
  const openInterest: OpenInterest[] = [];
  for (const [symbol, count] of body as [string, number | null | string][]) {
    if (typeof count === 'string') refused.push(`${symbol} count is a text: ${count}`);
    else {
      const contracts = count ?? Number.NaN;
      openInterest.push({ coin: symbol, symbol, contracts, coins: contracts, value: contracts });
    }
  }
  return { openInterest, refused };
}

/**
 * `T <coin> <price>` is a trade, `L <coin> <price>` a liquidation, `ack <coin>,<coin>` a confirmation, `pong` a pong;
 * `boom` makes the parser throw.
 */
export function fakeFeed(changes: Partial<Feed> = {}): Feed {
  return {
    name: 'trades',
    path: '/ws',
    sockets: 1,
    topics: (instruments) => instruments.map(({ symbol }) => symbol),
    subscribe: (topics) => `sub ${topics.join(',')}`,
    unsubscribe: (topics) => `unsub ${topics.join(',')}`,
    ping: { everyMs: 15_000, frame: 'ping' },
    silentMaxMs: 60_000,
    open: () => parseFrame,
    ...changes,
  };
}

function parseFrame(text: string): Frame {
  const [kind, coin = '', price = ''] = text.split(' ');
  if (kind === 'T') {
    const trade = { coin, side: 'buy', price: Number(price), size: 1, venueTs: 1, tid: 1 } as const;
    return { kind: 'trades', trades: [trade], isBackfill: false };
  }
  if (kind === 'L') {
    const liquidation = {
      coin,
      symbol: coin,
      side: 'sell',
      price: Number(price),
      size: 1,
      venueTs: 1,
    } as const;
    return { kind: 'liquidations', liquidations: [liquidation], isBackfill: false };
  }
  if (kind === 'ack') return { kind: 'subscribed', topics: coin.split(',') };
  if (kind === 'pong') return { kind: 'heartbeat' };
  if (kind === 'boom') throw new TypeError('cannot read properties of undefined');
  return { kind: 'refused', why: `unknown frame: ${text}` };
}
