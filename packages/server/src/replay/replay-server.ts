import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@crosstape/core';
import { WebSocketServer } from 'ws';
import type { CaptureIndex } from './capture-index.ts';
import type { CapturedSocket } from './captured-socket.ts';
import { ReplaySession } from './replay-session.ts';
import { ReplayTime } from './replay-time.ts';
import { requestKey } from './request-key.ts';

const BODY_BYTES_MAX = 64 * 1024;
const FRAME_BYTES_MAX = 64 * 1024;
/** How often due frames are sent. */
const STEP_MS = 10;
/** An answer received up to this much later counts as available: polls do not repeat to the millisecond. */
const EARLY_MS = 2_000;
/** A client that connects up to this much later than the captured one, in real time, misses nothing. */
const CATCH_UP_MS = 10_000;
/** Close code: the service restarts. */
const RESTARTING = 1012;

export interface ReplayServerOptions {
  readonly capture: CaptureIndex;
  readonly clock: Clock;
  /** 0 picks a free port. */
  readonly port: number;
  readonly host?: string;
  readonly speed?: number;
  readonly isLooping?: boolean;
  /** Id of this replay: what a service records of it shares no files with other data. */
  readonly id: string;
}

export interface ReplayServer {
  /** As with a simulator: a venue's origin is this followed by its id. */
  readonly url: string;
  readonly time: ReplayTime;
  /** Requests without a captured answer, by venue, method and path. */
  readonly unanswered: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Distinct unanswered requests that are counted. */
const UNANSWERED_MAX = 1_000;

/** Serves a capture on one loopback port, each venue under the path of its id. */
export async function startReplayServer(options: ReplayServerOptions): Promise<ReplayServer> {
  const { capture, clock, port, host = '127.0.0.1', speed = 1, isLooping = false, id } = options;
  const { fromMs, toMs, answers, captured, bodies } = capture;
  const time = new ReplayTime({ clock, fromMs, toMs, speed, isLooping });
  const upgrades = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES_MAX });
  const sessions = new Set<ReplaySession>();
  const taken = new Set<CapturedSocket>();
  const unanswered = new Map<string, number>();
  let round = 0;

  const describe = (): object => ({
    replay: { id, fromMs, toMs, speed, nowMs: Math.floor(time.nowMs), isRunning: time.isRunning, captured },
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await readBody(request);
    if (body === undefined) return replyJson(response, 413, { error: 'too large' });
    if (url === '/sim' && method === 'GET') return replyJson(response, 200, describe());
    if (url === '/sim/start' && method === 'POST') {
      time.start();
      return replyJson(response, 200, describe());
    }
    time.start();
    const { venue, path } = route(url);
    const key = requestKey(venue, method, path, body);
    const found = answers.find(key, time.positionMs + EARLY_MS);
    if (!found) {
      const asked = `${venue} ${method} ${path}`;
      if (unanswered.has(asked) || unanswered.size < UNANSWERED_MAX)
        unanswered.set(asked, (unanswered.get(asked) ?? 0) + 1);
      return replyJson(response, 404, { error: 'the capture has no answer to this request' });
    }
    // It was not answered when it was captured either.
    if (!found.answer) return void request.socket.destroy();
    const { status, headers, body: stored } = found.answer;
    const bytes = await bodies.read(stored);
    response.writeHead(status, { ...headers, ...ageOf(headers, time.nowMs - found.receivedAtMs) }).end(bytes);
  }

  const server = createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) replyJson(response, 500, { error: String(error) });
      else response.destroy();
    });
  });

  server.on('upgrade', (request: IncomingMessage, wire: Duplex, head: Buffer) => {
    wire.on('error', () => wire.destroy());
    time.start();
    const { venue, path } = route(request.url ?? '/');
    const candidates = capture.sockets.filter((one) => one.venue === venue && one.path === path);
    if (!candidates.some(({ openedMs }) => openedMs !== undefined)) {
      const { refusedStatus = 404 } = candidates.findLast((one) => one.refusedStatus !== undefined) ?? {};
      return refuse(wire, refusedStatus);
    }
    upgrades.handleUpgrade(request, wire, head, (socket) => {
      const positionMs = (): number => time.positionMs;
      const catchUpMs = CATCH_UP_MS * speed;
      const session = new ReplaySession({ socket, candidates, bodies, positionMs, catchUpMs, taken });
      sessions.add(session);
      socket.on('message', (data) => session.receive((data as Buffer).toString()));
      socket.on('error', () => socket.terminate());
      socket.on('close', () => sessions.delete(session));
    });
  });

  const stepping = clock.every(STEP_MS, () => {
    if (time.round !== round) {
      round = time.round;
      for (const socket of upgrades.clients) socket.close(RESTARTING, 'the capture starts again');
      return;
    }
    for (const session of sessions) session.step();
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  return {
    url: `http://${host}:${address.port}`,
    time,
    unanswered,
    async close() {
      stepping.cancel();
      for (const socket of upgrades.clients) socket.terminate();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await bodies.close();
    },
  };
}

/** The `Age` that a cache would add: the age of the answer, on the replay's clock. */
function ageOf(
  { age = '0' }: Readonly<Record<string, string>>,
  heldMs: number,
): Readonly<Record<string, string>> {
  const ageS = Math.max(0, Number(age) || 0) + Math.max(0, Math.floor(heldMs / 1_000));
  return ageS > 0 ? { age: String(ageS) } : {};
}

function route(url: string): { readonly venue: string; readonly path: string } {
  const [, venue = '', path = ''] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
  return { venue, path };
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

function replyJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(wire: Duplex, status: number): void {
  wire.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  );
}
