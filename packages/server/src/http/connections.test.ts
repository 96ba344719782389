import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { streamBytes } from '../platform/stream-bytes.ts';
import { Connections } from './connections.ts';
import { FilePart, sendFilePart } from './file-part.ts';
import { sendBytes, sendPaced } from './paced-body.ts';
import { UnreadBudget } from './unread-budget.ts';

const WAIT = { timeout: 60_000, interval: 20 };
/** More than is buffered before it is read. */
const body = Buffer.alloc(2_000_000, 7);

let folder: string;
let path: string;
let clock: ManualClock;
let budget: UnreadBudget;
let server: Server;
let connections: Connections;
let send: (response: ServerResponse) => void;
/** In the order of their requests; and how often each was closed. */
let responses: ServerResponse[];
let closes: number[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-connections-'));
  path = join(folder, 'file');
  writeFileSync(path, body);
  clock = new ManualClock(0);
  budget = new UnreadBudget({ clock });
  responses = [];
  closes = [];
  server = createServer((request, response) => {
    if (!connections.takeRequest(request, response)) return;
    const i = responses.push(response) - 1;
    closes[i] = 0;
    response.on('close', () => (closes[i] = (closes[i] ?? 0) + 1));
    if (i > 0) send(response);
  });
  connections = new Connections({ clock, source: 'test', perAddressMax: 10, trustProxy: false });
  connections.guard(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  budget.stop();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Sends requests at once. The first is not answered. */
async function pipeline(requests: number): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests));
  await vi.waitUntil(() => responses.length === requests, WAIT);
  return socket;
}

/** How often this process has the file open. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  }).length;
}

describe('answers that wait for their turn when the client goes away', () => {
  it('release their files', async () => {
    const onFault = vi.fn<(error: unknown) => void>();
    send = (response) =>
      sendFilePart(new FilePart(path, 0, body.length - 1), response, { clock, budget, onFault });
    const socket = await pipeline(4);
    await vi.waitUntil(() => openFiles() === 3, WAIT);
    socket.destroy();
    await vi.waitUntil(() => openFiles() === 0, WAIT);
    expect(onFault).not.toHaveBeenCalled();
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['bytes', (response) => sendBytes(body, response, { clock, budget })],
    [
      'stream',
      (response) => {
        const paced = { stream: streamBytes(body), memory: body };
        sendPaced(paced, response, { clock, budget }).catch(() => undefined);
      },
    ],
  ])('release their %s', async (_, sendOne) => {
    send = sendOne;
    // Node stops reading from a connection with more answers in memory, and detects its end late.
    const socket = await pipeline(2);
    expect(budget.bytes).toBeGreaterThan(0);
    socket.destroy();
    await vi.waitUntil(() => budget.bytes === 0, WAIT);
  });

  it('are each closed once, as are those whose turn has come', async () => {
    send = () => undefined;
    const socket = await pipeline(40);
    // Node warns of more than ten listeners.
    expect(responses[0]?.socket?.listenerCount('close')).toBeLessThan(10);
    responses[0]?.end();
    responses[1]?.end();
    await vi.waitUntil(() => responses[2]?.socket && closes[1] === 1, WAIT);
    socket.destroy();
    await vi.waitUntil(() => closes.every((count) => count > 0), WAIT);
    expect(responses.every(({ destroyed }) => destroyed)).toBe(true);
    // By then anything that would close one a second time has run.
    for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(closes).toEqual(Array.from({ length: 40 }, () => 1));
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
