import { type Lookup, spotVenues } from '@crosstape/venues';
import { expect, test } from 'vitest';
import { fakeLookup } from './testing/fake-venue.ts';
import { startRig } from './testing/rig.ts';

test('pairs of Coinbase that are always wanted stay fresh though more are warm than the limits allow', async () => {
  const { lookups = [] } = spotVenues.find(({ id }) => id === 'coinbase')?.connector ?? {};
  const { everyMs, keys, outdated } = lookups[0] as Lookup;
  const always = ['BTC', 'ETH', 'SOL', 'XRP', 'USDT'];
  const others = Array.from({ length: 100 }, (_, i) => `C${i}`);
  const instruments = [...always, ...others].map((coin) => ({ coin, symbol: coin, quote: 'USD' }));
  const lookup = fakeLookup({
    everyMs,
    keys: (_, asked) => keys({ instruments }, asked),
    outdated: (_, nowMs) => outdated?.({ instruments }, nowMs) ?? new Map(),
  });
  const rig = await startRig({
    lookups: [lookup],
    limits: { weightPerMinute: 200, weightAtOnce: 4 },
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) =>
        void response.end(JSON.stringify([[url.slice('/oi/'.length), 1]]));
    },
  });
  for (let second = 0; rig.venue.asked.length < 200 && second < 600; second += 1) {
    rig.want(others);
    await rig.pass(1_000, 250);
  }
  const times = (key: string): number => rig.venue.asked.filter((path) => path === `/oi/${key}`).length;
  // In the minute that this takes, others have at most three turns, some still wait for their first.
  expect(Math.min(...always.map(times))).toBeGreaterThanOrEqual(5);
  expect(others.filter((key) => times(key) > 1).length).toBeGreaterThan(50);
  await rig.stop();
});
