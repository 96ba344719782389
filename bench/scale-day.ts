import { primaryVenue } from '@crosstape/venues';
import { silentLog } from '../packages/server/src/api/testing/stream-service.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { connectRedis, isConnected, type RedisLink } from '../packages/server/src/cluster/redis.ts';
import { systemClock } from '../packages/server/src/platform/system-clock.ts';
import { TestRedis } from '../packages/server/src/cluster/testing/redis-server.ts';
import { startThreadJobs } from '../packages/server/src/platform/thread-jobs.ts';
import { FirstRunHistory } from '../packages/server/src/seeding/first-run-history.ts';
import { GapLedger } from '../packages/server/src/features/tape/gap-ledger.ts';
import { placeOf } from '../packages/server/src/cluster/open-place.ts';
import { sharedMark } from '../packages/server/src/seeding/unfinished-history.ts';
import { RedisStore } from '../packages/server/src/cluster/redis-store.ts';
import { TickTable } from '../packages/server/src/features/tape/tick-table.ts';

const THREADS = 2;
/** Default: the service's own. */
const FLOW_COINS = ['BTC', 'ETH', 'SOL'];
const CHUNKS_MAX = 100_000;

export interface Day {
  readonly trades: number;
  /** What the server grew by. */
  readonly bytes: number;
  readonly tookMs: number;
}

/** Has a stretch of the simulated full universe recorded on its own server, and looks how much that takes. */
export async function recordDays(days: number): Promise<Day> {
  const server = await TestRedis.start('--appendonly', 'no');
  const link = connectRedis(server.url);
  await isConnected(link);
  const jobs = startThreadJobs({ threadsMax: THREADS });
  try {
    const prefix = '{bench:store}';
    const store = new RedisStore({ link, prefix });
    const ticks = new TickTable(store);
    const before = await usedBytes(link);
    const startMs = systemClock.now();
    const history = new FirstRunHistory({
      clock: systemClock,
      bus: new LocalBus(systemClock),
      jobs,
      log: silentLog,
      ticks,
      ledger: new GapLedger(store),
      mark: sharedMark(store),
      market: { seed: 1, rate: 1 },
      folder: placeOf({ url: server.url, prefix }),
      venue: primaryVenue.id,
      days,
      flowCoins: FLOW_COINS,
    });
    const { signal } = new AbortController();
    await history.seedRecent(signal);
    history.tapeOpened(signal);
    await history.done;
    const tookMs = systemClock.now() - startMs;
    const bytes = (await usedBytes(link)) - before;
    return { trades: await countTrades(ticks), bytes, tookMs };
  } finally {
    await jobs.stop();
    link.disconnect();
    await server.close();
  }
}

async function countTrades(ticks: TickTable): Promise<number> {
  let trades = 0;
  for (const coin of await ticks.coins()) {
    for (const name of await ticks.names(coin, 0, systemClock.now(), CHUNKS_MAX)) trades += name.trades;
    for (const { columns } of await ticks.tail(coin)) trades += columns.length;
  }
  return trades;
}

async function usedBytes(link: RedisLink): Promise<number> {
  const info = await link.info('memory');
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}
