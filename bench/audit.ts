import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type HourAudit, ManualClock, type Market, seededRandom, venueCandles } from '@crosstape/core';
import { primaryVenue, type Publisher, readablePublishers } from '@crosstape/venues';
import { HourlyAudit } from '../packages/server/src/features/audit/hourly-audit.ts';
import { CandleTable, minuteLevel } from '../packages/server/src/features/candles/candle-table.ts';
import { type OpenedMarket, openedMarkets } from '../packages/server/src/features/candles/opened-markets.ts';
import { MarketTable } from '../packages/server/src/features/market-tape/market-table.ts';
import { chooseMarkets } from '../packages/server/src/features/market-tape/market-chooser.ts';
import { GapLedger } from '../packages/server/src/features/tape/gap-ledger.ts';
import { TickBuffer } from '../packages/server/src/features/tape/tick-buffer.ts';
import { TickTable } from '../packages/server/src/features/tape/tick-table.ts';
import type { CandleSource } from '../packages/server/src/ingest/candle-client.ts';
import { startEngine } from '../packages/server/src/ingest/engine.ts';
import { LocalBus } from '../packages/server/src/platform/local-bus.ts';
import { venueOf } from '../packages/server/src/store/market-key.ts';
import { LmdbStore } from '../packages/server/src/store/lmdb-store.ts';
import {
  auditStateTopic,
  candlesTopic,
  type RecordedMarket,
  recordedMarketsTopic,
  snapshotTopic,
} from '../packages/server/src/topics.ts';
import { median } from './part.ts';

/**
 * What the audit of an hour costs at the default of recorded markets (every coin of the primary venue, the 20 largest
 * on each of the others): processor time, requests and answers included, and requests against each venue's limit. The
 * venues run in a separate process. The clock is virtual: pauses between requests take no time.
 */
const rounds = Number(process.env.ROUNDS ?? 5);
const TOP = 20;
const MARKETS_MAX = 20_000;
const HOUR_MS = 3_600_000;
const DELAY_MS = 300_000;
const CORE_MAX_PCT = 1;
const BUDGET_MAX_PCT = 5;
/** While an answer is awaited, virtual time is real time: it must not come too late. */
const [WAITING_STEP_MS, IDLE_STEP_MS] = [2, 250];
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const tables = ['instruments', 'spotTickers', 'openInterest'];

const child = fork(fileURLToPath(new URL('audit-venues.ts', import.meta.url)), {
  execArgv: process.execArgv,
});
const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }];
const clock = new ManualClock(Date.now());
const hour = Math.floor(clock.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
const folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
const store = new LmdbStore(folder);
const bus = new LocalBus(clock);
const sources: CandleSource[] = [];
const listed = new Map<string, readonly Market[]>();
const spent = new Map<string, { requests: number; weight: number }>();
let inFlight = 0;

/** Only the lists of markets: nothing is recorded here. */
function onlyLists({ connector, ...publisher }: Publisher): Publisher {
  if (!connector) throw new Error(`${publisher.id} cannot be read`);
  const { lookups: _, resources, ...rest } = connector;
  const lists = resources.filter(({ gives }) => gives.some((table) => tables.includes(table)));
  return { ...publisher, connector: { ...rest, resources: lists, feeds: [] } } as Publisher;
}

function counted(source: CandleSource): CandleSource {
  const { publisher, candles, weightPerMinute } = source;
  return {
    publisher,
    candles,
    weightPerMinute,
    async read(span) {
      const own = spent.get(publisher.id) ?? { requests: 0, weight: 0 };
      spent.set(publisher.id, own);
      own.requests += 1;
      own.weight += candles.request(span).weight ?? candles.weight;
      inFlight += 1;
      return source.read(span).finally(() => (inFlight -= 1));
    },
  };
}

async function passUntil(holds: () => boolean): Promise<void> {
  while (!holds()) {
    clock.advance(inFlight > 0 ? WAITING_STEP_MS : IDLE_STEP_MS);
    await wait(2);
  }
}

const recorded = readablePublishers.filter(
  ({ id, connector }) => id === primaryVenue.id || connector?.marketTrades,
);
const engine = startEngine({
  venues: recorded.map(onlyLists),
  primaryVenue: primaryVenue.id,
  originsOf: ({ id }) => ({ rest: `${url}/${id}`, ws: `${url}/${id}`.replace('http', 'ws') }),
  bus,
  clock,
  random: seededRandom(3),
  jobs: { run: () => Promise.reject(new Error('no workers here')), stop: async () => {} },
  log,
  sink: () => undefined,
  markets: ({ publisher }) => ({
    receive: () => undefined,
    listed: (markets) => void listed.set(publisher.id, markets),
  }),
  onCandles: (source) => sources.push(counted(source)),
});
const openInterest = (venue: string) => bus.latest(snapshotTopic(venue, 'openInterest'))?.message.rows;
inFlight = 1;
await passUntil(() => listed.size === recorded.length - 1 && openInterest(primaryVenue.id) !== undefined);
inFlight = 0;

const coins = (openInterest(primaryVenue.id) ?? [])
  .toSorted((a, b) => (b.usd ?? b.value ?? 0) - (a.usd ?? a.value ?? 0))
  .map(({ coin }) => coin);
const chosen = [...listed].flatMap(([publisher, markets]): RecordedMarket[] =>
  chooseMarkets({ top: TOP }, markets, { coins, openInterest: () => 0 }).map((market) => ({
    ...market,
    publisher,
    isCounted: false,
  })),
);
await new MarketTable(store).put(chosen, hour);
bus.publish(recordedMarketsTopic, chosen);
const ticks = new TickTable(store);
const recordedVenues = new Set([primaryVenue.id, ...chosen.map(({ id }) => venueOf(id))]);
for (const venue of recordedVenues)
  await store.commit([new GapLedger(store, venue).extending({ from: hour, to: clock.now() })]);
for (const coin of coins) {
  const buffer = new TickBuffer();
  const trade = { coin, venue: primaryVenue.id, side: 'buy', price: 1, size: 1, notionalUsd: 1 } as const;
  buffer.add({ ...trade, ts: hour, tid: 1, sameOrder: false });
  await store.commit(ticks.sealing(coin, buffer, 1, []));
}

/** Our candles are the venue's own: every hour is to be equal. */
const marketsOf = openedMarkets({ store, bus, primaryVenue: primaryVenue.id });
const candles = new CandleTable(store);
async function fill(source: CandleSource, market: OpenedMarket): Promise<void> {
  const span = { market, interval: '1m', fromMs: hour, toMs: hour + HOUR_MS } as const;
  const block = { toTs: hour + HOUR_MS, candles: venueCandles(await source.read(span), market.units) };
  await store.commit([candles.putting(minuteLevel, market.id, { startTs: hour, ...block })]);
}
let filled = 0;
/** Markets that are to get a verdict. */
let audited = 0;
void Promise.all(
  sources.map(async (source) => {
    for (const market of await marketsOf(source.publisher.id)) {
      await fill(source, market);
      audited += 1;
    }
    filled += 1;
  }),
);
await passUntil(() => filled === sources.length);

const rows = store.table<HourAudit>('audit-hours', 'json');
const cpuMs: number[] = [];
for (let i = 0; i <= rounds; i += 1) {
  await store.commit([rows.removes(await rows.keys({ limit: MARKETS_MAX }))]);
  spent.clear();
  const own = new LocalBus(clock);
  own.publish(candlesTopic, { isCaughtUp: true });
  const keptFromMs = (keepMs: number): number => clock.now() - keepMs;
  const audit = new HourlyAudit({ store, bus: own, clock, log, keptFromMs, marketsOf, delayMs: DELAY_MS });
  for (const source of sources) audit.add(source);
  const before = process.cpuUsage();
  audit.start();
  await passUntil(() => own.latest(auditStateTopic)?.message.nextAtMs !== undefined);
  const { user, system } = process.cpuUsage(before);
  // The first one compiles.
  if (i > 0) cpuMs.push((user + system) / 1_000);
  await audit.stop();
}

const verdicts = (await rows.range({ limit: MARKETS_MAX })).map(({ value }) => value.verdict);
const roundMs = median(cpuMs);
const corePct = (100 * roundMs) / HOUR_MS;
let worstPct = 0;
for (const { publisher, weightPerMinute } of sources) {
  const { requests, weight } = spent.get(publisher.id) ?? { requests: 0, weight: 0 };
  const pct = (100 * weight) / (60 * weightPerMinute);
  worstPct = Math.max(worstPct, pct);
  const share = `${weight} of ${60 * weightPerMinute} an hour, ${pct.toFixed(2)} %`;
  console.log(`${publisher.id.padEnd(16)} ${String(requests).padStart(3)} requests, weight ${share}`);
}
const equal = verdicts.filter((verdict) => verdict === 'equal').length;
console.log(
  `${equal} of ${verdicts.length} hours equal, ${audited} markets; ${roundMs.toFixed(0)} ms of processor time an hour: ` +
    `${corePct.toFixed(3)} % of a core (limit: ${CORE_MAX_PCT}); at most ${worstPct.toFixed(2)} % of a venue's requests ` +
    `(limit: ${BUDGET_MAX_PCT}); load of the machine ${loadavg()[0]?.toFixed(1)}`,
);
await engine.stop();
await store.close();
child.disconnect();
rmSync(folder, { recursive: true });
const isComplete = audited > 0 && verdicts.length === audited && equal === audited;
if (corePct > CORE_MAX_PCT || worstPct > BUDGET_MAX_PCT || !isComplete) process.exitCode = 1;
