import type { AddressInfo } from 'node:net';
import type { Clock, Random } from '@crosstape/core';
import {
  aggregatedVenues,
  allPublishers,
  catalog,
  coinalyzeWith,
  farsideAt,
  liquidationAggregator,
  primaryVenue,
  spotVenues,
  tickAt,
} from '@crosstape/venues';
import { sampleHistory } from './analytics/history-samples.ts';
import { createTapeCoverage } from './analytics/tape-coverage.ts';
import { createTapeReader } from './analytics/tape-reader.ts';
import { watchOptions } from './analytics/watch-options.ts';
import { createWhaleReader } from './analytics/whales.ts';
import { createApi } from './api/api.ts';
import { createStreams } from './api/transport/sse.ts';
import { BookKeeper } from './ingest/book-keeper.ts';
import { startEngine } from './ingest/engine.ts';
import type { KeptAnswer } from './ingest/kept-answer.ts';
import { SpotTape } from './ingest/spot-tape.ts';
import { startFlows } from './flows.ts';
import { startLiquidations } from './liquidations.ts';
import type { Log } from './platform/log.ts';
import { LocalBus } from './platform/local-bus.ts';
import { systemRandom } from './platform/random.ts';
import { systemClock } from './platform/system-clock.ts';
import { startThreadJobs } from './platform/thread-jobs.ts';
import { startHistoryRecorder } from './recorder/history-recorder.ts';
import { startRecording } from './recording.ts';
import { Rotations } from './rotations/rotations.ts';
import { createPast } from './seeding/create-past.ts';
import type { Settings } from './settings/settings.ts';
import { clearUnfinished, openDataFolder } from './store/data-folder.ts';
import { GapLedger } from './store/gap-ledger.ts';
import { lockFolder } from './store/folder-lock.ts';
import { KeptShelf } from './store/kept-shelf.ts';
import { HistoryShelf } from './store/history-shelf.ts';
import { LmdbStore } from './store/lmdb-store.ts';
import { openKeys } from './store/open-keys.ts';
import { RotationShelf } from './store/rotation-shelf.ts';
import { TickShelf } from './store/tick-shelf.ts';
import { WhaleShelf } from './store/whale-shelf.ts';
import { snapshotTopic } from './topics.ts';
import { chooseUpstream } from './upstream.ts';
import { version } from './version.ts';

const DAY_MS = 86_400_000;
/** Builds that run at a time, in the background of everything else. */
const BUILD_THREADS = 2;

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly isProduction?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface Service {
  readonly url: string;
  readonly upstream: 'live' | 'sim';
  readonly storePath: string;
  /** Ends streams with a word, finishes what is under way, writes what is pending, and lets go of everything. */
  stop(): Promise<void>;
}

/** Assembles the rooms. What is started last is stopped first. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { settings, log, isProduction = false, clock = systemClock, random = systemRandom() } = options;
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one();
  };
  try {
    const upstream = await chooseUpstream({ settings, primary: primaryVenue, isProduction, log });
    stops.push(() => upstream.stop());
    const storePath = await openDataFolder(settings.data, upstream.tenant);
    const lock = await lockFolder(storePath);
    stops.push(() => lock.release());
    await clearUnfinished(storePath);
    const store = new LmdbStore(storePath);
    stops.push(() => store.close());
    const keys = await openKeys({ data: settings.data, clock, log, writer: upstream.tenant });
    stops.push(() => keys.close());
    const bus = new LocalBus(clock);
    const jobs = startThreadJobs();
    stops.push(() => jobs.stop());

    const builds = startThreadJobs({ threadsMax: BUILD_THREADS, isBackground: true });
    stops.push(() => builds.stop());

    const { retentionDays } = settings;
    const shelf = new WhaleShelf(store);
    const ticks = new TickShelf(store);
    const ledger = new GapLedger(store);
    const isRecorded = recordedCoins(settings.recordCoins);
    const flowCoins = followedCoins(settings.flowCoins);
    const { market } = upstream;
    // What was imported stands: no past is made around it.
    const isNew = (await ledger.lastSpan()) === undefined && (await ticks.coins()).length === 0;
    const past =
      market && isNew && settings.simHistoryDays > 0
        ? createPast({
            clock,
            jobs: builds,
            log,
            ticks,
            ledger,
            market,
            folder: storePath,
            venue: primaryVenue.id,
            flowCoins,
            days: settings.simHistoryDays,
          })
        : undefined;
    const { coinalyzeKey } = settings;
    const liquidations = await startLiquidations({
      clock,
      bus,
      log,
      store,
      primaryVenue: primaryVenue.id,
      tape: { folder: storePath, jobs: builds },
      ...(coinalyzeKey !== undefined && {
        aggregator: { id: liquidationAggregator.id, venues: aggregatedVenues },
      }),
    });
    stops.push(() => liquidations.stop());
    const recording = await startRecording({
      venue: primaryVenue.id,
      clock,
      bus,
      log,
      ticks,
      ledger,
      whales: shelf,
      retentionDays,
      isRecorded,
      onTrade: (trade) => liquidations.trade(trade),
      ...(past ? { seed: (signal: AbortSignal) => past.seed(signal) } : {}),
    });
    stops.push(() => recording.stop());
    const flows = startFlows({
      clock,
      bus,
      log,
      store,
      jobs,
      folder: storePath,
      upstream: upstream.mode,
      primaryVenue: primaryVenue.id,
      coins: flowCoins,
      retentionDays,
      ...(past && { pastIsThere: past.isThere }),
    });
    stops.push(() => flows.stop());
    const histories = new HistoryShelf(store);
    const historyRecorder = startHistoryRecorder({
      clock,
      bus,
      log,
      retentionDays,
      shelf: histories,
      sample: (t) =>
        sampleHistory(t, primaryVenue.id, (venue) => ({
          openInterest: bus.latest(snapshotTopic(venue, 'openInterest'))?.message,
          funding: bus.latest(snapshotTopic(venue, 'funding'))?.message,
        })),
    });
    stops.push(() => historyRecorder.stop());
    const kept = await KeptShelf.open<KeptAnswer>(store, 'kept-answers', log);
    stops.push(() => kept.close());
    const { etfSource } = settings;
    const etf = etfSource === undefined ? undefined : farsideAt(etfSource);
    const given = [etf, coinalyzeKey === undefined ? undefined : coinalyzeWith(coinalyzeKey)];
    const publishers = allPublishers.map((one) => given.find((other) => other?.id === one.id) ?? one);
    const books = new BookKeeper({ venue: primaryVenue.id, clock, bus });
    stops.push(() => books.stop());
    const spotTape = new SpotTape({ bus, venues: spotVenues });
    const engine = startEngine({
      venues: publishers,
      primaryVenue: primaryVenue.id,
      originsOf: (venue, connector) => (venue === etf ? connector.origins : upstream.origins(venue)),
      bus,
      clock,
      random,
      jobs,
      log,
      kept,
      sink: spotTape.sink(liquidations.sink(books.sink(recording.sink))),
      // A simulator is on the loopback, where no proxy is wanted.
      ...(settings.proxy === undefined || upstream.mode === 'sim' ? {} : { proxy: settings.proxy }),
    });
    stops.push(() => engine.stop());
    const optionWatch = watchOptions({ bus, jobs, log });
    stops.push(() => optionWatch.stop());

    const instruments = snapshotTopic(primaryVenue.id, 'instruments');
    const streams = createStreams({
      clock,
      bus,
      log,
      coins: () => bus.latest(instruments)?.message.rows.map(({ coin }) => coin),
      settings,
    });
    const whales = createWhaleReader({
      clock,
      bus,
      shelf,
      jobs,
      folder: storePath,
      venue: primaryVenue.id,
      recordedSinceMs: async () =>
        Math.max((await ledger.recordedSinceMs()) ?? clock.now(), clock.now() - retentionDays * DAY_MS),
    });
    const tape = createTapeReader({ shelf: ticks, bus });
    const coverage = createTapeCoverage({
      clock,
      bus,
      ledger,
      venue: primaryVenue.id,
      retentionDays,
      isRecorded,
    });
    const rotations = await Rotations.start({
      clock,
      bus,
      log,
      shelf: new RotationShelf(store),
      ticks,
      tape,
      coverage,
      jobs: builds,
      folder: storePath,
      venue: primaryVenue.id,
      tickAt,
    });
    stops.push(() => rotations.stop());
    const api = await createApi({
      clock,
      bus,
      store,
      whales,
      tape,
      coverage,
      rotations,
      keys: keys.ring,
      keyDesk: keys.ring,
      histories,
      liquidations: liquidations.reader,
      flowHistory: flows.history,
      flowCoins,
      retentionDays,
      jobs,
      venues: catalog,
      publishers,
      primaryVenue: primaryVenue.id,
      upstream: upstream.mode,
      settings,
      log,
      streams,
      version,
    });
    stops.push(() => api.close());
    await listen(api.server, settings);
    return { url: addressOf(api.server, settings.host), upstream: upstream.mode, storePath, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Those with ETFs are told of together with these, so they are always among them. */
function followedCoins(list: string): readonly string[] {
  return [...new Set(['BTC', 'ETH', ...list.split(',')])];
}

function recordedCoins(list: string): (coin: string) => boolean {
  if (list === 'all') return () => true;
  const wanted = new Set(list.split(',').map((coin) => coin.trim().toLowerCase()));
  // A bare coin also means its thousandfold contract: PEPE is kPEPE.
  return (coin) =>
    wanted.has(coin.toLowerCase()) || wanted.has(coin.replace(/^k(?=[A-Z])/, '').toLowerCase());
}

type Server = Awaited<ReturnType<typeof createApi>>['server'];

function listen(server: Server, { port, host }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
