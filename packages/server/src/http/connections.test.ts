import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, Socket } from 'node:net';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connections } from './connections.ts';
import { UnreadBudget } from './unread-budget.ts';

const WAIT = { timeout: 60_000, interval: 20 };
/** Of a request that waits, at least. */
const WAITING_BYTES = 16_384;

let clock: ManualClock;
let budget: UnreadBudget;
let server: Server;
let connections: Connections;
/** Of the requests that were served, in this order. */
let responses: ServerResponse[];
beforeEach(async () => {
  clock = new ManualClock(0);
  budget = new UnreadBudget({ clock, bytesMax: 60 * WAITING_BYTES });
  responses = [];
  server = createServer((request, response) => {
    connections.takeRequest(request, response, () => responses.push(response));
  });
  connections = new Connections({ clock, budget, source: 'test', perAddressMax: 10, trustProxy: false });
  connections.guard(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  budget.stop();
  server.closeAllConnections();
  server.close();
});

describe('requests behind another one on their connection', () => {
  const requestOf = (url: number, body = ''): string =>
    `POST /${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  /** Sends requests at once; the first is served. */
  async function pipeline(requests: number, body = ''): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(Array.from({ length: requests }, (_, i) => requestOf(i, body)).join(''));
    await vi.waitUntil(() => responses.length > 0, WAIT);
    return socket;
  }

  it('are served in their order, each after the previous answer', async () => {
    await pipeline(4);
    for (let served = 1; served <= 4; served += 1) {
      await vi.waitUntil(() => responses.length >= served, WAIT);
      expect(responses.map(({ req }) => req.url)).toEqual(Array.from({ length: served }, (_, i) => `/${i}`));
      responses.at(-1)?.end();
    }
  });

  it('count as unread bytes with their headers and bodies, until they are served or the client goes away', async () => {
    const socket = await pipeline(4, 'x'.repeat(1_000));
    await vi.waitUntil(() => budget.bytes >= 3 * (WAITING_BYTES + 1_000), WAIT);
    responses[0]?.end();
    await vi.waitUntil(() => responses.length === 2, WAIT);
    expect(budget.bytes).toBeLessThan(3 * WAITING_BYTES);
    expect(budget.bytes).toBeGreaterThan(2 * WAITING_BYTES);
    socket.destroy();
    await vi.waitUntil(() => budget.bytes === 0, WAIT);
    expect(responses).toHaveLength(2);
  });

  it('are closed with their connection when all unread bytes are too many', async () => {
    const socket = await pipeline(65);
    await vi.waitUntil(() => budget.bytes > 60 * WAITING_BYTES, WAIT);
    clock.advance(1_000);
    await vi.waitUntil(() => socket.closed, WAIT);
    expect({ cut: budget.cut, served: responses.length }).toEqual({ cut: 1, served: 1 });
  });
});

describe('connections over the rate of their address', () => {
  /** Opens a connection; resolves when the server has accepted or closed it. */
  async function open(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    await once(socket, 'connect');
    return socket;
  }
  const openConnections = (): Promise<number> =>
    new Promise((resolve) => {
      server.getConnections((_, count) => resolve(count));
    });

  it('are held unread for a while instead of being closed, so that a flood does not connect again at once', async () => {
    const first = await open();
    first.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const accepted = await vi.waitUntil(() => responses[0]?.socket, WAIT);
    // The address runs out of allowance, and loses what it has.
    for (let i = 0; i < 20; i += 1) connections.charge(accepted);
    await vi.waitUntil(async () => (await openConnections()) === 0, WAIT);
    const held = await open();
    held.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await vi.waitUntil(async () => (await openConnections()) === 1, WAIT);
    clock.advance(4_999);
    expect(await openConnections()).toBe(1);
    expect(responses).toHaveLength(1);
    clock.advance(1);
    await vi.waitUntil(() => held.closed, WAIT);
    // A held connection does not keep a server from closing.
    const last = await open();
    await vi.waitUntil(async () => (await openConnections()) === 1, WAIT);
    connections.stop();
    await vi.waitUntil(() => last.closed, WAIT);
    expect(responses).toHaveLength(1);
  });
});

it('answers requests over quota later while there are many, so that a flood that waits for answers is slow', () => {
  const answered = { now: 0, later: 0 };
  for (let i = 0; i < 500; i += 1) connections.answerRefused(() => (answered.now += 1));
  expect(answered.now).toBe(500);
  for (let i = 0; i < 1_000; i += 1) connections.answerRefused(() => (answered.later += 1));
  expect(answered.later).toBe(0);
  // As many as may wait do: others are answered at once.
  connections.answerRefused(() => (answered.now += 1));
  expect(answered.now).toBe(501);
  clock.advance(500);
  expect(answered.later).toBe(1_000);
  // By then some more are answered at once.
  connections.answerRefused(() => (answered.now += 1));
  expect(answered.now).toBe(502);
});

it('keeps nothing of a refused request whose client is gone', async () => {
  const hold = vi.spyOn(budget, 'hold');
  const gone = new Socket();
  gone.destroy();
  await once(gone, 'close');
  expect(connections.takeRefused({ socket: gone } as IncomingMessage)).toBe(false);
  expect(hold).not.toHaveBeenCalled();
});
