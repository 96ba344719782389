import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Trade } from '@crosstape/core';
import { WebSocket, WebSocketServer } from 'ws';
import { wireFrame } from '../packages/server/src/gateway/wire-frame.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { tradeTopic } from '../packages/server/src/topics.ts';
import { connectVenue, serveGateway, someTrades, publishCoins } from './gateway-served.ts';

/** Instructions to a process under test. */
export interface SubjectOrder {
  readonly kind: 'gateway' | 'relay';
  /** Trades of its own: how many at once, how often. */
  readonly perTick: number;
  readonly tickMs: number;
  readonly ticks: number;
  /** Instead: a venue to connect to. */
  readonly feedPort?: number;
}

/** Its report when everything has been sent. */
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
  counts(): Readonly<Record<string, number>>;
  send(trades: readonly Trade[]): void;
  /** Connects to a venue. */
  connect(feedPort: number, onOpen: () => void): void;
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
    connect: (feedPort, onOpen) => connectVenue(feedPort, (trade) => bus.publish(topic, trade), onOpen),
  };
}

/** A bare `ws` server: writes each message of a venue to every socket as it is. */
function relay(): Subject {
  const server = createServer();
  const sockets: Socket[] = [];
  const accept = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    accept.handleUpgrade(request, socket, head, (ws) => {
      ws.on('message', () => {
        sockets.push(socket as Socket);
        ws.send('{"type":"ack"}');
      });
    });
  });
  return {
    server,
    counts: () => ({}),
    send: () => undefined,
    connect(feedPort, onOpen) {
      const ws = new WebSocket(`ws://127.0.0.1:${feedPort}`, { perMessageDeflate: false });
      ws.on('open', onOpen);
      ws.on('message', (data: Buffer) => {
        const bytes = wireFrame('text', data);
        for (const socket of sockets) socket.write(bytes);
      });
    },
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

const order = JSON.parse(process.argv[2] ?? '{}') as SubjectOrder;
const subject = order.kind === 'gateway' ? gateway() : relay();
const publishedAtMs: number[] = [];
globalThis.gc?.();
const rssBeforeBytes = process.memoryUsage().rss;
subject.server.listen(0, '127.0.0.1', () => {
  const { port } = subject.server.address() as AddressInfo;
  const ready = (): void => void process.send?.({ port });
  if (order.feedPort === undefined) ready();
  else subject.connect(order.feedPort, ready);
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
