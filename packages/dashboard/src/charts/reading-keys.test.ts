import { expect, it } from 'vitest';
import { placeByKey } from './reading-keys.ts';

it('leads from place to place as on a slider, begins with the newest, and never leaves the ends', () => {
  expect(placeByKey('ArrowLeft', -1, 100)).toBe(98);
  expect(placeByKey('ArrowRight', 40, 100)).toBe(41);
  expect(placeByKey('ArrowRight', 99, 100)).toBe(99);
  expect(placeByKey('PageDown', 10, 100)).toBe(0);
  expect(placeByKey('Home', 40, 100)).toBe(0);
  expect(placeByKey('End', 40, 100)).toBe(99);
  expect(placeByKey('Escape', 40, 100)).toBe(-1);
  expect(placeByKey('Tab', 40, 100)).toBeUndefined();
});
