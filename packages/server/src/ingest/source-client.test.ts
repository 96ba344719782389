import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { JobRunner } from '../platform/jobs.ts';
import { SourceClient, type SourceClientOptions } from './source-client.ts';

it('blames itself, not the source, for an answer that waits too long to be parsed', async () => {
  const clock = new ManualClock(1_790_000_000_000);
  const jobs: JobRunner = {
    run: (_task, _payload, { signal } = {}) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('This operation was aborted')));
      }),
    stop: async () => undefined,
  };
  const options = {
    venue: 'farside',
    clock,
    jobs,
    client: { send: async () => ({ body: new Uint8Array(8), receivedAtMs: clock.now(), ageMs: 0 }) },
    known: () => ({}),
    source: { name: 'btc-etf-flows', gives: ['btcEtfFlows'], format: 'text', weight: 1, parse: () => ({}) },
    signal: new AbortController().signal,
  } as unknown as SourceClientOptions<object>;
  const asked = new SourceClient(options).ask({ method: 'GET', path: '/' });
  const failed = expect(asked).rejects.toMatchObject({
    status: 'down',
    message: 'The source answered, but this service was too busy to parse it within 30 s.',
  });
  // The answer is passed to a worker in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(30_000);
  await failed;
});
