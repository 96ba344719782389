/**
 * What a delivery costs in three ways, in one process and over the same sockets, by turns: as the gateway does it, as
 * one framed buffer written to each, and as each socket encoding for itself. In processes of their own the kernel's part
 * differs by half from start to start, for all of them.
 */
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { tradePayload } from '../packages/server/src/features/tape/channels/trades.ts';
import { encodeMessage } from '../packages/server/src/gateway/wire-frame.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { tradeTopic } from '../packages/server/src/topics.ts';
import { serveGateway, someTrades, publishCoins } from './gateway-served.ts';

export type Way = 'gateway' | 'framed' | 'naive';

/** Trades at once, how often, and how many times, before the next way has its turn. */
export interface Stint {
  readonly way: Way;
  readonly perTick: number;
  readonly tickMs: number;
  readonly ticks: number;
}

/** What each stint took, in its order. */
export interface WaysSpent {
  readonly cpuUs: readonly number[];
}

/** For whatever a stint leaves behind. */
const SETTLE_MS = 200;

const sockets: WebSocket[] = [];
const under: Socket[] = [];
const { handleUpgrade } = WebSocketServer.prototype;
WebSocketServer.prototype.handleUpgrade = function (request, socket: Duplex, head, done) {
  handleUpgrade.call(this, request, socket, head, (ws, from) => {
    sockets.push(ws);
    under.push(socket as Socket);
    done(ws, from);
  });
};

const bus = new LocalBus(systemClock);
publishCoins(bus);
const { server } = serveGateway(bus);
const topic = tradeTopic('BTC');
let seq = 1_000_000_000;

function send(way: Way, count: number): void {
  for (const trade of someTrades(count)) {
    seq += 1;
    if (way === 'gateway') {
      bus.publish(topic, trade);
      continue;
    }
    const payload = tradePayload(trade);
    const message = { type: 'data', channel: 'trades', symbol: 'BTC', seq, ts: trade.ts, payload };
    if (way === 'naive') for (const ws of sockets) ws.send(JSON.stringify(message));
    else {
      const bytes = encodeMessage(message, 'json');
      for (const socket of under) socket.write(bytes);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function cpuOf({ way, perTick, tickMs, ticks }: Stint): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < ticks; done += 1) {
    send(way, perTick);
    await pause(tickMs);
  }
  do await pause(SETTLE_MS);
  while (under.some(({ writableLength }) => writableLength > 0));
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const stints = JSON.parse(process.argv[2] ?? '[]') as readonly Stint[];
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('message', async () => {
  const cpuUs: number[] = [];
  for (const stint of stints) cpuUs.push(await cpuOf(stint));
  const spent: WaysSpent = { cpuUs };
  process.send?.(spent, () => process.exit(0));
});
