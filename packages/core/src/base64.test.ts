import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromBase64, toBase64 } from './base64.ts';

it('is the base64 that others write and read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }),
  );
});

it.each(['A', 'AB', 'ABC', 'A===', 'AB-_', 'AB=C', '=', 'AAAA AAA'])('refuses %j', (text) => {
  expect(fromBase64(text)).toBeUndefined();
});
