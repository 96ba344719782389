import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Program } from '../program.ts';
import { ready } from './flood.ts';

/** A minute of a caller without a key is 60 requests, and a build counts as 5. */
const BUILDS_PER_MINUTE = 12;
const SENT = 30;

let folder: string;
let program: Program;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-builds-'));
  const flags = '--port 0 --upstream sim --sim-history-days 0 --quota enforce --log error --data';
  program = new Program([...flags.split(' '), folder]);
  url = await program.listening();
  await ready(url);
});

afterAll(async () => {
  program.kill('SIGTERM');
  await program.exitCode();
  rmSync(folder, { recursive: true });
});

it('builds over a socket use up the quota that requests use up', async () => {
  const localAddress = '127.0.4.1';
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, { localAddress });
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => {
    const { type, message = '' } = JSON.parse(data.toString()) as { type: string; message?: string };
    if (type === 'build:accepted' || type === 'build:error') messages.push(message);
  });
  await new Promise((resolve) => {
    socket.once('open', resolve);
  });
  for (let i = 0; i < SENT; i += 1) {
    socket.send(
      JSON.stringify({ op: 'build', id: i, coin: 'BTC', kind: 'tick', params: { trades: 10 + i }, days: 1 }),
    );
  }
  await vi.waitUntil(() => messages.length >= SENT, { timeout: 60_000 });
  const over = messages.filter((message) => message.startsWith('More than 60 requests'));
  expect(over).toHaveLength(SENT - BUILDS_PER_MINUTE);
  socket.terminate();
});
