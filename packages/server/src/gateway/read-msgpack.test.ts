import { encode } from '@msgpack/msgpack';
import * as fc from 'fast-check';
import { pack } from 'msgpackr';
import { expect, it } from 'vitest';
import { BadMsgpack, readMsgpack } from './read-msgpack.ts';
import { runs } from '../../../../test/runs.ts';

const value = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
  ),
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 20 }),
  ),
})).value;

it('reads what two libraries write', () => {
  fc.assert(
    fc.property(value, (given) => {
      const plain = JSON.parse(JSON.stringify(given)) as unknown;
      expect(readMsgpack(Buffer.from(encode(plain)))).toEqual(plain);
      expect(readMsgpack(Buffer.from(pack(plain)))).toEqual(plain);
    }),
  );
});

it('refuses anything else with the same error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readMsgpack(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(BadMsgpack);
      }
    }),
    { numRuns: runs(2_000) },
  );
});

it('allocates nothing on the word of a header', () => {
  // Thirty million entries of eight bytes each, a hundred times.
  const claim = Buffer.from([0xdd, 0x01, 0xc9, 0xc3, 0x80]);
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 100; n += 1) expect(() => readMsgpack(claim)).toThrow(BadMsgpack);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576);
});

it.each([
  ['an extension', [0xd4, 0x72, 0x00]],
  ['a list that claims four thousand million entries', [0xdd, 0xff, 0xff, 0xff, 0xff]],
  ['a map that claims more than there is', [0xdf, 0x00, 0xff, 0xff, 0xff, 0xa1, 0x61]],
  ['a text that claims more than there is', [0xdb, 0x7f, 0xff, 0xff, 0xff, 0x61]],
  ['nesting without end', Array.from({ length: 100 }, () => 0x91)],
  ['a key that is no text', [0x81, 0x01, 0x01]],
  ['more than one value', [0x01, 0x02]],
  ['nothing', []],
])('refuses %s', (_, bytes) => {
  expect(() => readMsgpack(Buffer.from(bytes))).toThrow(BadMsgpack);
});
