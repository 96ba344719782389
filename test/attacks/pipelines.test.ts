import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Program } from '../program.ts';
import { delays, Flood, ready } from './flood.ts';

/** Of another caller's requests; without limits eight connections delayed one by 20 seconds. */
const P99_MS_MAX = 500;
const REQUESTS = 300;
/** Requests over quota that one connection may send before it is closed. */
const REFUSED_MAX = 32;
const QUOTA = 60;
const NETWORK_QUOTA = 3_000;

let folder: string;
let program: Program;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-pipelines-'));
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

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

it.each(['/api/v1/perps/tickers', '/healthz'])(
  'eight connections that pipeline %s do not delay another caller',
  async (path) => {
    const flood = new Flood(url, { connections: 8, bytes: Buffer.from(get(path).repeat(1_000)) });
    try {
      await vi.waitUntil(() => flood.closed > 0, { timeout: 60_000 });
      const { p99 } = await delays(`${url}/healthz`, REQUESTS);
      expect(p99).toBeLessThan(P99_MS_MAX);
    } finally {
      flood.stop();
    }
  },
);

it('a connection that keeps asking after 429 gets an error and is closed', async () => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: '127.0.2.1' });
  let text = '';
  socket.on('data', (part: Buffer) => {
    const isEnd = part.toString('latin1').includes('"meta"');
    text += part.toString('latin1');
    if (isEnd && !socket.destroyed) socket.write(get('/api/v1/nowhere'));
  });
  socket.on('error', () => undefined);
  socket.write(get('/api/v1/nowhere'));
  await once(socket, 'close');
  const heads = text.match(/HTTP\/1\.1 \d+[^{]*/g) ?? [];
  expect(heads.filter((head) => head.startsWith('HTTP/1.1 429'))).toHaveLength(REFUSED_MAX + 1);
  expect(heads).toHaveLength(QUOTA + REFUSED_MAX + 1);
  expect(heads.at(-1)).toContain('Connection: close');
});

it('addresses of one /24 share 3,000 requests a minute', async () => {
  let accepted = 0;
  const ask = async (i: number): Promise<void> => {
    const socket = connect({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      localAddress: `127.0.3.${i}`,
    });
    let text = '';
    socket.on('data', (part: Buffer) => {
      text += part.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.end(
      `${get('/api/v1/nowhere').repeat(QUOTA - 1)}${get('/api/v1/nowhere').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`,
    );
    await new Promise((resolve) => {
      socket.once('close', resolve);
    });
    accepted += text.match(/HTTP\/1\.1 404/g)?.length ?? 0;
  };
  for (let i = 1; i <= 60; i += 1) await ask(i);
  expect(accepted).toBe(NETWORK_QUOTA);
});
