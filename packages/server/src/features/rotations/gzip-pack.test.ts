import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gzipPack } from './gzip-pack.ts';
import { runs } from '../../../../../test/runs.ts';

const KIB = 1024;

/** Bytes that a Huffman code cannot shorten, the same each time. */
function dense(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 24;
  });
}

const sparse = (length: number): Uint8Array => new Uint8Array(length);

async function inBrowsers(member: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([member as Uint8Array<ArrayBuffer>]).stream();
  const unpacked = stream.pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

const piece = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 200 * KIB }), fc.integer())
  .map(([isDense, length, seed]) => (isDense ? dense(length, seed) : sparse(length)));

describe('a gzipped pack', () => {
  it('is one gzip member that decompresses unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const bytes = Buffer.concat(pieces);
        const member = gzipPack(bytes);
        // Comparing millions of elements one by one takes seconds.
        expect(gunzipSync(member).equals(bytes)).toBe(true);
        expect(Buffer.from(await inBrowsers(member)).equals(bytes)).toBe(true);
      }),
      { numRuns: runs(30) },
    );
  });

  it('stores what would not shrink, and deflates what does', () => {
    const length = 1024 * KIB;
    expect(gzipPack(dense(length)).length).toBeLessThan(length + KIB);
    expect(gzipPack(dense(length)).length).toBeGreaterThan(length);
    expect(gzipPack(sparse(length)).length).toBeLessThan(length / 100);
    const mixed = gzipPack(Buffer.concat([sparse(length), dense(length), sparse(length)]));
    expect(mixed.length).toBeLessThan(length * 1.1);
  });
});
