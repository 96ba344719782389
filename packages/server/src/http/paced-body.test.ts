import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { streamBytes } from '../platform/stream-bytes.ts';
import { type PaceOptions, sendBytes, sendPaced } from './paced-body.ts';
import { UnreadBudget } from './unread-budget.ts';

const BODY = Buffer.alloc(20_000_000, 7);

type Send = (answer: ServerResponse, pace: PaceOptions) => void;
const ways: Readonly<Record<string, Send>> = {
  'a stream': (answer, pace) => {
    const body = { stream: streamBytes(BODY), memory: BODY };
    sendPaced(body, answer, pace).catch(() => undefined);
  },
  'bytes in memory': (answer, pace) => sendBytes(BODY, answer, pace),
};

let clock: ManualClock;
let budget: UnreadBudget;
let server: Server;
let response: ServerResponse | undefined;

afterEach(() => {
  budget.stop();
  server.closeAllConnections();
  server.close();
});

const port = (): number => (server.address() as AddressInfo).port;

describe.each(Object.entries(ways))('%s', (_, send) => {
  beforeEach(async () => {
    clock = new ManualClock(0);
    budget = new UnreadBudget({ clock });
    response = undefined;
    server = createServer((_request, answer) => {
      response = answer;
      send(answer, { clock, budget });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  it('are sent to a client that reads, and nothing is held after that', async () => {
    const answer = await fetch(`http://127.0.0.1:${port()}/`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(BODY)).toBe(true);
    await vi.waitUntil(() => budget.bytes === 0);
  });

  it('are not held for a client that has gone before', async () => {
    server.removeAllListeners('request');
    const socket = connect(port(), '127.0.0.1');
    socket.on('error', () => undefined);
    server.on('request', (_request, answer) => {
      response = answer;
      socket.destroy();
    });
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await vi.waitUntil(() => response?.destroyed);
    send(response as ServerResponse, { clock, budget });
    await vi.waitUntil(() => budget.bytes === 0);
  });

  it('are not sent to a client that reads less than 8 KiB a second', async () => {
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
    await vi.waitUntil(() => budget.bytes === 0);
  });
});
