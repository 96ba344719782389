import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { tiers } from './key-store.ts';
import { isKeyText, makeKey, maskKeys } from './key-text.ts';
import { systemSecretBytes } from './random.ts';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((part) => Buffer.from(part));
const keys = fc.tuple(fc.constantFrom(...tiers), bytes).map(([tier, part]) => makeKey(tier, () => part));

it('has the form ct_<tier>_<random><checksum>, from the least to the greatest chance', () => {
  expect(makeKey('free', () => Buffer.alloc(16))).toMatch(/^ct_free_0{22}[0-9A-Za-z]{6}$/);
  expect(makeKey('pro', () => Buffer.alloc(16, 255))).toMatch(/^ct_pro_[0-9A-Za-z]{28}$/);
  expect(makeKey('free', systemSecretBytes)).not.toBe(makeKey('free', systemSecretBytes));
});

it('asks for 128 random bits, and different ones give different keys', () => {
  let asked = 0;
  makeKey('free', (count) => {
    asked = count;
    return Buffer.alloc(count);
  });
  expect(asked).toBe(16);
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(makeKey('free', () => a) === makeKey('free', () => b)).toBe(a.equals(b));
    }),
  );
});

it('is known by its form', () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(isKeyText(key)).toBe(true);
    }),
  );
});

it('is distinguished from itself with a typo', () => {
  const wrong = keys.chain((key) =>
    fc
      .tuple(fc.nat(key.length - 1), fc.constantFrom('c', 'e', 'x', '_', '0', '9', 'A', 'Z'))
      .map(([at, letter]) => ({
        key,
        changed: key.slice(0, at) + letter + key.slice(at + 1),
        swapped: key.slice(0, at) + (key[at + 1] ?? '') + (key[at] ?? '') + key.slice(at + 2),
        shortened: key.slice(0, at) + key.slice(at + 1),
      })),
  );
  fc.assert(
    fc.property(wrong, ({ key, ...others }) => {
      for (const other of Object.values(others)) expect(isKeyText(other)).toBe(other === key);
    }),
  );
});

it.each(['', 'x', 'ct_free_', 'ct_gold_0000000000000000000000000000', 'ct_free_x\n', 'Bearer ct_free_x'])(
  'is not %j',
  (text) => expect(isKeyText(text)).toBe(false),
);

it('is masked wherever it stands in a text', () => {
  fc.assert(
    fc.property(keys, fc.string(), fc.string(), (key, before, after) => {
      const masked = maskKeys(`${before}"${key}" ${key}x?api_key=${key}%20api%5Fkey%3D${key}&${after}`);
      expect(masked).not.toContain(key.slice(-28));
    }),
  );
});
