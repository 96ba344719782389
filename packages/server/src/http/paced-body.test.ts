import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { streamBytes } from '../platform/stream-bytes.ts';
import { sendPaced } from './paced-body.ts';
import { UnreadBudget } from './unread-budget.ts';

const BODY = Buffer.alloc(20_000_000, 7);

let clock: ManualClock;
let budget: UnreadBudget;
let server: Server;
let response: ServerResponse | undefined;
let outcome: Promise<unknown> | undefined;

beforeEach(async () => {
  clock = new ManualClock(0);
  budget = new UnreadBudget({ clock });
  server = createServer((_request, answer) => {
    response = answer;
    const body = { stream: streamBytes(BODY), heldBytes: BODY.length };
    outcome = sendPaced(body, answer, { clock, budget }).catch((error: unknown) => error);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  budget.stop();
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

it('sends everything to a client that reads, and holds nothing after that', async () => {
  const answer = await fetch(`http://127.0.0.1:${port()}/`);
  expect(Buffer.from(await answer.arrayBuffer()).equals(BODY)).toBe(true);
  expect(await outcome).toBeUndefined();
  expect(budget.bytes).toBe(0);
});

it('cuts off a client that reads less than 8 KiB a second', async () => {
  const socket = connect(port(), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await vi.waitUntil(() => response?.socket?.writableNeedDrain === true);
  expect(budget.bytes).toBeGreaterThanOrEqual(BODY.length);
  clock.advance(30_000);
  expect(response?.destroyed).toBe(false);
  clock.advance(30_000);
  expect(response?.destroyed).toBe(true);
  expect(await outcome).toBeInstanceOf(Error);
  expect(budget.bytes).toBe(0);
});
