import type { AddressInfo } from 'node:net';
import { DAY_MS } from '@crosstape/core';
import {
  aggregatedVenues,
  catalog,
  liquidationAggregator,
  marketVenues,
  primaryVenue,
  sourceTerms,
  tickAt,
} from '@crosstape/venues';
import { Archive } from '../features/archive/archive.ts';
import { ArchiveReader, lostDays } from '../features/archive/archive-reader.ts';
import { withArchive } from '../features/archive/archived-store.ts';
import type { BoundArchive } from '../features/archive/bind-archive.ts';
import { DamageList } from '../features/archive/damage-list.ts';
import { createCandleReader } from '../features/candles/candle-reader.ts';
import { AuditTable } from '../features/audit/audit-table.ts';
import { DayResults } from '../features/audit/day-results.ts';
import { RepairedTable } from '../features/audit/repaired-table.ts';
import { createFlowHistoryReader } from '../features/flows/print-flow-history.ts';
import { packageIndexPages } from '../features/python/package-index.ts';
import { LiquidationHourTable } from '../features/liquidations/hour-table.ts';
import { LiquidationEvents } from '../features/liquidations/liquidation-events.ts';
import { openLiquidations } from '../features/liquidations/liquidation-reader.ts';
import { Lake } from '../features/lake/lake.ts';
import type { LakeFolder } from '../features/lake/lake-folder.ts';
import { lakeMarkets } from '../features/lake/lake-markets.ts';
import { lakePages } from '../features/lake/lake-page.ts';
import { createMarketReader, type MarketReader } from '../features/market-tape/market-reader.ts';
import { createRateHistory } from '../features/rates/rate-history.ts';
import { createTapeCoverage } from '../features/tape/tape-coverage.ts';
import { createTapeReader } from '../features/tape/tape-reader.ts';
import { createWhaleReader } from '../features/whales/whales.ts';
import { type ApiOptions, createApi } from '../api/api.ts';
import { readDashboard } from '../dashboard.ts';
import { docsPages } from '../docs/docs-pages.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { ShareQuota } from '../platform/quota.ts';
import { sourcePrefix, type UpstreamMode } from '../platform/upstream-mode.ts';
import type { BuildCoordinator } from '../features/rotations/build-coordinator.ts';
import { Rotations } from '../features/rotations/rotations.ts';
import type { Settings } from '../settings/settings.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { GapLedger } from '../features/tape/gap-ledger.ts';
import { OptionLevelsTable } from '../features/options/option-levels.ts';
import { OptionTradeTable } from '../features/options/trades/option-trade-table.ts';
import { DepthTable } from '../features/orderbook/depth/depth-table.ts';
import { HistoryTable } from '../features/perps/history-table.ts';
import { SampleLedger } from '../features/perps/samples/sample-ledger.ts';
import { QuestionPriceTable } from '../features/prediction/question-prices.ts';
import type { KeyRing } from '../features/keys/key-ring.ts';
import { LiquidationTable } from '../features/liquidations/liquidation-table.ts';
import { RotationTable } from '../features/rotations/rotation-table.ts';
import { TableBlobs } from '../store/table-blobs.ts';
import { TickTable } from '../features/tape/tick-table.ts';
import { VENUE_WHALES, WhaleTable } from '../features/whales/whale-table.ts';
import { snapshotTopic } from '../topics.ts';
import { version } from '../platform/product.ts';
import { configuredFlowCoins, configuredPublishers } from './configured-publishers.ts';
import { type RoleDependencies, startParts, type Started } from './role-dependencies.ts';
import { createStreams } from '../api/create-streams.ts';
import type { SlotSharing } from '../gateway/connection-slots.ts';

const SHARED_FOLDER = 'shared';

export interface GatewayDependencies extends RoleDependencies {
  readonly upstream: UpstreamMode;
  /** Where results of builds are stored; default: in the shared store. */
  readonly results?: BlobStore;
  /** Where bars are built. */
  readonly builds: JobRunner;
  readonly keys: KeyRing;
  /** Folder of the lake files; without it there is no lake. */
  readonly lakeFolder?: LakeFolder;
  /** Where sealed days are kept for good. */
  readonly archive?: BoundArchive | undefined;
  /** With several gateways: coordinates builds. */
  readonly coordinator?: BuildCoordinator;
  readonly shareQuota?: ShareQuota;
  readonly shareSlots?: SlotSharing;
  /** The groups of ingesters, where there may be several. */
  readonly ingesters?: ApiOptions['ingesters'];
}

export interface StartedGateway extends Started {
  readonly url: string;
}

/** Serves published and recorded data: requests, streams and sockets. */
export function startGateway(dependencies: GatewayDependencies): Promise<StartedGateway> {
  return startParts(async (stops) => {
    const { settings, clock, bus, log, store, folder, jobs, builds, keys, upstream } = dependencies;
    const { recordCoins } = settings;
    const venue = primaryVenue.id;
    const { archive: bound } = dependencies;
    // With an archive the tape is never too old.
    const retentionDays = bound ? Number.POSITIVE_INFINITY : settings.retentionDays;
    const damages = new DamageList(folder);
    const lost = bound && ((prefix: string) => lostDays(store, damages, prefix));
    const tapeStore = bound ? withArchive(store, bound.catalog, bound.place) : store;
    const ticks = new TickTable(tapeStore);
    const ledger = new GapLedger(store);
    const instruments = snapshotTopic(venue, 'instruments');
    const whales = createWhaleReader({
      clock,
      bus,
      table: new WhaleTable(store),
      venueTable: new WhaleTable(store, VENUE_WHALES),
      jobs,
      folder,
      venue,
      recordedSinceMs: async () =>
        Math.max(
          (await ledger.recordedSinceMs()) ?? clock.now(),
          clock.now() - settings.retentionDays * DAY_MS,
        ),
    });
    const tape = createTapeReader({ table: ticks, bus });
    const coverage = createTapeCoverage({
      clock,
      bus,
      ledger,
      venue,
      retentionDays,
      recordCoins,
      lost: lost?.(venue),
    });
    const markets = createMarketReader({
      store: tapeStore,
      bus,
      clock,
      retentionDays,
      ...(lost && { lost }),
      venues: marketVenues,
      primary: { ticks, tape, coverage },
    });
    const streams = createStreams({
      clock,
      bus,
      log,
      coins: () => bus.latest(instruments)?.message.rows.map(({ coin }) => coin),
      primaryVenue: venue,
      record: { clock, bus, tape, coverage, whales, markets, primaryVenue: venue },
      settings,
    });
    const rotations = await Rotations.start({
      clock,
      bus,
      log,
      table: new RotationTable(store, dependencies.results ?? new TableBlobs(store)),
      ticks,
      tape,
      coverage,
      markets,
      jobs: builds,
      // A builder on another machine knows itself where the store is.
      folder: dependencies.coordinator ? SHARED_FOLDER : folder,
      venue,
      tickAt,
      ...(dependencies.coordinator && { coordinator: dependencies.coordinator }),
    });
    stops.add(() => rotations.stop());
    const liquidations = await openLiquidations({
      clock,
      bus,
      log,
      table: new LiquidationTable(store),
      ...(settings.coinalyzeKey !== undefined && {
        aggregator: { id: liquidationAggregator.id, venues: aggregatedVenues },
      }),
    });
    const { lakeFolder } = dependencies;
    const archive = bound && (await openArchiveFor(dependencies, { ...bound, damages }, markets));
    stops.add(async () => archive?.stop());
    const archived = archive && bound && new ArchiveReader(archive, bound.place, damages);
    const lake = lakeFolder && openLake(dependencies, lakeFolder, markets, archived);
    stops.add(async () => lake?.stop());
    const dashboard = await readDashboard({ upstream });
    const api = await createApi({
      clock,
      bus,
      store,
      whales,
      tape,
      coverage,
      markets,
      candles: createCandleReader({ store, bus }),
      rates: createRateHistory({ store, bus }),
      rotations,
      keys,
      keyIssuer: keys,
      histories: new HistoryTable(store),
      optionLevels: new OptionLevelsTable(store),
      optionTrades: new OptionTradeTable(store),
      samples: new SampleLedger(store, log),
      bookDepths: new DepthTable(store, log),
      questionPrices: new QuestionPriceTable(store),
      reconciliations: new DayResults(folder, { clock, log }),
      audits: new AuditTable(store),
      liquidations,
      liquidationEvents: new LiquidationEvents(store),
      liquidationHours: new LiquidationHourTable(store),
      flowHistory: createFlowHistoryReader({ jobs, folder, prefix: sourcePrefix(upstream) }),
      flowCoins: configuredFlowCoins(settings),
      retentionDays: settings.retentionDays,
      candleDays: settings.candleDays,
      ...(archive && { archiveHealth: () => archive.health }),
      lake,
      jobs,
      venues: catalog,
      publishers: configuredPublishers(settings),
      sources: sourceTerms,
      primaryVenue: venue,
      upstream,
      settings,
      log,
      shareQuota: dependencies.shareQuota,
      shareSlots: dependencies.shareSlots,
      ingesters: dependencies.ingesters,
      streams,
      pages: [
        ...dashboard.pages,
        ...docsPages(upstream),
        ...(await packageIndexPages()),
        ...(lake ? lakePages(lake) : []),
      ],
      lost: dashboard.lost,
      version,
    });
    stops.add(() => api.close());
    await listen(api.server, settings);
    return { url: addressOf(api.server, settings.host) };
  });
}

function openLake(
  { settings, clock, bus, log, folder: place, builds, store, upstream }: GatewayDependencies,
  folder: LakeFolder,
  markets: MarketReader,
  archive: ArchiveReader | undefined,
): Lake {
  const { retentionDays } = settings;
  const prefix = sourcePrefix(upstream);
  const venue = primaryVenue.id;
  return new Lake({
    clock,
    bus,
    log,
    jobs: builds,
    place,
    folder,
    markets,
    repairs: new RepairedTable(store),
    primaryVenue: venue,
    retentionDays,
    prefix,
    archive,
  });
}

async function openArchiveFor(
  { clock, bus, log, builds, store, folder, upstream }: GatewayDependencies,
  bound: BoundArchive & { readonly damages: DamageList },
  markets: MarketReader,
): Promise<Archive> {
  const archive = await Archive.open({
    ...bound,
    clock,
    bus,
    log,
    jobs: builds,
    store,
    folder,
    markets: () => lakeMarkets(markets, primaryVenue.id),
    primaryVenue: primaryVenue.id,
    prefix: sourcePrefix(upstream),
  });
  archive.start();
  return archive;
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
