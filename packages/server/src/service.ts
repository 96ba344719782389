import { join } from 'node:path';
import { type Clock, DAY_MS, type Random } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import type { Bus } from './platform/bus.ts';
import { LocalBus } from './platform/local-bus.ts';
import type { Log } from './platform/log.ts';
import { systemRandom } from './platform/random.ts';
import { systemClock } from './platform/system-clock.ts';
import type { SystemMemory } from './platform/system-memory.ts';
import { ThreadGatewayBus } from './platform/thread-gateway-bus.ts';
import { logIfSlow } from './platform/slow-step.ts';
import { startThreadJobs } from './platform/thread-jobs.ts';
import type { UpstreamMode } from './platform/upstream-mode.ts';
import { configuredPublishers } from './roles/configured-publishers.ts';
import { followIngestClock } from './roles/follow-ingest-clock.ts';
import { startGateway } from './roles/gateway.ts';
import { startParts, type Stops } from './roles/role-dependencies.ts';
import { startIngest } from './roles/ingest.ts';
import { startIngestThread } from './roles/ingest-thread.ts';
import { markStaleWhenBusSilent } from './roles/mark-stale-when-bus-silent.ts';
import type { Settings } from './settings/settings.ts';
import { clearUnfinished, openDataFolder } from './store/data-folder.ts';
import { bindArchive } from './features/archive/bind-archive.ts';
import { LakeFolder } from './features/lake/lake-folder.ts';
import { FileBlobs } from './store/file-blobs.ts';
import { lockFolder } from './store/folder-lock.ts';
import { forgetOldResults } from './store/forget-old-results.ts';
import { openKeys } from './features/keys/open-keys.ts';
import { keepMemorySmall } from './store/keep-memory-small.ts';
import { STORE_FILE } from './store/lmdb-store.ts';
import { openLmdb } from './store/open-lmdb.ts';
import { chooseUpstream, settingsFor } from './upstream.ts';

/** Builds that run at a time, in the background of everything else. */
const BUILD_THREADS = 2;
/** In the folder of the tape. */
const RESULTS_FOLDER = 'results';
const LAKE_FOLDER = 'lake';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly isProduction?: boolean;
  /** Default: the system's. Another thread cannot follow a clock that is given here, so the venues are then read inline. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: threads of this process. The ingest thread starts its own in any case. */
  readonly startJobs?: typeof startThreadJobs;
  /** Ends a start that waits for others; once the service has started it changes nothing. */
  readonly signal?: AbortSignal;
  /** The ingest thread crashed; it is replaced. */
  readonly onThreadCrash?: (error: unknown) => void;
  /** Through which memory that is free goes back to the system; absent where it stays. */
  readonly memory?: SystemMemory;
}

export interface Service {
  readonly url: string;
  readonly upstream: UpstreamMode;
  readonly storePath: string;
  /** Ends streams with a message, finishes what is under way, writes what is pending, and releases everything. */
  stop(): Promise<void>;
}

/** Assembles the roles that this process has. What is started last is stopped first. */
export function startService(options: ServiceOptions): Promise<Service> {
  const { settings, isProduction = false, clock = systemClock, random = systemRandom() } = options;
  const { startJobs = startThreadJobs } = options;
  const { redis: url } = settings;
  return startParts(async (stops) => {
    if (url !== undefined && settings.archive !== 'off')
      throw new Error('ARCHIVE works with the embedded store only, and REDIS_URL is set');
    if (url === undefined) return startEmbedded(options, stops);
    // Loaded here: the clients of Redis take memory in every thread that does not need them.
    const { startShared } = await import('./cluster/roles/shared-roles.ts');
    const { memory, log } = options;
    if (memory) stops.add(keepMemorySmall({ memory, clock, log }));
    const isThreaded = options.clock === undefined;
    return startShared({ ...options, isProduction, clock, random, startJobs, url, isThreaded }, stops);
  });
}

/** Every role in one process, on its own folder. */
async function startEmbedded(options: ServiceOptions, stops: Stops): Promise<Omit<Service, 'stop'>> {
  const { log, isProduction = false, clock: real = systemClock, random = systemRandom() } = options;
  const { startJobs = startThreadJobs } = options;
  const { stop, replay, ...upstream } = await chooseUpstream({
    settings: options.settings,
    primary: primaryVenue,
    isProduction,
    log,
    clock: real,
    signal: options.signal,
  });
  stops.add(stop);
  const settings = settingsFor(upstream, options.settings);
  const clock = replay?.clock ?? real;
  const folder = await openDataFolder(settings.data, upstream.tenant);
  const lock = await lockFolder(folder);
  stops.add(() => lock.release());
  await clearUnfinished(folder);
  const results = await FileBlobs.open({ folder: join(folder, RESULTS_FOLDER) });
  const lakeFolder = await LakeFolder.open(join(folder, LAKE_FOLDER), settings.lakeCacheMb * 2 ** 20);
  const makeRoom = async (bytes: number): Promise<void> => {
    await lakeFolder.free(bytes);
    await results.free(bytes);
  };
  const opened = openLmdb(folder, {
    makeRoom,
    onMigrated: (rows) => log.info({ rows, folder }, 'the record was brought to format version 2'),
  });
  const store = await logIfSlow(`the store in ${folder}`, opened, { log });
  stops.add(() => store.close());
  const { memory } = options;
  // Stopped before the store is closed.
  if (memory) stops.add(keepMemorySmall({ memory, clock: real, log, storeFile: join(folder, STORE_FILE) }));
  await forgetOldResults(store).catch((error: unknown) =>
    log.warn({ err: error }, 'results that an earlier version stored beside the tape cannot be removed'),
  );
  const keptFromMs = clock.now() - settings.retentionDays * DAY_MS;
  const archive = await logIfSlow('the archive', bindArchive(store, settings, keptFromMs), { log });
  const keys = await openKeys({ data: settings.data, clock: real, log, writer: upstream.tenant });
  stops.add(() => keys.close());
  const jobs = startJobs();
  stops.add(() => jobs.stop());
  const builds = startJobs({ threadsMax: BUILD_THREADS, isBackground: true });
  stops.add(() => builds.stop());

  const dependencies = { settings, clock, random, log, store, folder, jobs, builds };
  const bus =
    // A clock cannot be sent to a thread.
    options.clock === undefined && !replay
      ? await ingestInThread({ ...dependencies, upstream, makeRoom, onCrash: options.onThreadCrash }, stops)
      : await ingestInline({ ...dependencies, upstream, ...(replay && { begin: replay.begin }) }, stops);
  const gateway = await startGateway({
    ...dependencies,
    bus,
    results,
    lakeFolder,
    archive,
    upstream: upstream.mode,
    keys: keys.ring,
  });
  stops.add(() => gateway.stop());
  return { url: gateway.url, upstream: upstream.mode, storePath: folder };
}

type IngestParts = Omit<Parameters<typeof startIngest>[0], 'bus'>;

async function ingestInThread(
  parts: IngestParts & {
    readonly makeRoom: (bytes: number) => Promise<void>;
    readonly onCrash: ((error: unknown) => void) | undefined;
  },
  stops: Stops,
): Promise<Bus> {
  const { settings, clock, random, log, folder, upstream, makeRoom } = parts;
  const bus = new ThreadGatewayBus({ clock, log, isRecorded: settings.recordCoins === 'all' });
  stops.add(() => bus.stop());
  markStaleWhenBusSilent({ bus, log, publishers: configuredPublishers(settings) });
  stops.add(followIngestClock(clock, bus));
  const order = { settings, upstream };
  const thread = await startIngestThread({
    order,
    log,
    random,
    ...(parts.onCrash && { onCrash: parts.onCrash }),
    embedded: { folder, bus, makeRoom },
  });
  stops.add(() => thread.stop());
  return bus;
}

async function ingestInline(parts: IngestParts, stops: Stops): Promise<Bus> {
  const bus = new LocalBus(parts.clock, undefined, { isRecorded: parts.settings.recordCoins === 'all' });
  const ingest = await startIngest({ ...parts, bus });
  stops.add(() => ingest.stop());
  return bus;
}
