import { spotVenueNames } from '../packages/server/dist/features/spot/spot-venues.js';
import { fxSources } from '../packages/server/dist/features/rates/usd-krw.js';
import { startFlowEngine } from '../packages/server/dist/features/flows/flow-engine.js';
import { createApi } from '../packages/server/dist/api/api.js';
import { createStreams } from '../packages/server/dist/api/create-streams.js';
import { MemoryKeyStore } from '../packages/server/dist/platform/key-store.js';
import { LocalBus } from '../packages/server/dist/platform/local-bus.js';
import { createLog } from '../packages/server/dist/platform/log.js';
import { systemClock } from '../packages/server/dist/platform/system-clock.js';
import { healthTopic, snapshotTopic, spotTradeTopic, tradeTopic } from '../packages/server/dist/topics.js';
import { catalog, primaryVenue, sourceTerms, venues } from '@crosstape/venues';
import { reportUsage } from './http-usage.mjs';

/**
 * The service as it stands behind `/flows/*`: the spot venues with as many pairs as the large ones have, updated every ten
 * seconds, trades that never stop, and an engine that reports once a second. Beside it `/perps/oi` of two venues, whose tables
 * stand still.
 */
const COINS = 1_500;
const HOUR_MS = 3_600_000;
const PRICES_EVERY_MS = 10_000;
const TRADES_EVERY_MS = 20;
/** Recorded minutes: as many as make an answer about as large as the whole of `/perps/oi`. */
const POINTS = 820;
const MINUTE_MS = 60_000;
const followed = ['BTC', 'ETH', 'SOL'];
const dollars = { BTC: 100_000, ETH: 4_000, SOL: 200 };

const clock = systemClock;
const bus = new LocalBus(clock);
const log = createLog({ level: 'error' });
const venue = primaryVenue.id;
/** Gets the same requests as the primary venue. */
const other = venues.find(({ id }) => id === 'binance');
const coins = [...followed, ...Array.from({ length: COINS }, (_, i) => `C${i.toString(36).toUpperCase()}`)];

function table(publisher, name, rows, everyMs) {
  bus.publish(snapshotTopic(publisher, name), { venue: publisher, rows, fetchedAtMs: clock.now(), everyMs });
}

function health(publisher, gives) {
  const counters = { messages: 1, refused: 0, reconnects: 0 };
  const times = { sinceMs: clock.now() - HOUR_MS, lastGoodMs: clock.now() };
  const source = { source: `${publisher}:bench`, venue: publisher, gives, status: 'ok' };
  bus.publish(healthTopic(publisher), [{ ...source, ...times, ...counters }]);
}

function publishPrices() {
  for (const { source } of spotVenueNames) {
    const rows = coins.map((coin, i) => {
      const last = (dollars[coin] ?? 1) * (1 + (i % 7) * 1e-5);
      const sides = { bid: last * 0.9999, ask: last * 1.0001 };
      const day = { volume24hCoins: 1_000, change24hPct: 1.5 };
      return { coin, symbol: `${coin}-USD`, quote: 'USD', last, ...sides, ...day, venueTs: clock.now() };
    });
    const tether = { coin: 'USDT', symbol: 'USDT-USD', quote: 'USD', last: 1, volume24hCoins: 1 };
    table(source, 'spotTickers', [...rows, tether], PRICES_EVERY_MS);
  }
  const korean = followed.map((coin) => ({
    coin,
    symbol: `KRW-${coin}`,
    quote: 'KRW',
    last: dollars[coin] * 1_400,
    volume24hCoins: 10,
    venueTs: clock.now(),
  }));
  table('upbit', 'spotTickers', korean, PRICES_EVERY_MS);
  table(
    'upbit',
    'spotBooks',
    korean.map(({ last, ...pair }) => ({ ...pair, bid: last, ask: last, bidSize: 6, askSize: 4 })),
    PRICES_EVERY_MS,
  );
  for (const source of fxSources)
    table(
      source,
      'exchangeRates',
      [{ coin: 'USD', quote: 'KRW', rate: 1_400, asOfMs: clock.now() }],
      HOUR_MS,
    );
}

let tid = 0;
function publishTrades() {
  for (const coin of followed) {
    tid += 1;
    const amount = { price: dollars[coin], size: 1, notionalUsd: dollars[coin] };
    const side = tid % 2 === 0 ? 'buy' : 'sell';
    const trade = { coin, venue, side, ...amount, ts: clock.now(), tid, sameOrder: false };
    bus.publish(tradeTopic(coin), trade);
    bus.publish(spotTradeTopic('coinbase', coin), { ...trade, venue: 'coinbase' });
  }
}

for (const { id } of [primaryVenue, other]) {
  // Rows are as long as the primary venue's.
  const symbolOf = (coin) => coin.padEnd(coin.length + venue.length - id.length, '-');
  const instruments = coins.map((coin) => ({ coin, symbol: symbolOf(coin), sizeDecimals: 2 }));
  const amounts = (i) => ({ contracts: i + 0.5, coins: i + 0.5, value: i * 1_000.5 });
  table(id, 'instruments', instruments, HOUR_MS);
  table(
    id,
    'openInterest',
    coins.map((coin, i) => ({ coin, symbol: symbolOf(coin), ...amounts(i) })),
    HOUR_MS,
  );
  health(id, ['instruments', 'openInterest', 'trades']);
}
health('coinbase', ['spotTickers', 'trades']);
const days = Array.from({ length: 20 }, (_, i) => ({
  label: `${i}`,
  dayMs: Math.floor(clock.now() / 86_400_000 - 20 + i) * 86_400_000,
  flowsUsdm: { AAA: i - 10 },
  totalUsdm: i - 10,
}));
for (const asset of ['bitcoin', 'ethereum'])
  table(
    'farside',
    `${asset}EtfFlows`,
    [{ coin: asset, tickers: ['AAA'], days, isSinceLaunch: true }],
    HOUR_MS,
  );
publishPrices();
clock.every(PRICES_EVERY_MS, publishPrices);
clock.every(TRADES_EVERY_MS, publishTrades);
startFlowEngine({ clock, bus, coins: followed, primaryVenue: venue, history: new Map() });

const newestMs = Math.floor(clock.now() / MINUTE_MS - 1) * MINUTE_MS;
const points = Array.from({ length: POINTS }, (_, i) => ({
  t: newestMs - (POINTS - 1 - i) * MINUTE_MS,
  v: ((i * 37) % 2_000) / 10 - 100,
  partial: false,
  stale: false,
  source: [...spotVenueNames.map(({ venue: name }) => name), 'upbit', 'farside', venue].join('+'),
  sources: [],
  coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
}));
const history = {
  json: new TextEncoder().encode(JSON.stringify(points)),
  newest: { t: newestMs, names: spotVenueNames.map(({ venue: name }) => name) },
};

const { server } = await createApi({
  clock,
  bus,
  store: { probe: async () => undefined },
  whales: { newest: async () => ({ prints: [], recordedSinceMs: 0 }) },
  histories: { samples: async () => [] },
  flowHistory: { read: async () => history },
  flowCoins: followed,
  liquidations: { totals: () => new Map(), connections: () => [], wholeSinceMs: 0 },
  keys: new MemoryKeyStore(),
  retentionDays: 7,
  venues: catalog,
  sources: sourceTerms,
  primaryVenue: venue,
  upstream: 'live',
  settings: { quota: 'report', trustProxy: false },
  log,
  streams: createStreams({ clock, bus, log, coins: () => coins, settings: { sseMaxMinutes: 30 } }),
  version: 'bench',
});
server.listen(0, '127.0.0.1', () => reportUsage(server.address().port, { otherVenue: other.id }));
