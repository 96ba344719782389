import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Program } from '../program.ts';
import { delays, Flood, ready } from './flood.ts';

/** Of another caller's requests; without limits three sockets delayed one by 6 to 10 seconds. */
const P99_MS_MAX = 500;
const REQUESTS = 300;
const BAD_FRAMES_MAX = 33;

let folder: string;
let program: Program;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-frames-'));
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

const handshake = `GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

/** A masked frame of a client with a payload of one byte. */
function frames(opcode: number, count: number): Buffer {
  const frame = Buffer.from([0x80 | opcode, 0x81, 0, 0, 0, 0, 0x78]);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

it.each([
  ['text that is not JSON', 0x1],
  ['pings', 0x9],
  ['pongs', 0xa],
])('three sockets that flood %s do not delay another caller', async (_what, opcode) => {
  const flood = new Flood(url, { connections: 3, opening: handshake, bytes: frames(opcode, 9_000) });
  try {
    await vi.waitUntil(() => flood.closed > 0, { timeout: 60_000 });
    const { p99 } = await delays(`${url}/healthz`, REQUESTS);
    expect(p99).toBeLessThan(P99_MS_MAX);
  } finally {
    flood.stop();
  }
});

it('a socket is closed after 32 invalid frames, with a code and a reason', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, { localAddress: '127.0.0.10' });
  let errors = 0;
  socket.on('message', () => {
    errors += 1;
  });
  socket.once('open', () => {
    for (let i = 0; i < 1_000; i += 1) socket.send('x');
  });
  const [code, reason] = await new Promise<[number, Buffer]>((resolve) => {
    socket.once('close', (...how) => resolve(how));
  });
  expect({ code, reason: reason.toString() }).toEqual({
    code: 1008,
    reason: 'more than 32 invalid frames',
  });
  expect(errors).toBe(BAD_FRAMES_MAX);
});

it('one address opens 300 sockets a minute, and other addresses theirs', async () => {
  const open = (localAddress: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, { localAddress });
      socket.on('error', () => resolve(false));
      socket.once('open', () => {
        socket.terminate();
        resolve(true);
      });
    });
  let opened = 0;
  for (let i = 0; i < 320; i += 1) opened += (await open('127.0.0.11')) ? 1 : 0;
  expect(opened).toBe(300);
  expect(await open('127.0.0.12')).toBe(true);
});
