import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyOwner } from '../platform/key-store.ts';
import { ConnectionSlots } from './connection-slots.ts';
import { SignIn } from './sign-in.ts';

it('asks what an address has at other gateways before its socket is let in, and takes one slot however often it is asked', async () => {
  const clock = new ManualClock(0);
  const reported: number[] = [];
  const truth = { elsewhere: 3 };
  let known = 0;
  const slots = new ConnectionSlots(clock, 'enforce', undefined, {
    elsewhere: () => known,
    learn: async () => {
      known = truth.elsewhere;
    },
    publish: (_, here) => void reported.push(here),
  });
  const refused: unknown[] = [];
  const keys = { find: async () => undefined, recall: () => undefined, count: () => {} };
  const connect = (): SignIn => {
    slots.enter('1.2.3.4');
    const onRefused = (error: unknown): void => void refused.push(error);
    return new SignIn({ clock, keys, slots, requireKey: false, caller: '1.2.3.4', onRefused });
  };
  await expect(connect().account()).rejects.toMatchObject({ code: 'rate_limited' });
  truth.elsewhere = 2;
  const signIn = connect();
  await Promise.all([signIn.account(), signIn.account()]);
  expect(reported).toEqual([0, 1]);
  // A silent socket gets its slot later: by then none is left.
  clock.advance(10_000);
  await expect.poll(() => refused.length).toBe(1);
});

describe('the time for a first frame', () => {
  let clock: ManualClock;
  let answer: (owner: KeyOwner | Error | undefined) => void;
  let refused: unknown[];
  let signIn: SignIn;
  beforeEach(() => {
    clock = new ManualClock(0);
    refused = [];
    const keys = {
      find: () =>
        new Promise<KeyOwner | undefined>((resolve, reject) => {
          answer = (owner) => (owner instanceof Error ? reject(owner) : resolve(owner));
        }),
      recall: () => undefined,
      count: () => undefined,
    };
    const slots = new ConnectionSlots(clock, 'enforce');
    slots.enter('1.2.3.4');
    const onRefused = (error: unknown): void => void refused.push(error);
    signIn = new SignIn({ clock, keys, slots, requireKey: true, caller: '1.2.3.4', onRefused });
  });
  afterEach(() => signIn.end());

  it('is not over while a key is looked up', async () => {
    clock.advance(9_000);
    const tier = signIn.auth({ op: 'auth', apiKey: 'ct_pro_1' });
    clock.advance(1_500);
    answer({ id: 'p', tier: 'pro' });
    expect(await tier).toBe('pro');
    expect(refused).toEqual([]);
  });

  it('starts over when the key cannot be checked', async () => {
    clock.advance(9_000);
    const tier = signIn.auth({ op: 'auth', apiKey: 'ct_pro_1' });
    answer(new Error('away'));
    await expect(tier).rejects.toMatchObject({ code: 'validator_unavailable' });
    clock.advance(9_999);
    await Promise.resolve();
    expect(refused).toEqual([]);
    clock.advance(1);
    await expect.poll(() => refused).toMatchObject([{ code: 'unauthorized' }]);
  });
});
