import fc from 'fast-check';
import { compressLz4 } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { decodeLz4 } from './lz4-frames.ts';
import { runs } from '../../../../test/runs.ts';

/** `abcdefgh` 9,000 times, as the reference program writes it with `lz4 -B4 -BD -BX --content-size`. */
const LINKED =
  'BCJNGFRArhIBAACPYWJjZGVmZ2gIAP//////////////////////////////////////////////////////////////////////' +
  '////////////////////////////////////////////////////////////////////////////////////////////////////' +
  '////////////////////////////////////////////////////////////////////////////////////////////////////' +
  '///////////////////////////////////////////////////////////////////////gUGRlZmdowbSE+CsAAACPYWJjZGVm' +
  'Z2gIAP////////////////////////////////85UGRlZmdoKCHLjQAAAADj+a8S';

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(bytes: Buffer, size = 1_000): Promise<string> {
  const made: Buffer[] = [];
  for await (const part of decodeLz4(inParts(bytes, size))) made.push(Buffer.from(part));
  return Buffer.concat(made).toString();
}

const compressed = (text: string): Buffer => compressLz4(Buffer.from(text));

const lines = fc
  .array(fc.constantFrom('{"coin":"BTC","px":"64000.0"}\n', '{"coin":"ETH"}\n', 'x', '0123456789'), {
    maxLength: 5_000,
    size: 'max',
  })
  .map((words) => words.join(''));

it('returns what another program compressed, however the bytes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 70_000 }), async (text, size) => {
      expect(await decode(compressed(text), size)).toBe(text);
    }),
    { numRuns: runs(30) },
  );
});

it('reads frames one after another, and skips those that hold no data', async () => {
  const skipped = Buffer.from('502a4d1803000000616263', 'hex');
  expect(await decode(Buffer.concat([compressed('one '), skipped, compressed('two')]))).toBe('one two');
});

it('reads blocks that refer to the block before, with checksums', async () => {
  const frame = Buffer.from(LINKED, 'base64');
  expect(await decode(frame)).toBe('abcdefgh'.repeat(9_000));
});

it('refuses what is damaged, cut off or something else', async () => {
  const whole = compressed('{"coin":"BTC"}\n'.repeat(500));
  await expect(decode(whole.subarray(0, -9))).rejects.toThrow('cut off');
  await expect(decode(Buffer.from('{"coin":"BTC"}'))).rejects.toThrow('not an LZ4 frame');
  const header = Buffer.from(whole);
  header[4] = (header[4] as number) ^ 4;
  await expect(decode(header)).rejects.toThrow('header of an LZ4 frame is damaged');
  const linked = Buffer.from(LINKED, 'base64');
  linked[40] = (linked[40] as number) ^ 1;
  await expect(decode(linked)).rejects.toThrow('damaged');
});
