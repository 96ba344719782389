import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ManualClock, seededRandom } from '@crosstape/core';
import { venues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { MeteredSource } from './metered-source.ts';
import { VenueGate } from './venue-gate.ts';
import { noJobs } from './testing/simulated-engine.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function open(): MeteredSource {
  const clock = new ManualClock(0);
  return new MeteredSource({
    venue: 'fake',
    name: 'past-trades',
    weight: 0,
    waitingMax: 2,
    clock,
    gate: new VenueGate({ connector: venues[0]!.connector!, clock, random: seededRandom(1) }),
    jobs: noJobs,
    warn: () => undefined,
    known: () => ({}) as never,
    openMeter: () => ({}) as never,
    client: { send: () => Promise.reject(new Error('no network here')) },
  });
}

it('keeps no answer in memory after its reader has it', async () => {
  const source = open();
  const answered = new WeakRef(await source.inTurn(async () => ({ trades: [] })));
  await new Promise(setImmediate);
  collectGarbage();
  expect(answered.deref()).toBeUndefined();
});

it('runs one request after the other, refuses those beyond its queue, and continues after one failed', async () => {
  const source = open();
  const order: number[] = [];
  const failed = source.inTurn(async () => {
    order.push(1);
    throw new Error('failed');
  });
  const second = source.inTurn(async () => order.push(2));
  await expect(source.inTurn(async () => order.push(3))).rejects.toThrow('Too many requests are queued.');
  await expect(failed).rejects.toThrow('failed');
  await second;
  await source.inTurn(async () => order.push(4));
  expect(order).toEqual([1, 2, 4]);
});
