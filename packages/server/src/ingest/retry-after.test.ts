import { expect, test } from 'vitest';
import { parseRetryAfterMs } from './retry-after.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12);

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['1.5', 1_500],
  ['Sun, 15 Nov 2026 12:01:00 GMT', 60_000],
  ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ['99999999999', 3 * 24 * 3_600_000],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])('%j asks for %j ms', (header, waitMs) => {
  expect(parseRetryAfterMs(header, NOW_MS)).toBe(waitMs);
});
