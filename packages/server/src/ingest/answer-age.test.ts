import { expect, it } from 'vitest';
import { answerAgeMs } from './answer-age.ts';

it.each([
  ['219', 219_000],
  [' 0 ', 0],
  ['12, 40', 12_000],
  [null, 0],
  [undefined, 0],
  ['', 0],
  ['-5', 0],
  ['1.5', 0],
  ['soon', 0],
  ['604800', 604_800_000],
  ['99999999999999999999', 604_800_000],
  ['9'.repeat(400), 604_800_000],
])('takes Age: %j as %d ms', (header, ageMs) => {
  expect(answerAgeMs(header)).toBe(ageMs);
});
