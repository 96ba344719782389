import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, sleep, type Timer } from '@crosstape/core';
import { WebSocketServer } from 'ws';
import { control } from './control.ts';
import { FaultBoard } from './fault-board.ts';
import { mangle } from './mangle.ts';
import { createMarket, type Market } from './market/market.ts';
import { MinuteBars } from './market/minute-bars.ts';
import type { SimulatorSize } from './market/pace.ts';
import type { Scenario } from './scenario.ts';
import { VenueSocket } from './venue-socket.ts';
import { botWall } from './venues/bot-wall.ts';
import { VENUE_SIMULATORS } from './venues/index.ts';
import type { WireSides } from './venues/order-book.ts';
import type { RunningVenue, VenueAnswer } from './venues/venue-simulator.ts';

const BODY_BYTES_MAX = 64 * 1024;
const FRAME_BYTES_MAX = 64 * 1024;
/** As long as the service keeps connections itself. */
const KEEP_ALIVE_MS = 75_000;

export interface SimulatorOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly host?: string;
  readonly seed: number;
  readonly clock: Clock;
  /** Multiplies the rate of orders. */
  readonly rate?: number;
  /** Default: `everyday`. */
  readonly size?: SimulatorSize;
  readonly scenario?: Scenario;
  /**
   * How many coins a venue lists at least, by its id: those that the market does not have are copies of its last.
   * Default at real size: as many as it has in real life.
   */
  readonly contracts?: Readonly<Record<string, number>>;
  /** Names of the coins that venues list. Default: all of the market. */
  readonly coins?: readonly string[];
  /** Ids of the venues and sites that answer. Default: all. */
  readonly sources?: readonly string[];
}

export interface Simulator {
  /** `http://host:port`; a venue's own origin is this followed by its id, with `ws:` for its sockets. */
  readonly url: string;
  readonly market: Market;
  readonly faults: FaultBoard;
  /** How often each limit was exceeded, by venue and limit; empty if all limits were respected. */
  readonly violations: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The book of a venue's market as it was last sent to a client. */
  book(venue: string, symbol: string): WireSides | undefined;
  close(): Promise<void>;
}

/** Serves the market on one loopback port, each venue under the path of its id. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const {
    port,
    host = '127.0.0.1',
    seed,
    clock,
    rate = 1,
    size = 'everyday',
    scenario,
    contracts,
    coins,
    sources,
  } = options;
  const startedAtMs = clock.now();
  const market = createMarket({ seed, rate, size, coins });
  const faults = new FaultBoard(clock, seed);
  const context = { market, bars: new MinuteBars(market), clock, faults, contracts };
  const answering = VENUE_SIMULATORS.filter(({ id }) => sources?.includes(id) ?? true);
  const venues = new Map(answering.map((venue) => [venue.id, venue.start(context)]));
  const sockets = new WebSocketServer({ noServer: true, autoPong: false, maxPayload: FRAME_BYTES_MAX });
  /** Unanswered upgrades: the server no longer counts them as its own, and would wait for them forever. */
  const hung = new Set<Duplex>();
  const describe = (): Readonly<Record<string, unknown>> => ({
    seed,
    rate,
    size,
    ...(coins && { coins }),
    scenario: scenario?.name ?? null,
    startedAtMs,
    nowMs: clock.now(),
  });

  const server = createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) reply(response, { status: 500, type: 'text/plain', body: String(error) });
      else response.destroy();
    });
  });

  // Node's own five seconds are over while a busy client is about to use the connection again, and its request fails.
  server.keepAliveTimeout = KEEP_ALIVE_MS;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const { pathname, search, searchParams: query } = new URL(request.url ?? '/', 'http://simulator');
    const body = await readBody(request);
    if (body === undefined) return reply(response, { status: 413, type: 'text/plain', body: 'too large' });
    if (pathname === '/sim' || pathname.startsWith('/sim/')) {
      const answer = control(
        { method, path: pathname, query, body },
        { faults, venues, nowMs: clock.now(), describe },
      );
      return replyJson(response, answer.status, answer.body);
    }
    const { id, path, venue } = route(pathname);
    if (!venue)
      return replyJson(response, 404, { error: `no such venue; there are ${[...venues.keys()].join(', ')}` });
    const spot = { venue: id, part: 'rest', path: `${path}${search}` } as const;
    if (faults.strike(spot, 'refuse')) return void request.socket.destroy();
    if (faults.strike(spot, 'hang')) return;
    const status = faults.strike(spot, 'status');
    if (status) return reply(response, statusAnswer(status.status), retryAfter(status.retryAfterS));
    if (faults.strike(spot, 'limit')) return reply(response, venue.overLimit);
    const wall = faults.strike(spot, 'wall');
    if (wall) return reply(response, botWall(wall.status));
    const answer = await venue.answer({ method, path, query, body, headers: request.headers });
    const slow = faults.strike(spot, 'slow');
    if (slow) await sleep(clock, slow.delayMs);
    const text = mangle(answer.body, { faults, ...spot });
    if (faults.strike(spot, 'cut')) return cut(response, { ...answer, body: text });
    reply(response, { ...answer, body: text });
    if (text === answer.body) answer.sent?.();
  }

  function route(pathname: string): { id: string; path: string; venue: RunningVenue | undefined } {
    const [, id = '', ...rest] = pathname.split('/');
    return { id, path: `/${rest.join('/')}`, venue: venues.get(id) };
  }

  server.on('upgrade', (request: IncomingMessage, wire: Duplex, head: Buffer) => {
    wire.on('error', () => wire.destroy());
    wire.on('close', () => hung.delete(wire));
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://simulator');
    const { id, path, venue } = route(pathname);
    if (!venue) return refuse(wire, { status: 404, type: 'text/plain', body: 'no such venue' });
    const spot = { venue: id, part: 'ws', path } as const;
    if (faults.strike(spot, 'refuse')) return void wire.destroy();
    if (faults.strike(spot, 'hang')) return void hung.add(wire);
    const status = faults.strike(spot, 'status');
    if (status) return refuse(wire, statusAnswer(status.status), retryAfter(status.retryAfterS));
    const refusal = venue.refuse(path);
    if (refusal) return refuse(wire, refusal);
    sockets.handleUpgrade(request, wire, head, (socket) =>
      venue.accept(new VenueSocket({ socket, wire, spot, clock, faults }), {
        path,
        query,
        headers: request.headers,
      }),
    );
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const stopScenario = runScenario(scenario, faults, clock);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  return {
    url: `http://${host}:${address.port}`,
    market,
    faults,
    get violations() {
      return Object.fromEntries([...venues].map(([id, venue]) => [id, venue.violations]));
    },
    book: (venue, symbol) => venues.get(venue)?.books?.get(symbol),
    async close() {
      stopScenario();
      for (const venue of venues.values()) venue.stop();
      for (const socket of sockets.clients) socket.terminate();
      for (const wire of hung) wire.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function reply(
  response: ServerResponse,
  answer: VenueAnswer,
  headers: Readonly<Record<string, string>> = {},
): void {
  const all = { 'content-type': answer.type, ...answer.headers, ...headers };
  response.writeHead(answer.status, all).end(answer.body);
}

function replyJson(response: ServerResponse, status: number, body: unknown): void {
  reply(response, { status, type: 'application/json', body: JSON.stringify(body) });
}

/** The head of an answer that announces the whole body, half of it, and the end of the connection. */
function cut(response: ServerResponse, answer: VenueAnswer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { 'content-type': answer.type, 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), () => response.destroy());
}

function refuse(wire: Duplex, answer: VenueAnswer, headers: Readonly<Record<string, string>> = {}): void {
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    `content-type: ${answer.type}`,
    `content-length: ${Buffer.byteLength(answer.body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
    '',
    answer.body,
  ];
  wire.end(lines.join('\r\n'));
}

function statusAnswer(status: number): VenueAnswer {
  return status === 429
    ? { status, type: 'application/json', body: 'null' }
    : {
        status,
        type: 'text/html',
        body: `<html><body><h1>${status} ${STATUS_CODES[status] ?? ''}</h1></body></html>`,
      };
}

function retryAfter(seconds: number | undefined): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** Activates a scenario's faults at their times. Returns a function that stops it. */
function runScenario(scenario: Scenario | undefined, faults: FaultBoard, clock: Clock): () => void {
  const timers = new Set<Timer>();
  for (const { atMs, everyMs, fault } of scenario?.steps ?? []) {
    const first = clock.after(atMs, () => {
      timers.delete(first);
      faults.add(fault);
      if (everyMs !== undefined) timers.add(clock.every(everyMs, () => faults.add(fault)));
    });
    timers.add(first);
  }
  return () => {
    for (const timer of timers) timer.cancel();
  };
}
