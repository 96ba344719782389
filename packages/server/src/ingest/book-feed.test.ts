import type { BookFeed } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { followTopic } from '../topics.ts';
import type { OpenBookFeed } from './book-feed.ts';
import { fakeFeed, fakeResource } from './testing/fake-venue.ts';
import { startRig } from './testing/rig.ts';

it('knows when the connection of a symbol last received anything, pongs included', async () => {
  const name = 'market-books';
  const ping = { everyMs: 15_000, frame: 'ping' };
  const demand = { keepMs: 60_000, topicsMax: 3 };
  const marketBooks = fakeFeed({ name, ping, demand, topics: (_, followed = []) => followed }) as BookFeed;
  let feed: OpenBookFeed | undefined;
  const rig = await startRig({
    resources: [
      fakeResource({ gives: ['instruments'], parse: () => ({ instruments: [{ coin: 'A', symbol: 'A' }] }) }),
    ],
    connector: () => ({ marketBooks }),
    books: (opened) => {
      feed = opened;
      return { receive: () => {}, listed: () => {} };
    },
  });
  try {
    const lastMs = (): number | undefined => feed?.lastReceivedMs('A');
    await rig.pass(1_000, 200);
    expect(lastMs()).toBeUndefined();
    rig.bus.publish(followTopic, { venue: 'fake', feed: name, coins: ['A'] });
    await rig.passUntil(() => lastMs() !== undefined, 2_000);
    const confirmedMs = lastMs() ?? 0;
    expect(feed?.lastReceivedMs('B')).toBeUndefined();
    await rig.pass(10_000, 1_000);
    expect(lastMs()).toBe(confirmedMs);
    await rig.passUntil(() => (lastMs() ?? 0) >= confirmedMs + 14_000, 10_000);
  } finally {
    await rig.stop();
  }
});
