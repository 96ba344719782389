import { createMarket } from '@crosstape/simulator';
import { primaryVenue } from '@crosstape/venues';
import { silentLog } from '../packages/server/src/api/testing/stream-service.ts';
import { connectRedis, isConnected, type RedisLink } from '../packages/server/src/platform/redis.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { TestRedis } from '../packages/server/src/platform/testing/redis-server.ts';
import { startThreadJobs } from '../packages/server/src/platform/thread-jobs.ts';
import { createPast } from '../packages/server/src/seeding/create-past.ts';
import { GapLedger } from '../packages/server/src/store/gap-ledger.ts';
import { placeOf } from '../packages/server/src/store/open-place.ts';
import { sharedMark } from '../packages/server/src/store/past-mark.ts';
import { RedisStore } from '../packages/server/src/store/redis-store.ts';
import { TickShelf } from '../packages/server/src/store/tick-shelf.ts';

const THREADS = 2;

export interface Day {
  readonly trades: number;
  /** What the server grew by. */
  readonly bytes: number;
  readonly tookMs: number;
}

/** Has a stretch of the simulated full universe recorded on a server of its own, and looks how much that takes. */
export async function recordDays(days: number): Promise<Day> {
  const server = await TestRedis.start('--appendonly', 'no');
  const link = connectRedis(server.url);
  await isConnected(link);
  const jobs = startThreadJobs({ threadsMax: THREADS });
  try {
    const prefix = '{bench:store}';
    const store = new RedisStore({ link, prefix });
    const market = { seed: 1, rate: 1 };
    const before = await usedBytes(link);
    const startMs = systemClock.now();
    const past = createPast({
      clock: systemClock,
      jobs,
      log: silentLog,
      ticks: new TickShelf(store),
      ledger: new GapLedger(store),
      mark: sharedMark(store),
      market,
      folder: placeOf({ url: server.url, prefix }),
      venue: primaryVenue.id,
      days,
      flowCoins: ['BTC', 'ETH'],
    });
    await past.seed(new AbortController().signal);
    await past.isThere;
    const perWeek = createMarket(market).coins.reduce((sum, { tradesPerWeek }) => sum + tradesPerWeek, 0);
    return {
      trades: (perWeek / 7) * days,
      bytes: (await usedBytes(link)) - before,
      tookMs: systemClock.now() - startMs,
    };
  } finally {
    await jobs.stop();
    link.disconnect();
    await server.close();
  }
}

async function usedBytes(link: RedisLink): Promise<number> {
  const info = await link.info('memory');
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}
