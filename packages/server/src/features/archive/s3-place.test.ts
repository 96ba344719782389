import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { S3Place } from './s3-place.ts';
import { EMPTY_SHA256, signV4 } from './sign-v4.ts';

it('signs a request as the example of AWS does', () => {
  const { authorization } = signV4({
    method: 'GET',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    sha256: EMPTY_SHA256,
    keys: { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    region: 'us-east-1',
    nowMs: Date.parse('2013-05-24T00:00:00Z'),
    headers: { range: 'bytes=0-9' },
  });
  expect(authorization).toMatch(
    /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/,
  );
});

const body = Buffer.from('a sealed day');
const proof = { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') };
const key = 'trades/venue=okx/symbol=BTC (1)/part-0.parquet';

let server: Server;
let folder: string;
let path: string;
let objects: Map<string, Buffer>;
/** Replaces the reply to a request; `undefined`: none. */
let fault: (request: IncomingMessage, response: ServerResponse) => boolean;
let requests: string[];
let place: S3Place;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-s3-'));
  path = join(folder, 'file');
  await writeFile(path, body);
  objects = new Map();
  requests = [];
  fault = () => false;
  server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = new ManualClock(0);
  // Waits between tries are over at once.
  clock.after = (_, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  };
  place = new S3Place({
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'days',
    prefix: 'live',
    keys: { id: 'id', secret: 'secret' },
    region: 'us-east-1',
    clock,
    random: () => 0,
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = decodeURIComponent(request.url ?? '');
  requests.push(`${request.method} ${name}`);
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  if (fault(request, response)) return;
  if (request.method === 'PUT') {
    objects.set(name, Buffer.concat(parts));
    response.end();
    return;
  }
  const found = objects.get(name);
  if (!found) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  const [, start = 0, end = found.length] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  response.end(found.subarray(Number(start), Number(end) + 1));
}

it('stores a file, reads it back, and finds it again without sending it', async () => {
  await place.put(key, path, proof);
  expect(objects.get(`/days/live/${key}`)).toEqual(body);
  expect((await place.read(key, 2, 8)).toString()).toBe('sealed');
  requests.length = 0;
  await place.put(key, path, proof);
  expect(requests).toEqual([`GET /days/live/${key}`]);
  await place.putText('manifest.json', 'ü');
  expect(await place.readText('manifest.json')).toBe('ü');
  expect(await place.readText('nothing')).toBeUndefined();
});

it('tries again after a broken connection and a busy server', async () => {
  let left = 3;
  fault = (request, response) => {
    if (request.method !== 'PUT' || left === 0) return false;
    left -= 1;
    if (left === 1) request.socket.destroy();
    else response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    return true;
  };
  await place.put(key, path, proof);
  expect(objects.get(`/days/live/${key}`)).toEqual(body);
  expect(requests.filter((line) => line.startsWith('PUT'))).toHaveLength(4);
});

it.each([
  [
    'refuses',
    'answers PUT',
    (_: IncomingMessage, response: ServerResponse) => void response.writeHead(403).end(),
  ],
  [
    'is full',
    'answers PUT',
    (_: IncomingMessage, response: ServerResponse) => void response.writeHead(507).end(),
  ],
  [
    'stores other bytes',
    'has 3 bytes instead of 12',
    (request: IncomingMessage, response: ServerResponse) => {
      objects.set(decodeURIComponent(request.url ?? ''), Buffer.from('abc'));
      response.end();
    },
  ],
])('rejects when the store %s', async (_, message, answer) => {
  fault = (request, response) => {
    if (request.method !== 'PUT') return false;
    answer(request, response);
    return true;
  };
  await expect(place.put(key, path, proof)).rejects.toThrow(message);
});

it('rejects when there is no store', async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(place.read(key, 0, 1)).rejects.toThrow('cannot be reached');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
