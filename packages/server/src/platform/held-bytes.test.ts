import { expect, it } from 'vitest';
import { HeldBytes } from './held-bytes.ts';

it('holds a quarter for one address, half for one network, and releases what was read', () => {
  const held = new HeldBytes(100);
  const release = held.take('192.0.2.1', 25);
  expect(held.take('192.0.2.1', 1)).toBeUndefined();
  expect(held.take('192.0.2.2', 25)).toBeDefined();
  expect(held.take('192.0.2.3', 1)).toBeUndefined();
  expect(held.take('198.51.100.1', 25)).toBeDefined();
  release?.();
  expect(held.take('192.0.2.1', 25)).toBeDefined();
  expect(held.take('198.51.100.2', 25)).toBeDefined();
  expect(held.take('203.0.113.1', 1)).toBeUndefined();
});

it('holds one that is larger than the share of its address, when the address has no other', () => {
  const held = new HeldBytes(100);
  expect(held.take('192.0.2.1', 90)).toBeDefined();
  expect(held.take('192.0.2.1', 1)).toBeUndefined();
});
