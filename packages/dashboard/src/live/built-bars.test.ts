import type { Client } from '@crosstape/client';
import { expect, it } from 'vitest';
import { builtBars } from './built-bars.ts';

const { signal } = new AbortController();
const spec = { coin: 'BTC', kind: 'time', params: { intervalMs: 1_000 }, from: 0, to: 1_000 } as const;

/** A service where every build ends like this. */
const failing = (reason: string) =>
  ({
    post: () => Promise.resolve({ data: { jobId: 'b-1', cacheKey: 'rot:res:1' } }),
    get: () => Promise.resolve({ data: { status: 'error', error: reason } }),
  }) as unknown as Client;

it('has no bars of a time without trades, so that older ones can follow', async () => {
  const client = failing('Nothing can be built: no trade of BTC was recorded between `from` and `to`.');
  const items = [];
  for await (const item of builtBars(client, spec, { signal })) items.push(item);
  expect(items).toEqual([{ closed: [], open: null, amended: [] }]);
});

it('fails with the reason of any other failure', async () => {
  const reading = builtBars(failing('The record is damaged: chunk 3.'), spec, { signal }).next();
  await expect(reading).rejects.toThrow('The record is damaged: chunk 3.');
});
