import { spawn } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DAY_MS, ManualClock } from '@crosstape/core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { lakeKeyOf } from '../lake/lake-key.ts';
import { tapeKeyOf } from './archive-catalog.ts';
import { S3Place } from './s3-place.ts';
import { FakeS3, type FakeRequest, refuse } from './testing/fake-s3.ts';

const PART_BYTES = 20_000;
const NOW = Date.UTC(2026, 10, 17);
const key = "tape/venue=okx/symbol=B&C'S/day.tape";
const stored = `/days/live/${key}`;
/** Keys in the archive's format. */
const ours = [
  tapeKeyOf('okx:BTC/USDT', '2026-11-12', 'a1'.repeat(32)),
  lakeKeyOf({ table: 'trades', venue: 'okx', symbol: 'BTC', date: '2026-11-12' }),
  lakeKeyOf({ table: 'funding', venue: 'okx', date: '2026-11-12' }),
];
/** Two whole parts and the start of a third. */
const body = randomFillSync(Buffer.alloc(2 * PART_BYTES + 1_000));
const proof = { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') };

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-s3-upload-'));
  path = join(folder, 'file');
  await writeFile(path, body);
});
afterAll(() => rm(folder, { recursive: true }));

let s3: FakeS3;
let endpoint: string;
beforeEach(async () => {
  s3 = new FakeS3();
  s3.nowMs = NOW;
  endpoint = await s3.open();
});
afterEach(() => s3.close());

/** As in a new process. Retry delays are skipped. */
function openPlace(prefix = 'live'): S3Place {
  const clock = new ManualClock(NOW);
  clock.after = (_, run) => {
    setImmediate(run);
    return { cancel: () => undefined };
  };
  const keys = { id: 'id', secret: 'secret' };
  const options = {
    endpoint,
    bucket: 'days',
    prefix,
    keys,
    region: 'us-east-1',
    partBytes: PART_BYTES,
  };
  return new S3Place({ ...options, clock, random: () => 0 });
}

/** Requests since the last call, except reading back. */
function takeSteps(): readonly string[] {
  const steps = s3.requests.filter((line) => line !== `GET ${stored}`);
  s3.requests.length = 0;
  return steps.map((line) => line.replace(`${stored} `, ''));
}

function isPart(number: number): (asked: FakeRequest) => boolean {
  return ({ method, query }) => method === 'PUT' && query.get('partNumber') === String(number);
}

function cut({ request }: FakeRequest): true {
  request.socket.destroy();
  return true;
}

/** The second part never arrives. */
async function failInPart2(): Promise<void> {
  s3.fault = (asked) => isPart(2)(asked) && cut(asked);
  await expect(openPlace().put(key, path, proof)).rejects.toThrow('cannot be reached');
  s3.fault = () => false;
  s3.requests.length = 0;
}

const newUpload = [
  'GET /days uploads',
  'POST begin',
  'PUT part 1',
  'PUT part 2',
  'PUT part 3',
  'POST complete',
];

it('sends a large file in parts, and once', async () => {
  await openPlace().put(key, path, proof);
  expect(takeSteps()).toEqual(newUpload);
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
  expect(s3.uploads.size).toBe(0);
  await openPlace().put(key, path, proof);
  expect(takeSteps()).toEqual([]);
});

it('continues after a cut connection with the parts that are missing', async () => {
  await failInPart2();
  await openPlace().put(key, path, proof);
  expect(takeSteps()).toEqual([
    'GET /days uploads',
    'GET parts',
    'PUT part 2',
    'PUT part 3',
    'POST complete',
  ]);
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
});

it('continues after kill -9 with the parts that are missing', { timeout: 240_000 }, async () => {
  const program = fileURLToPath(new URL('testing/put-file.ts', import.meta.url));
  const args = ['--import', 'tsx', '--conditions=crosstape-source', program];
  const child = spawn(process.execPath, [
    ...args,
    endpoint,
    String(PART_BYTES),
    key,
    path,
    String(proof.bytes),
    proof.sha256,
  ]);
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  s3.fault = (asked) => isPart(3)(asked) && child.kill('SIGKILL');
  const [, signal] = (await ended) as [number | null, string | null];
  expect(signal, errors).toBe('SIGKILL');
  s3.fault = () => false;
  s3.requests.length = 0;
  await openPlace().put(key, path, proof);
  expect(takeSteps()).toEqual(['GET /days uploads', 'GET parts', 'PUT part 3', 'POST complete']);
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
});

it('sends a part again that is of another file', async () => {
  await failInPart2();
  for (const { parts } of s3.uploads.values()) parts.set(1, Buffer.alloc(PART_BYTES));
  await openPlace().put(key, path, proof);
  expect(takeSteps()).toContain('PUT part 1');
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
});

it('sends everything again when the store does not show that a part is of another file', async () => {
  s3.etagOf = (part) => `opaque-${part.length}`;
  await failInPart2();
  for (const { parts } of s3.uploads.values()) parts.set(1, Buffer.alloc(PART_BYTES));
  await openPlace().put(key, path, proof);
  const steps = takeSteps();
  expect(steps.slice(0, 5)).toEqual([
    'GET /days uploads',
    'GET parts',
    'PUT part 2',
    'PUT part 3',
    'POST complete',
  ]);
  expect(steps.slice(5)).toEqual(newUpload);
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
});

it('reads lists of several pages', async () => {
  s3.pageMax = 1;
  s3.begin(`${stored}.other`, NOW);
  s3.fault = (asked) => isPart(3)(asked) && cut(asked);
  await expect(openPlace().put(key, path, proof)).rejects.toThrow('cannot be reached');
  s3.fault = () => false;
  s3.requests.length = 0;
  await openPlace().put(key, path, proof);
  expect(takeSteps().filter((line) => line.startsWith('PUT'))).toEqual(['PUT part 3']);
});

it.each([
  ['refuses', (asked: FakeRequest) => refuse(asked.response, 501, 'NotImplemented')],
  ['does not know', (asked: FakeRequest) => void asked.response.end()],
])('sends a file as a whole to a store that %s uploads in parts', async (_, answer) => {
  s3.fault = (asked) => {
    if (!asked.query.has('uploads')) return false;
    answer(asked);
    return true;
  };
  await openPlace().put(key, path, proof);
  expect(takeSteps()).toEqual(['GET /days uploads', 'POST begin', `PUT ${stored}`]);
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
});

it('finds the file when the reply to its completion is lost', async () => {
  let isLost = false;
  s3.fault = (asked) => {
    if (isLost || asked.method !== 'POST' || !asked.query.has('uploadId')) return false;
    isLost = true;
    s3.objects.set(stored, body);
    s3.uploads.clear();
    return cut(asked);
  };
  await openPlace().put(key, path, proof);
  expect(takeSteps().filter((line) => line === 'POST complete')).toHaveLength(2);
});

it('tries to complete again after an error behind the status 200', async () => {
  let left = 1;
  s3.fault = ({ method, query, response }) => {
    if (left === 0 || method !== 'POST' || !query.has('uploadId')) return false;
    left -= 1;
    response.end('<Error><Code>InternalError</Code></Error>');
    return true;
  };
  await openPlace().put(key, path, proof);
  expect(s3.objects.get(stored)?.equals(body)).toBe(true);
});

it('aborts an upload whose parts cannot be joined', async () => {
  s3.fault = ({ method, query, response }) => {
    if (method !== 'POST' || !query.has('uploadId')) return false;
    response.end('<Error><Code>InvalidPart</Code></Error>');
    return true;
  };
  await expect(openPlace().put(key, path, proof)).rejects.toThrow('InvalidPart');
  expect(takeSteps().at(-1)).toBe('DELETE abort');
  expect(s3.uploads.size).toBe(0);
});

it('aborts uploads that are replaced or abandoned', async () => {
  const older = s3.begin(stored, NOW - 2_000);
  const newest = s3.begin(stored, NOW - 1_000);
  s3.fault = (asked) => isPart(2)(asked) && cut(asked);
  await expect(openPlace().put(key, path, proof)).rejects.toThrow('cannot be reached');
  expect(s3.uploads.has(older)).toBe(false);
  const abandoned = ours.map((one) => s3.begin(`/days/live/${one}`, NOW - 4 * DAY_MS));
  const foreign = s3.begin(`/days/${ours[0]}`, NOW - 4 * DAY_MS);
  s3.pageMax = 1;
  s3.fault = () => false;
  expect(await openPlace().removeUnfinished()).toBe(abandoned.length);
  expect([...s3.uploads.keys()]).toEqual([newest, foreign]);
});

it.each([
  ['with a prefix', 'live', '/days/live/'],
  ['without one', '', '/days/'],
])('aborts no upload that is not of the archive, %s', async (_, prefix, at) => {
  for (const one of ours) s3.begin(`${at}${one}`, NOW - 4 * DAY_MS);
  const theirs = [
    'backup.tar',
    'tape/backup.tar',
    'tape/venue=okx/symbol=BTC/date=2026-11-12/backup.tape',
    'trades/venue=okx/symbol=BTC/date=2026-11-12/part-0.parquet.gz',
    'orders/venue=okx/symbol=BTC/date=2026-11-12/part-0.parquet',
    `backup/${ours[0]}`,
  ].map((one) => s3.begin(`${at}${one}`, NOW - 4 * DAY_MS));
  expect(await openPlace(prefix).removeUnfinished()).toBe(ours.length);
  expect([...s3.uploads.keys()]).toEqual(theirs);
});
