import { seededRandom } from '@crosstape/core';
import { primaryVenue, venues } from '@crosstape/venues';
import { createApi } from '../packages/server/dist/api/api.js';
import { createStreams } from '../packages/server/dist/api/transport/sse.js';
import { MemoryKeyStore } from '../packages/server/dist/platform/key-store.js';
import { LocalBus } from '../packages/server/dist/platform/local-bus.js';
import { createLog } from '../packages/server/dist/platform/log.js';
import { systemClock } from '../packages/server/dist/platform/system-clock.js';
import { healthTopic, snapshotTopic } from '../packages/server/dist/topics.js';
import { tellUsage } from './http-usage.mjs';

/**
 * The service as it stands behind `/perps/oi`: the whole interface as it was built, fed with one snapshot of a full
 * universe from every venue.
 */
const COINS = 230;
const HOUR_MS = 3_600_000;

const [quota = 'report', key] = process.argv.slice(2);
const clock = systemClock;
const bus = new LocalBus(clock);
const log = createLog({ level: 'error' });
const random = seededRandom(7);
const venue = primaryVenue.id;
const fetchedAtMs = clock.now();
const coins = Array.from({ length: COINS }, (_, i) => `C${i.toString(36).toUpperCase()}`);

for (const { id } of venues) {
  const head = { venue: id, fetchedAtMs, everyMs: HOUR_MS };
  bus.publish(snapshotTopic(id, 'instruments'), {
    ...head,
    rows: coins.map((coin) => ({ coin, symbol: coin, sizeDecimals: 2 })),
  });
  bus.publish(snapshotTopic(id, 'openInterest'), {
    ...head,
    rows: coins.map((coin) => {
      const held = Math.round(random() * 1e9) / 100;
      return {
        coin,
        symbol: coin,
        contracts: held,
        coins: held,
        usd: Math.round(held * random() * 1e4) / 100,
      };
    }),
  });
  bus.publish(healthTopic(id), [
    {
      source: `${id}:contexts`,
      venue: id,
      gives: ['instruments', 'openInterest'],
      status: 'ok',
      sinceMs: fetchedAtMs,
      lastGoodMs: fetchedAtMs,
      messages: 1,
      refused: 0,
      reconnects: 0,
    },
  ]);
}

const { server } = await createApi({
  clock,
  bus,
  store: { probe: async () => undefined },
  whales: { newest: async () => ({ prints: [], recordedSinceMs: 0 }) },
  histories: { samples: async () => [] },
  liquidations: { totals: () => new Map(), hearing: () => [], wholeSinceMs: 0 },
  retentionDays: 7,
  venues,
  primaryVenue: venue,
  upstream: 'live',
  settings: { quota, trustProxy: false },
  keys: new MemoryKeyStore(key === undefined ? {} : { [key]: { id: 'bench', tier: 'pro' } }),
  log,
  streams: createStreams({ clock, bus, log, coins: () => coins, settings: { sseMaxMinutes: 30 } }),
  version: 'bench',
});
server.listen(0, '127.0.0.1', () => tellUsage(server.address().port));
