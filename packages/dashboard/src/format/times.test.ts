import { expect, it } from 'vitest';
import { countdown } from './times.ts';

it('counts down by the second, and by the day where there are several', () => {
  const texts = [-5, 41_999, 76_000, 3_600_000, 18_461_000, 3 * 86_400_000 + 1, undefined].map(countdown);
  expect(texts).toEqual(['0:00', '0:41', '1:16', '1:00:00', '5:07:41', '3d', '–']);
});
