import { seededRandom } from '@crosstape/core';
import { catalog, primaryVenue, sourceTerms, venues } from '@crosstape/venues';
import { createApi } from '../packages/server/dist/api/api.js';
import { createStreams } from '../packages/server/dist/api/create-streams.js';
import { MemoryKeyStore } from '../packages/server/dist/platform/key-store.js';
import { LocalBus } from '../packages/server/dist/platform/local-bus.js';
import { createLog } from '../packages/server/dist/platform/log.js';
import { systemClock } from '../packages/server/dist/platform/system-clock.js';
import { healthTopic, snapshotTopic } from '../packages/server/dist/topics.js';
import { reportUsage } from './http-usage.mjs';

/**
 * The service as it stands behind `/perps/oi`: the whole interface as it was built, fed with one snapshot of a full
 * universe from every venue, and every second with another of the venue that is named third, as of one whose contracts
 * are requested one by one.
 */
const COINS = 230;
const HOUR_MS = 3_600_000;
const RENEWED_EVERY_MS = 1_000;

const [quota = 'report', key = '', renewed] = process.argv.slice(2);
const clock = systemClock;
const bus = new LocalBus(clock);
const log = createLog({ level: 'error' });
const random = seededRandom(7);
const venue = primaryVenue.id;
const fetchedAtMs = clock.now();
const coins = Array.from({ length: COINS }, (_, i) => `C${i.toString(36).toUpperCase()}`);

function publishOpenInterest(id) {
  bus.publish(snapshotTopic(id, 'openInterest'), {
    venue: id,
    fetchedAtMs: clock.now(),
    everyMs: HOUR_MS,
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
}

for (const { id } of venues) {
  bus.publish(snapshotTopic(id, 'instruments'), {
    venue: id,
    fetchedAtMs,
    everyMs: HOUR_MS,
    rows: coins.map((coin) => ({ coin, symbol: coin, sizeDecimals: 2 })),
  });
  publishOpenInterest(id);
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

if (renewed) clock.every(RENEWED_EVERY_MS, () => publishOpenInterest(renewed));

const { server } = await createApi({
  clock,
  bus,
  store: { probe: async () => undefined },
  whales: { newest: async () => ({ prints: [], recordedSinceMs: 0 }) },
  histories: { samples: async () => [] },
  liquidations: { totals: () => new Map(), connections: () => [], wholeSinceMs: 0 },
  retentionDays: 7,
  venues: catalog,
  sources: sourceTerms,
  primaryVenue: venue,
  upstream: 'live',
  settings: { quota, trustProxy: false },
  keys: new MemoryKeyStore(key === '' ? {} : { [key]: { id: 'bench', tier: 'pro' } }),
  log,
  streams: createStreams({ clock, bus, log, coins: () => coins, settings: { sseMaxMinutes: 30 } }),
  version: 'bench',
});
server.listen(0, '127.0.0.1', () => reportUsage(server.address().port));
