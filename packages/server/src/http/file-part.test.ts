import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FilePart, sendFilePart } from './file-part.ts';
import { UnreadBudget } from './unread-budget.ts';

const WAIT = { timeout: 60_000, interval: 20 };
/** More than the socket buffers of both ends. */
const body = randomFillSync(Buffer.alloc(20_000_000));

let folder: string;
let path: string;
let clock: ManualClock;
let budget: UnreadBudget;
let server: Server;
let response: ServerResponse | undefined;
let faults: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-file-part-'));
  path = join(folder, 'file');
  writeFileSync(path, body);
  clock = new ManualClock(0);
  budget = new UnreadBudget({ clock });
  faults = [];
  response = undefined;
  server = createServer((request, answer) => {
    response = answer;
    const [start = 0, end = 0] = (request.url ?? '').slice(1).split('-').map(Number);
    answer.setHeader('Content-Length', end - start + 1);
    sendFilePart(new FilePart(path, start, end), answer, {
      clock,
      budget,
      onFault: (error) => faults.push((error as Error).message),
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  budget.stop();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const port = (): number => (server.address() as AddressInfo).port;

async function read(start: number, end: number): Promise<Buffer> {
  return Buffer.from(await (await fetch(`http://127.0.0.1:${port()}/${start}-${end}`)).arrayBuffer());
}

/** Whether this process has the file open. */
function isOpen(): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });
}

it.each([
  [0, 0],
  [0, 262_143],
  [1, 262_144],
  [262_143, 1_000_000],
  [19_999_999, 19_999_999],
  [0, 19_999_999],
])('sends bytes %i to %i', async (start, end) => {
  expect((await read(start, end)).equals(body.subarray(start, end + 1))).toBe(true);
  await vi.waitUntil(() => !isOpen(), WAIT);
  expect(faults).toEqual([]);
});

it('sends the bytes of each caller when many read at once', async () => {
  const ranges = Array.from({ length: 30 }, (_, i) => [i * 500_000, i * 500_000 + 600_000 + i] as const);
  const found = await Promise.all(ranges.map(([start, end]) => read(start, end)));
  for (const [i, [start, end]] of ranges.entries())
    expect(found[i]?.equals(body.subarray(start, end + 1)), `${start}`).toBe(true);
});

it('ends the connection when the file is shorter or gone', async () => {
  writeFileSync(path, body.subarray(0, 1_000_000));
  await expect(read(0, 1_999_999)).rejects.toThrow();
  rmSync(path);
  await expect(read(0, 1_999_999)).rejects.toThrow();
  expect(faults).toEqual([
    expect.stringContaining('ends before byte 2000000'),
    expect.stringContaining('ENOENT'),
  ]);
});

async function stalledClient(): Promise<ReturnType<typeof connect>> {
  const socket = connect(port(), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET /0-${body.length - 1} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await vi.waitUntil(() => response?.socket?.writableNeedDrain === true && isOpen(), WAIT);
  return socket;
}

it('closes the file when the client goes away', async () => {
  (await stalledClient()).destroy();
  await vi.waitUntil(() => !isOpen(), WAIT);
  expect(faults).toEqual([]);
});

it('cuts a client off that reads too slowly', async () => {
  await stalledClient();
  clock.advance(30_000);
  clock.advance(30_000);
  await vi.waitUntil(() => response?.destroyed && !isOpen(), WAIT);
});
