import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { S3Place } from './s3-place.ts';
import { EMPTY_SHA256, signV4 } from './sign-v4.ts';
import { FakeS3, type FakeRequest, refuse } from './testing/fake-s3.ts';

/** The examples of AWS. */
const example = {
  method: 'GET',
  sha256: EMPTY_SHA256,
  keys: { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  nowMs: Date.parse('2013-05-24T00:00:00Z'),
};
const origin = 'https://examplebucket.s3.amazonaws.com';
it.each([
  [
    'a range',
    { url: new URL(`${origin}/test.txt`), headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a parameter without a value',
    { url: new URL(origin), query: { lifecycle: '' } },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'parameters',
    { url: new URL(origin), query: { prefix: 'J', 'max-keys': '2' } },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('signs %s as the example of AWS does', (_, asked, signature) => {
  const { headers } = signV4({ ...example, ...asked });
  expect(headers['authorization']).toContain(`Signature=${signature}`);
});

const body = Buffer.from('a sealed day');
const proof = { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') };
const key = 'trades/venue=okx/symbol=BTC (1)/part-0.parquet';

let s3: FakeS3;
let folder: string;
let path: string;
let place: S3Place;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-s3-'));
  path = join(folder, 'file');
  await writeFile(path, body);
  s3 = new FakeS3();
  const clock = new ManualClock(0);
  // Waits between tries are over at once.
  clock.after = (_, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  };
  place = new S3Place({
    endpoint: await s3.open(),
    bucket: 'days',
    prefix: 'live',
    keys: { id: 'id', secret: 'secret' },
    region: 'us-east-1',
    clock,
    random: () => 0,
  });
});
afterEach(async () => {
  await s3.close();
  await rm(folder, { recursive: true });
});

it('stores a file, reads it back, and finds it again without sending it', async () => {
  await place.put(key, path, proof);
  expect(s3.objects.get(`/days/live/${key}`)).toEqual(body);
  expect((await place.read(key, 2, 8)).toString()).toBe('sealed');
  s3.requests.length = 0;
  await place.put(key, path, proof);
  expect(s3.requests).toEqual([`GET /days/live/${key}`]);
  await place.putText('manifest.json', 'ü');
  expect(await place.readText('manifest.json')).toBe('ü');
  expect(await place.readText('nothing')).toBeUndefined();
});

it('tries again after a broken connection and a busy server', async () => {
  let left = 3;
  s3.fault = ({ method, request, response }) => {
    if (method !== 'PUT' || left === 0) return false;
    left -= 1;
    if (left === 1) request.socket.destroy();
    else refuse(response, 503, 'SlowDown');
    return true;
  };
  await place.put(key, path, proof);
  expect(s3.objects.get(`/days/live/${key}`)).toEqual(body);
  expect(s3.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(4);
});

it.each([
  ['refuses', 'answers PUT', ({ response }: FakeRequest) => void response.writeHead(403).end()],
  ['is full', 'answers PUT', ({ response }: FakeRequest) => void response.writeHead(507).end()],
  [
    'stores other bytes',
    'has 3 bytes instead of 12',
    ({ path: name, response }: FakeRequest) => {
      s3.objects.set(name, Buffer.from('abc'));
      response.end();
    },
  ],
])('rejects when the store %s', async (_, message, answer) => {
  s3.fault = (asked) => {
    if (asked.method !== 'PUT') return false;
    answer(asked);
    return true;
  };
  await expect(place.put(key, path, proof)).rejects.toThrow(message);
});

it('rejects when there is no store', async () => {
  await s3.close();
  await expect(place.read(key, 0, 1)).rejects.toThrow('cannot be reached');
  await s3.open();
});
