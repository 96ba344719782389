import { ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { Failure } from '../../platform/errors.ts';
import { startPatiently } from './start-patiently.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const late = new Error('Command timed out');

/** A start that fails with one error after the other, and then succeeds. */
function failing(...errors: readonly Error[]) {
  const clock = new ManualClock(0);
  const left = [...errors];
  const start = vi.fn(async () => {
    const error = left.shift();
    if (error) throw error;
    return 'started';
  });
  const stopping = new AbortController();
  return { clock, start, stopping, started: startPatiently(start, { log, clock, signal: stopping.signal }) };
}

async function advance(clock: ManualClock, byMs: number): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(byMs);
}

it('starts again when Redis did not answer in time', async () => {
  const unread = new Failure('upstream_unavailable', 'The record cannot be read.', { cause: late });
  const { clock, start, started } = failing(late, unread);
  await advance(clock, 500);
  await advance(clock, 500);
  expect(await started).toBe('started');
  expect(start).toHaveBeenCalledTimes(3);
});

it('fails at once for any other reason', async () => {
  const { start, started } = failing(new Error('cannot listen on 127.0.0.1:80'));
  await expect(started).rejects.toThrow('cannot listen');
  expect(start).toHaveBeenCalledTimes(1);
});

it('fails when Redis has not answered for two minutes', async () => {
  const { clock, started } = failing(late, late);
  await advance(clock, 120_000);
  await expect(started).rejects.toThrow('Command timed out');
});

it('ends when the service is stopped meanwhile', async () => {
  const { start, stopping, started } = failing(late);
  await new Promise((resolve) => setImmediate(resolve));
  stopping.abort(new Error('SIGTERM came'));
  await expect(started).rejects.toThrow('SIGTERM came');
  expect(start).toHaveBeenCalledTimes(1);
});
