import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ManualClock } from '@crosstape/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CaptureFile } from './capture-file.ts';
import { CAPTURE_FORMAT, type CaptureHeader, type CaptureLine } from './format.ts';
import { CaptureError, CaptureReader } from './read-capture.ts';
import { runs } from '../../../../test/runs.ts';

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-capture-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const header: CaptureHeader = {
  capture: CAPTURE_FORMAT,
  crosstape: '0.0.0',
  upstream: 'live',
  startedAtMs: 1,
  startedAt: new Date(1).toISOString(),
  venues: ['fake'],
};
const end: CaptureLine = { t: 9, type: 'end', reason: 'the time is over' };
const clock = new ManualClock(0);

function newPath(): string {
  files += 1;
  return join(folder, `${files}.ndjson.gz`);
}

function frame(t: number, text: string): CaptureLine {
  return { t, type: 'in', socket: 1, as: 'trades', body: { text } };
}

async function readAll(path: string): Promise<{ lines: CaptureLine[]; isComplete: boolean }> {
  const reader = await CaptureReader.open(path);
  const lines: CaptureLine[] = [];
  for await (const line of reader.lines()) lines.push(line);
  expect(reader.header).toEqual(header);
  return { lines, isComplete: reader.isComplete };
}

async function write(lines: readonly CaptureLine[], path = newPath()): Promise<string> {
  const file = await CaptureFile.create({ path, clock }, header);
  for (const line of lines) void file.write(line);
  await file.close();
  return path;
}

it('gives back what was written, in order', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 20 }), async (texts) => {
      const lines = [...texts.map((one, i) => frame(i, one)), end];
      expect(await readAll(await write(lines))).toEqual({ lines, isComplete: true });
    }),
    { numRuns: runs(30) },
  );
});

it('takes answers that are larger than its queue', async () => {
  const lines = [frame(1, 'a'), frame(2, 'x'.repeat(3_000_000)), frame(3, 'b'), end];
  expect((await readAll(await write(lines))).lines).toEqual(lines);
});

it('is full when the disk is slower than what comes, and lets writers wait until there is room', async () => {
  const file = await CaptureFile.create({ path: newPath(), clock, queueCharsMax: 1_000 }, header);
  expect(file.isFull).toBe(false);
  let isWritten = false;
  const written = file.write(frame(1, 'x'.repeat(2_000))).finally(() => {
    isWritten = true;
  });
  expect(file.isFull).toBe(true);
  await Promise.resolve();
  expect(isWritten).toBe(false);
  await written;
  expect(file.isFull).toBe(false);
  await file.close();
});

it('writes over no file', async () => {
  const path = await write([end]);
  await expect(CaptureFile.create({ path, clock }, header)).rejects.toMatchObject({ code: 'EEXIST' });
});

describe('reading', () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => frame(i, `frame ${i} ${Math.sin(i)}`));

  it('takes a file that was cut off for what is there', async () => {
    const whole = readFileSync(await write([...lines, end]));
    const path = newPath();
    writeFileSync(path, whole.subarray(0, whole.length >> 1));
    const cut = await readAll(path);
    expect(cut.isComplete).toBe(false);
    expect(cut.lines.length).toBeGreaterThan(100);
    expect(cut.lines).toEqual(lines.slice(0, cut.lines.length));
  });

  it('takes a file that was unpacked', async () => {
    const path = newPath();
    writeFileSync(path, gunzipSync(readFileSync(await write([...lines, end]))));
    expect(await readAll(path)).toEqual({ lines: [...lines, end], isComplete: true });
  });

  it.each([
    ['{"some":"json"}\n', /is not a capture/],
    ['', /is not a capture/],
    [`${JSON.stringify({ ...header, capture: 99 })}\n`, /has format 99; this version reads format 1/],
  ])('refuses %j in one line', async (text, message) => {
    const path = newPath();
    writeFileSync(path, gzipSync(text));
    await expect(CaptureReader.open(path)).rejects.toThrow(CaptureError);
    await expect(CaptureReader.open(path)).rejects.toThrow(message);
  });

  it('names the line that is damaged', async () => {
    const path = newPath();
    const text = [header, lines[0], 'x', end].map((line) => JSON.stringify(line)).join('\n');
    writeFileSync(path, `${text}\n`);
    await expect(readAll(path)).rejects.toThrow(`${path}:3 is not a line of a capture`);
  });

  it.each([
    { t: 1, type: 'answer', id: 1, status: 200, headers: {} },
    { t: 1, type: 'answer', id: 1, status: 200, headers: { age: 1 }, body: { text: '' } },
    { t: 1, type: 'in', socket: 1, as: 'trades', body: {} },
    { t: 1, type: 'out', socket: 1, topics: 'BTC', body: { text: '' } },
    { t: 1, type: 'request', id: 1, venue: 'fake', source: 'oi', key: '', method: 'GET', path: '', body: 5 },
    { t: 1, type: 'connect', socket: 1 },
  ])('names a line that lacks what its type needs: %j', async (line) => {
    const path = newPath();
    writeFileSync(path, [header, line, end].map((one) => `${JSON.stringify(one)}\n`).join(''));
    await expect(readAll(path)).rejects.toThrow(`${path}:2 is not a line of a capture`);
  });

  it('names a file whose compressed bytes are damaged', async () => {
    const bytes = readFileSync(await write([...lines, end]));
    bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 64);
    const path = newPath();
    writeFileSync(path, bytes);
    await expect(readAll(path)).rejects.toThrow(/ is (damaged: |not a line of a capture)/);
    await expect(readAll(path)).rejects.toThrow(CaptureError);
  });

  it('says that a file is not there', async () => {
    await expect(CaptureReader.open(join(folder, 'none'))).rejects.toThrow(/cannot be read: ENOENT/);
  });
});
