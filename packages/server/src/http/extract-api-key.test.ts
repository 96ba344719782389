import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { extractApiKey } from './extract-api-key.ts';

const at = (url: string) => extractApiKey({ url, headers: {} } as IncomingMessage);
afterEach(() => vi.restoreAllMocks());

it.each([
  ['/a?b=1&api_key=k', { key: 'k', bareUrl: '/a?b=1' }],
  ['/a?%61%70%69%5f%6B%65%79=k', { key: 'k', bareUrl: '/a' }],
  ['/a?api%5Fkey=%6b&b=%20', { key: 'k', bareUrl: '/a?b=%20' }],
  ['/a?api_key=%', { key: '%', bareUrl: '/a' }],
  ['/a?api_key=k&api%5fkey=l', { key: 'k', bareUrl: undefined }],
  [
    '/a?%ff%70%69%5f%6B%65%79=k&api_ke%=1',
    { key: undefined, bareUrl: '/a?%ff%70%69%5f%6B%65%79=k&api_ke%=1' },
  ],
])('reads the key of %s', (url, extracted) => {
  expect(at(url)).toEqual(extracted);
});

it('decodes no more than the first key: 4,000 malformed escapes took 40 ms before the request was counted', () => {
  const decode = vi.spyOn(globalThis, 'decodeURIComponent');
  const { key, bareUrl } = at(
    `/a?${'%&'.repeat(4_000)}${'api%5fke%&'.repeat(400)}${'api_key=%&'.repeat(400)}`,
  );
  expect(key).toBe('%');
  expect(bareUrl).toBeUndefined();
  expect(decode).toHaveBeenCalledTimes(1);
});
