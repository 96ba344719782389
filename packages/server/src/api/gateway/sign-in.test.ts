import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { Seats } from './seats.ts';
import { SignIn } from './sign-in.ts';

it('asks what an address has at other gateways before its socket is let in, and takes one seat however often it is asked', async () => {
  const clock = new ManualClock(0);
  const told: number[] = [];
  const truth = { elsewhere: 3 };
  let known = 0;
  const seats = new Seats(clock, 'enforce', undefined, {
    elsewhere: () => known,
    learn: async () => {
      known = truth.elsewhere;
    },
    tell: (_, here) => void told.push(here),
  });
  const refused: unknown[] = [];
  const keys = { find: async () => undefined, recall: () => undefined, count: () => {} };
  const connect = (): SignIn => {
    seats.enter('1.2.3.4');
    const onRefused = (error: unknown): void => void refused.push(error);
    return new SignIn({ clock, keys, seats, requireKey: false, caller: '1.2.3.4', onRefused });
  };
  await expect(connect().account()).rejects.toMatchObject({ code: 'rate_limited' });
  truth.elsewhere = 2;
  const signIn = connect();
  await Promise.all([signIn.account(), signIn.account()]);
  expect(told).toEqual([0, 1]);
  // One that says nothing is seated in its turn: by then there is no room.
  clock.advance(10_000);
  await expect.poll(() => refused.length).toBe(1);
});
