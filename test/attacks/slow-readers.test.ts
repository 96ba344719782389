import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Program } from '../program.ts';
import { ready } from './flood.ts';

const READERS = 50;
const RESULT_BYTES = 25_000_000;
/** Fifty readers of a 25 MB result took 1,588 MB when each had a copy of it. */
const GROWTH_BYTES_MAX = 250e6;
const KEY = 'rot:res:0123456789abcdef';

let folder: string;
let program: Program;
let url: string;
const result = randomBytes(RESULT_BYTES);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-slow-readers-'));
  // As a process before this one left it.
  const results = join(folder, 'sim', '1', 'results');
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, `${Math.floor(statSync(results).mtimeMs)}.${encodeURIComponent(KEY)}`), result);
  const flags = '--port 0 --upstream sim --seed 1 --sim-history-days 0 --quota enforce --log error --data';
  program = new Program([...flags.split(' '), folder]);
  url = await program.listening();
  await ready(url);
});

afterAll(async () => {
  program.kill('SIGTERM');
  await program.exitCode();
  rmSync(folder, { recursive: true });
});

function residentBytes(): number {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

/** Connections that ask for the result and read no more than its head. */
async function readNothing(accept: string, localAddress: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  let begun = 0;
  for (let i = 0; i < READERS; i += 1) {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      begun += 1;
    });
    socket.write(
      `GET /api/v1/perps/rotations/result?key=${KEY} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`,
    );
    sockets.push(socket);
  }
  await vi.waitUntil(() => begun === READERS, { timeout: 60_000 });
  return sockets;
}

it.each([
  ['the pack', '*/*', '127.0.5.1'],
  ['the pack in base64', 'application/json', '127.0.5.2'],
])('fifty connections that ask for %s and do not read it take no memory', async (_what, accept, address) => {
  const before = residentBytes();
  const sockets = await readNothing(accept, address);
  let most = before;
  const samples = Array.from({ length: 20 });
  for (const _ of samples) {
    await fetch(`${url}/healthz`);
    most = Math.max(most, residentBytes());
  }
  for (const socket of sockets) socket.destroy();
  expect(most - before).toBeLessThan(GROWTH_BYTES_MAX);
});

it('a client that reads gets all of it', async () => {
  const address = `${url}/api/v1/perps/rotations/result?key=${KEY}`;
  const plain = await fetch(address);
  expect(plain.headers.get('content-length')).toBe(String(RESULT_BYTES));
  expect(Buffer.from(await plain.arrayBuffer()).equals(result)).toBe(true);
  const wrapped = await fetch(address, { headers: { Accept: 'application/json' } });
  const { data } = (await wrapped.json()) as { data: { encoding: string; pack: string } };
  expect(data.encoding).toBe('base64');
  expect(Buffer.from(data.pack, 'base64').equals(result)).toBe(true);
});
