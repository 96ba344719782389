import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectRedis, disconnect, isConnected, type RedisLink } from './redis.ts';
import { systemClock } from '../platform/system-clock.ts';
import { hasRedis, TestRedis } from './testing/redis-server.ts';

const until = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 30_000, interval: 10 });
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function connect(url: string, commandMsMax?: number): RedisLink {
  const link = connectRedis(url, commandMsMax === undefined ? {} : { commandMsMax });
  closers.push(() => disconnect(link));
  return link;
}

/** A server that accepts every connection and never answers. */
async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    closers.push(() => void socket.destroy());
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  closers.push(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe.runIf(hasRedis)('a connection', () => {
  it('that reconnects is not cut for the silence of the previous one', async () => {
    const server = await TestRedis.start();
    closers.push(() => server.close());
    const link = connect(server.url, 500);
    const other = connect(server.url);
    await Promise.all([isConnected(link), isConnected(other)]);
    let closed = 0;
    link.on('close', () => {
      closed += 1;
    });
    const waitsMs = systemClock.now();
    // No reply arrives before the connection is closed.
    const waiting = link.blpop('empty', 0).catch(() => undefined);
    await other.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await waiting;
    await isConnected(link);
    // 500 ms for a command, plus 2 s.
    await until(() => systemClock.now() > waitsMs + 3_500);
    expect([closed, await link.ping()]).toEqual([1, 'PONG']);
  });

  it('is made by the next sentinel when the first hangs', async () => {
    const master = await TestRedis.start();
    const sentinel = await TestRedis.startSentinel(master.port);
    closers.push(
      () => master.close(),
      () => sentinel.close(),
    );
    const silent = await listen(() => undefined);
    const link = connect(`redis://127.0.0.1:${silent}?sentinel=mymaster&hosts=127.0.0.1:${sentinel.port}`);
    await isConnected(link);
    expect(await link.ping()).toBe('PONG');
  });
});

it('sentinels are spoken to under TLS where the master is', async () => {
  let first: number | undefined;
  const port = await listen((socket) => {
    socket.once('data', ([byte]) => {
      first ??= byte;
    });
  });
  connect(`rediss://127.0.0.1:${port}?sentinel=mymaster`);
  await until(() => first !== undefined);
  // The first byte of a TLS handshake; a Redis command starts with `*`.
  expect(first).toBe(0x16);
});
