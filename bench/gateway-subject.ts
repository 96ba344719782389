import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Trade } from '@crosstape/core';
import { WebSocket, WebSocketServer } from 'ws';
import { tradePayload } from '../packages/server/src/features/tape/channels/trades.ts';
import { encodeMessage, wireFrame } from '../packages/server/src/gateway/wire-frame.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { tradeTopic } from '../packages/server/src/topics.ts';
import { connectVenue, serveGateway, someTrades, publishCoins } from './gateway-served.ts';

/** What a process under test is to do. */
export interface SubjectOrder {
  readonly kind: 'gateway' | 'framed' | 'naive';
  /** Trades of its own: how many at once, how often. */
  readonly perTick: number;
  readonly tickMs: number;
  readonly ticks: number;
  /** Instead: a venue to connect to. */
  readonly feedPort?: number;
}

/** What it says when everything has been handed out. */
export interface Spent {
  readonly cpuUs: number;
  readonly heldUpMs: number;
  readonly publishedAtMs: readonly number[];
  readonly rssBytes: number;
  readonly rssBeforeBytes: number;
  readonly counts: Readonly<Record<string, number>>;
}

interface Subject {
  readonly server: Server;
  send(trades: readonly Trade[]): void;
  /** Passes on what a venue said, as it is. */
  relay(frame: Buffer): void;
  counts(): Readonly<Record<string, number>>;
}

function gateway(): Subject {
  const bus = new LocalBus(systemClock);
  publishCoins(bus);
  const topic = tradeTopic('BTC');
  return {
    ...serveGateway(bus),
    send: (trades) => {
      for (const trade of trades) bus.publish(topic, trade);
    },
    relay: () => undefined,
  };
}

/** A bare `ws` server: either writes one framed message to each socket, or lets each socket encode for itself. */
function bare(isNaive: boolean): Subject {
  const server = createServer();
  const sockets: WebSocket[] = [];
  const under: Socket[] = [];
  let seq = 0;
  const messageOf = (trade: Trade): object => {
    seq += 1;
    return {
      type: 'data',
      channel: 'trades',
      symbol: 'BTC',
      seq,
      ts: trade.ts,
      payload: tradePayload(trade),
    };
  };
  const accept = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    accept.handleUpgrade(request, socket, head, (ws) => {
      ws.on('message', () => {
        sockets.push(ws);
        under.push(socket as Socket);
        ws.send('{"type":"ack"}');
      });
    });
  });
  return {
    server,
    send: (trades) => {
      for (const trade of trades) {
        const message = messageOf(trade);
        if (isNaive) for (const ws of sockets) ws.send(JSON.stringify(message));
        else {
          const bytes = encodeMessage(message, 'json');
          for (const socket of under) socket.write(bytes);
        }
      }
    },
    relay: (frame) => {
      const bytes = wireFrame('text', frame);
      for (const socket of under) socket.write(bytes);
    },
    counts: () => ({}),
  };
}

/** Sends its own trades, a fixed number per interval. */
function tick(subject: Subject, { perTick, tickMs, ticks }: SubjectOrder, publishedAtMs: number[]): void {
  let done = 0;
  const timer = setInterval(() => {
    const trades = someTrades(perTick);
    for (const trade of trades) publishedAtMs[trade.tid] = performance.timeOrigin + performance.now();
    subject.send(trades);
    done += 1;
    if (done === ticks) clearInterval(timer);
  }, tickMs);
}

/** Connects to a venue: through parser and tape as the gateway does, or straight through. */
function connectFeed(subject: Subject, { kind }: SubjectOrder, feedPort: number, onOpen: () => void): void {
  if (kind === 'gateway') return connectVenue(feedPort, (trade) => subject.send([trade]), onOpen);
  const ws = new WebSocket(`ws://127.0.0.1:${feedPort}`, { perMessageDeflate: false });
  ws.on('open', onOpen);
  ws.on('message', (data: Buffer) => subject.relay(data));
}

const order = JSON.parse(process.argv[2] ?? '{}') as SubjectOrder;
const subject = order.kind === 'gateway' ? gateway() : bare(order.kind === 'naive');
const publishedAtMs: number[] = [];
globalThis.gc?.();
const rssBeforeBytes = process.memoryUsage().rss;
subject.server.listen(0, '127.0.0.1', () => {
  const { port } = subject.server.address() as AddressInfo;
  const ready = (): void => void process.send?.({ port });
  if (order.feedPort === undefined) ready();
  else connectFeed(subject, order, order.feedPort, ready);
});
process.once('message', () => {
  const held = monitorEventLoopDelay({ resolution: 1 });
  held.enable();
  const before = process.cpuUsage();
  if (order.ticks > 0) tick(subject, order, publishedAtMs);
  process.once('message', () => {
    const { user, system } = process.cpuUsage(before);
    globalThis.gc?.();
    const spent: Spent = {
      cpuUs: user + system,
      heldUpMs: held.max / 1e6,
      publishedAtMs,
      rssBytes: process.memoryUsage().rss,
      rssBeforeBytes,
      counts: subject.counts(),
    };
    process.send?.(spent, () => process.exit(0));
  });
});
