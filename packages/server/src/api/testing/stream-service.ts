import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, ManualClock, type Print, type Trade } from '@crosstape/core';
import { Failure, failureCodes } from '../../platform/errors.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import type { StreamRecord } from '../../features/tape/recall-events.ts';
import type { Streams } from '../../http/stream-definition.ts';
import { SourceHealths } from './source-healths.ts';
import { SseClient } from './sse-client.ts';
import { createStreams } from '../create-streams.ts';

export const START_MS = 1_790_000_000_000;
const PRIMARY = 'hyperliquid';

export interface StreamServiceOptions {
  readonly coins?: readonly string[] | undefined;
  readonly sseMaxMinutes?: number;
  readonly isRecorded?: boolean;
  /** Records history before the service starts. */
  readonly record?: (parts: { readonly clock: ManualClock; readonly bus: LocalBus }) => Promise<StreamRecord>;
}

interface ConnectOptions {
  readonly lastEventId?: string | undefined;
  readonly paused?: boolean;
}

export interface StreamService {
  readonly clock: ManualClock;
  readonly bus: LocalBus;
  /** All ok at first. */
  readonly healths: SourceHealths;
  readonly streams: Streams;
  readonly port: number;
  /** `path` is below `/streams/`. */
  readonly connect: (path: string, options?: ConnectOptions) => Promise<SseClient>;
  close(): Promise<void>;
}

/** The streams alone behind a plain HTTP server, with a manual clock. */
export async function startStreamService(options: StreamServiceOptions = {}): Promise<StreamService> {
  const clock = new ManualClock(START_MS);
  const bus = new LocalBus(clock, undefined, { isRecorded: options.isRecorded ?? false });
  const healths = new SourceHealths(bus, clock);
  for (const gives of ['trades', 'funding']) healths.turn({ publisher: PRIMARY, gives }, 'ok');
  const coins = 'coins' in options ? options.coins : ['BTC', 'ETH', 'kPEPE'];
  const { sseMaxMinutes = 30 } = options;
  const record = await options.record?.({ clock, bus });
  const streams = createStreams({
    ...(record && { record }),
    clock,
    bus,
    log: silentLog,
    coins: () => coins,
    primaryVenue: PRIMARY,
    settings: { sseMaxMinutes },
  });
  const server = serveStreams(streams);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    clock,
    bus,
    healths,
    streams,
    port,
    connect: (path, { lastEventId, paused = false } = {}) =>
      SseClient.open({
        port,
        path: `/streams/${path}`,
        paused,
        headers: lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
      }),
    async close() {
      server.close();
      server.closeAllConnections();
      await streams.close('shutdown');
    },
  };
}

/** A server that only maps paths to streams. */
export function serveStreams(streams: Streams): ReturnType<typeof createServer> {
  return createServer((request, response) => {
    const [path = '', search = ''] = (request.url ?? '').split('?');
    const definition = streams.definitions.find((one) => one.path === path);
    try {
      if (!definition) throw new Failure('not_found', 'no such path');
      const caller = request.socket.remoteAddress ?? '';
      streams.open({ definition, search, caller, headers: [], request, response });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message, details } = error;
      response.writeHead(failureCodes[code].status).end(JSON.stringify({ error: message, code, details }));
    }
  });
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A trade, identified by its number. */
export function tradeOf(clock: Clock, tid: number, fields: Partial<Trade> = {}): Trade {
  const price = 100_000;
  const size = fields.size ?? 0.01;
  return {
    coin: 'BTC',
    venue: 'hyperliquid',
    side: tid % 2 === 0 ? 'buy' : 'sell',
    price,
    size,
    notionalUsd: price * size,
    ts: clock.now(),
    tid,
    sameOrder: false,
    ...fields,
  };
}

/** A print, identified by its number. */
export function printOf(clock: Clock, tid: number, fields: Partial<Print> = {}): Print {
  return {
    coin: 'BTC',
    venue: 'hyperliquid',
    side: 'buy',
    price: 100_000,
    size: 2,
    notionalUsd: 200_000,
    ts: clock.now(),
    tid,
    fills: 3,
    ...fields,
  };
}
