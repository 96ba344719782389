import { ManualClock } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { tradeTopic } from '../../topics.ts';
import type { FollowedTape } from '../market-tape/followed-tape.ts';
import { createTradeBackfill } from './trade-backfill.ts';

it.each([
  ['one address', () => '192.0.2.1', 4],
  ['one network', (i: number) => `192.0.2.${i}`, 8],
  ['many networks', (i: number) => `192.0.${i}.1`, 16],
])('reads the history of a few clients of %s at a time', async (_, addressOf, atATime) => {
  const clock = new ManualClock(1_790_000_000_000);
  let [reading, most] = [0, 0];
  const page: FollowedTape['tape']['page'] = async () => {
    reading += 1;
    most = Math.max(most, reading);
    await new Promise((resolve) => setImmediate(resolve));
    reading -= 1;
    return { chunks: [] };
  };
  const tape = { page, topicOf: tradeTopic };
  const followed = { tape, coin: 'BTC', coverage: { gaps: async () => [] } } as unknown as FollowedTape;
  const backfill = createTradeBackfill({ clock, bus: new LocalBus(clock), tapeOf: () => followed });
  const since = { ts: clock.now() - 1, count: 0 };
  const prepare = (__: unknown, i: number) => backfill.prepare({ symbol: 'BTC' }, since, addressOf(i));
  const prepared = await Promise.all(Array.from({ length: 60 }, prepare));
  for (const { release } of prepared) release();
  expect(most).toBe(atATime);
});
