import { allPublishers, type Lookup } from '@crosstape/venues';
import { expect, test } from 'vitest';
import { fakeLookup } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';
import { isLong } from '../../../../test/long.ts';

const ALWAYS = ['BTC', 'ETH', 'SOL', 'XRP', 'USDT'];

interface Warm {
  readonly rig: Rig;
  readonly always: readonly string[];
  readonly others: readonly string[];
  /** How often a key was requested. */
  times(key: string): number;
}

/**
 * The rotating lookup of a spot venue, with a limit of requests per minute and a limit of wanted keys besides the fixed
 * ones.
 */
async function startVenue(id: string, weightPerMinute: number, count: number): Promise<Warm> {
  const { lookups = [], limits } = allPublishers.find((one) => one.id === id)?.connector ?? {};
  // The last lookup is the one on demand; Upbit's fixed books have a separate one.
  const { everyMs, keepMs, keys, outdated } = lookups.at(-1) as Lookup;
  const symbolOf = (coin: string): string => (id === 'upbit' ? `KRW-${coin}` : coin);
  const others = Array.from({ length: count }, (_, i) => symbolOf(`C${i}`));
  const pairs = [...ALWAYS.map(symbolOf), ...others].map((symbol) => ({
    coin: symbol.replace('KRW-', ''),
    symbol,
    quote: 'USD',
  }));
  const spotTickers = pairs.map((pair) => ({ ...pair, last: 1, volume24hCoins: 1 }));
  const known = { instruments: pairs, spotTickers };
  const always = keys(known, []);
  const rig = await startRig({
    lookups: [
      fakeLookup({
        everyMs,
        ...(keepMs === undefined ? {} : { keepMs }),
        keys: (_, asked) => keys(known, asked),
        outdated: (_, nowMs) => outdated?.(known, nowMs) ?? new Map(),
      }),
    ],
    limits: { ...limits, weightPerMinute },
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) =>
        void response.end(JSON.stringify([[url.slice('/oi/'.length), 1]]));
    },
  });
  const times = (key: string): number => rig.venue.asked.filter((path) => path === `/oi/${key}`).length;
  return { rig, always, others, times };
}

test('pairs of Coinbase that are always wanted stay fresh though more are warm than the limits allow', async () => {
  const { rig, always, others, times } = await startVenue('coinbase', 200, 100);
  for (let second = 0; rig.venue.asked.length < 200 && second < 600; second += 1) {
    rig.want(others);
    await rig.pass(1_000, 250);
  }
  // In the minute that this takes, others have at most three turns.
  expect(Math.min(...always.map(times))).toBeGreaterThanOrEqual(5);
  expect(others.filter((key) => times(key) > 1).length).toBeGreaterThan(50);
  await rig.stop();
});

/** What its other calls leave of the venue's limits. */
const rotated = [
  ['upbit', 100, 55, 140],
  ['coinbase', 390, 200, 90],
] as const;

test.each(rotated.slice(0, isLong ? 2 : 1))(
  'of %s, every key has its turn though more are warm than two cadences carry, and those always wanted stay known',
  async (id, weightPerMinute, count, seconds) => {
    const { rig, always, others, times } = await startVenue(id, weightPerMinute, count);
    const absent: string[] = [];
    for (let second = 0; second < seconds; second += 1) {
      rig.want(others);
      await rig.pass(1_000, 500);
      const reported = new Set(rig.snapshot()?.rows.map(({ symbol }) => symbol));
      if (second >= 10) absent.push(...always.filter((key) => !reported.has(key)));
    }
    expect(others.filter((key) => times(key) === 0)).toEqual([]);
    expect(absent).toEqual([]);
    await rig.stop();
  },
);
