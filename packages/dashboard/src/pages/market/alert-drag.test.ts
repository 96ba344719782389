import { expect, it } from 'vitest';
import { sideOf, typedPrice } from './alert-drag.ts';

it('waits for the other side of the newest price where a line is dragged across it', () => {
  expect(sideOf(99, 100, 'above')).toBe('below');
  expect(sideOf(101, 100, 'below')).toBe('above');
  expect(sideOf(99, undefined, 'above')).toBe('above');
});

it('has the digits that prices of its size are shown with', () => {
  expect([105_931.46, 2_345.678, 0.0123456].map(typedPrice)).toEqual([105_931, 2_345.68, 0.012_346]);
});
