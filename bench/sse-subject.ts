import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Trade } from '@crosstape/core';
import { serveStreams, silentLog } from '../packages/server/src/api/testing/stream-service.ts';
import { SLICE_CHARS_MAX } from '../packages/server/src/sse/feed.ts';
import { sseFrame } from '../packages/server/src/sse/frame.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { tradeTopic } from '../packages/server/src/topics.ts';
import type { Load } from './sse.ts';
import { createStreams } from '../packages/server/src/api/create-streams.ts';

/** What the process under test says when everything has been handed out. */
export interface Spent {
  readonly cpuUs: number;
  /** Longest time the event loop was held up. */
  readonly heldUpMs: number;
  /** When each trade was published, by its number. */
  readonly publishedAtMs: readonly number[];
}

/** Sends trades on to every stream. */
interface Subject {
  readonly server: Server;
  send(trades: readonly Trade[]): void;
}

/** The streams of the service. */
function service(): Subject {
  const bus = new LocalBus(systemClock);
  const streams = createStreams({
    clock: systemClock,
    bus,
    log: silentLog,
    coins: () => ['BTC'],
    primaryVenue: 'hyperliquid',
    settings: { sseMaxMinutes: 30, streamsPerAddress: 10_000 },
  });
  const topic = tradeTopic('BTC');
  return {
    server: serveStreams(streams),
    send: (trades) => {
      for (const trade of trades) bus.publish(topic, trade);
    },
  };
}

/** A bare server that writes the same bytes, made beforehand and joined alike, to every response. */
function bare(bunches: readonly (readonly Trade[])[]): Subject {
  const responses: ServerResponse[] = [];
  const pieces = new Map(bunches.map((trades) => [trades, joinedPieces(trades.map(frameOf))]));
  const queue: Buffer[] = [];
  const writeOn = (): void => {
    const joined = queue.splice(0, 1);
    let length = joined[0]?.length ?? 0;
    while (queue[0] && length < SLICE_CHARS_MAX) {
      length += queue[0].length;
      joined.push(...queue.splice(0, 1));
    }
    const bytes = Buffer.concat(joined, length);
    for (const response of responses) response.write(bytes);
    if (queue.length > 0) setImmediate(writeOn);
  };
  const server = createServer((_request, response) => {
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.write(sseFrame('heartbeat', 1, { ts: 1 }));
    responses.push(response);
  });
  return {
    server,
    send: (trades) => {
      if (queue.length === 0) setImmediate(writeOn);
      queue.push(...(pieces.get(trades) ?? []));
    },
  };
}

function frameOf({ coin, side, price, size, notionalUsd, ts, venue, tid }: Trade): string {
  return sseFrame('trade', ts, { coin, side, price, size, notionalUsd, ts, venue, tid });
}

function joinedPieces(frames: readonly string[]): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let text = '';
  for (const [i, frame] of frames.entries()) {
    text += frame;
    if (text.length < SLICE_CHARS_MAX && i < frames.length - 1) continue;
    pieces.push(Buffer.from(text));
    text = '';
  }
  return pieces;
}

/** The trades of a load: one bunch per frame of the venue, and the burst at half time. */
function bunchesOf({ tradesPerSecond, seconds, burst, frameMs }: Load): readonly (readonly Trade[])[] {
  const frames = Math.round((seconds * 1_000) / frameMs);
  const perFrame = Math.max(1, Math.round((tradesPerSecond * frameMs) / 1_000));
  let tid = 0;
  const bunch = (count: number, ts: number): Trade[] =>
    Array.from({ length: count }, () => {
      tid += 1;
      const [price, size] = [105_000 + (tid % 997), 0.00001 * (1 + (tid % 5_003))];
      return {
        coin: 'BTC',
        venue: 'hyperliquid',
        side: tid % 2 ? 'buy' : 'sell',
        price,
        size: Number(size.toFixed(5)),
        notionalUsd: Number((price * size).toFixed(5)),
        ts,
        tid,
        sameOrder: false,
      };
    });
  const startMs = systemClock.now();
  return Array.from({ length: frames }, (_, i) =>
    bunch(perFrame + (i === frames >> 1 ? burst : 0), startMs + i * frameMs),
  );
}

function feed(subject: Subject, bunches: readonly (readonly Trade[])[], frameMs: number): void {
  const publishedAtMs: number[] = [];
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  const before = process.cpuUsage();
  const startMs = performance.now();
  let next = 0;
  const tick = setInterval(() => {
    const due = Math.min(bunches.length, Math.ceil((performance.now() - startMs) / frameMs));
    for (const trades of bunches.slice(next, due)) {
      for (const { tid } of trades) publishedAtMs[tid] = performance.timeOrigin + performance.now();
      subject.send(trades);
    }
    next = due;
    if (next === bunches.length) clearInterval(tick);
  }, frameMs);
  // The parent asks when its clients have counted everything.
  process.once('message', () => {
    const { user, system } = process.cpuUsage(before);
    const spent: Spent = { cpuUs: user + system, heldUpMs: held.max / 1e6, publishedAtMs };
    process.send?.(spent, () => process.exit(0));
  });
}

const [kind, loadText] = process.argv.slice(2);
const load = JSON.parse(loadText ?? '{}') as Load;
const bunches = bunchesOf(load);
const subject = kind === 'service' ? service() : bare(bunches);
subject.server.listen(0, '127.0.0.1', () => {
  process.send?.({
    port: (subject.server.address() as AddressInfo).port,
    trades: bunches.reduce((sum, { length }) => sum + length, 0),
  });
  process.once('message', () => feed(subject, bunches, load.frameMs));
});
