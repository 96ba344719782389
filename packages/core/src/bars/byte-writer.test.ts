import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

const refuse = (reason: string): Error => new Error(reason);

const reading = (...bytes: number[]) => new ByteReader(Uint8Array.from(bytes), refuse);

/** Integers around every power of 2 up to `bits`, where the encoding changes. */
const near = (bits: number): fc.Arbitrary<number> =>
  fc.tuple(fc.integer({ min: 0, max: bits }), fc.integer({ min: -2, max: 2 })).map(([power, by]) => {
    return Math.min(2 ** bits, Math.max(0, 2 ** power + by));
  });

describe('what a byte writer writes, a byte reader reads', () => {
  it('numbers of every length', () => {
    const numbers = fc.array(
      fc.tuple(near(53), near(52), fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n })),
    );
    fc.assert(
      fc.property(numbers, (all) => {
        const writer = new ByteWriter(1);
        for (const [plain, signed, big] of all) {
          writer.varint(plain);
          writer.signedColumn(Float64Array.of(signed, -signed));
          writer.signedBig(big);
          writer.float(signed / 3);
        }
        const reader = new ByteReader(writer.finish(), refuse);
        for (const [plain, signed, big] of all) {
          expect(reader.varint()).toBe(plain);
          const column = new Float64Array(2);
          reader.signedColumn(column);
          expect([column[0], column[1]! + 0]).toEqual([signed, -signed + 0]);
          expect(reader.signedBig()).toBe(big);
          expect(reader.float()).toBe(signed / 3);
        }
        reader.end();
      }),
    );
  });

  it('JSON with any text, as plain ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const writer = new ByteWriter();
        writer.json({ text });
        const bytes = writer.finish();
        expect(bytes.subarray(2).every((byte) => byte < 128)).toBe(true);
        expect(new ByteReader(bytes, refuse).json(1e6)).toEqual({ text });
      }),
    );
  });
});

describe('a byte reader refuses', () => {
  it.each([
    ['a number above 2^53', () => reading(255, 255, 255, 255, 255, 255, 255, 127).varint(), 'too large'],
    [
      'a number that continues',
      () => reading(128, 128, 128, 128, 128, 128, 128, 128, 0).varint(),
      'too long',
    ],
    [
      'a large number that continues',
      () => reading(...Array.from({ length: 40 }, () => 128)).signedBig(),
      'too long',
    ],
    ['JSON in other bytes than ASCII', () => reading(4, 0x22, 0xc3, 0xa9, 0x22).json(10), 'not plain ASCII'],
    ['JSON that is none', () => reading(1, 0x7b).json(10), 'cannot be parsed'],
    ['long JSON', () => reading(11).json(10), 'longer than 10 bytes'],
    ['a float that is not finite', () => reading(0, 0, 0, 0, 0, 0, 0xf0, 0x7f).float(), 'not finite'],
  ])('%s', (_what, read, reason) => {
    expect(read).toThrow(reason);
  });
});
