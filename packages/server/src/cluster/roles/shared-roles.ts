import type { Clock, Random } from '@crosstape/core';
import { primaryVenue, sourceTerms } from '@crosstape/venues';
import { roleMetricsPage } from '../../features/sources/metrics.ts';
import { healthzPage, readyzPage } from '../../features/sources/pages.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { startQueueWorker } from '../queue-jobs.ts';
import type { startThreadJobs } from '../../platform/thread-jobs.ts';
import type { UpstreamMode } from '../../platform/upstream-mode.ts';
import type { Settings } from '../../settings/settings.ts';
import { hasPrimaryVenue, readVenues } from '../../settings/venues-setting.ts';
import { placeOf } from '../open-place.ts';
import { RedisStore } from '../redis-store.ts';
import { chooseUpstream, settingsFor, type Upstream } from '../../upstream.ts';
import { version } from '../../platform/product.ts';
import { publishersOfGroup } from '../../roles/configured-publishers.ts';
import { startParts, type Stops } from '../../roles/role-dependencies.ts';
import { startIngestThread } from '../../roles/ingest-thread.ts';
import { startSharedGateway } from './shared-gateway.ts';
import { groupOf, keepIngesting, type SharedIngest } from './shared-ingest.ts';
import {
  fetchUpstream,
  buildsPrefix,
  connectParts,
  leasePrefix,
  type SharedParts,
  type SharedUpstream,
  storePrefix,
  publishUpstream,
} from './shared-parts.ts';
import { venuesFree } from '../venue-groups.ts';
import { startPatiently } from './start-patiently.ts';
import { startStatusServer } from './status-server.ts';

const BUILD_THREADS = 2;

export interface SharedOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly isProduction: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly startJobs: typeof startThreadJobs;
  /** URL of the server. */
  readonly url: string;
  /** Whether the ingest role runs in its own thread when this process is also a gateway. */
  readonly isThreaded: boolean;
  /** Aborts a start that waits for other processes. */
  readonly signal?: AbortSignal;
}

export interface SharedService {
  readonly url: string;
  readonly upstream: UpstreamMode;
  readonly storePath: string;
}

/** The roles of one of several processes, which share their state through a server. */
export async function startShared(options: SharedOptions, stops: Stops): Promise<SharedService> {
  const parts = await connectParts(options, stops);
  try {
    const started = await startPatiently(() => startParts((own) => startRoles(options, parts, own)), {
      log: options.log,
      signal: options.signal,
    });
    stops.add(() => started.stop());
    return started;
  } finally {
    // A started service is stopped in order instead.
    options.signal?.removeEventListener('abort', parts.giveUp);
  }
}

async function startRoles(options: SharedOptions, linked: SharedParts, stops: Stops): Promise<SharedService> {
  const { startJobs } = options;
  const { role } = options.settings;
  const jobs = startJobs();
  stops.add(() => jobs.stop());
  const builds = startJobs({ threadsMax: BUILD_THREADS, isBackground: true });
  stops.add(() => builds.stop());
  const isIngester = role === 'ingest' || role === 'all';
  const found = isIngester ? await findVenues(options, linked, stops) : undefined;
  const upstream: SharedUpstream = found ?? (await fetchUpstream(linked, options.signal));
  const settings = settingsFor(upstream, options.settings);
  const parts = { ...linked, settings };
  if (found) {
    const group = groupOf(settings);
    await venuesFree(group, { ...parts, prefix: leasePrefix(found), signal: options.signal });
  }
  const isApart = options.isThreaded && role === 'all';
  if (found && isApart) {
    const thread = await startIngestThread({ ...options, order: { settings, upstream: found } });
    stops.add(() => thread.stop());
  }
  const ingest = isApart
    ? undefined
    : found && (await keepIngesting({ ...parts, upstream: found, jobs, builds }));
  if (ingest) stops.add(() => ingest.stop());
  if (role === 'build' || role === 'all') {
    const place = placeOf({ url: options.url, prefix: storePrefix(upstream) });
    const worker = startQueueWorker({
      ...parts,
      prefix: buildsPrefix(upstream),
      jobs: builds,
      jobsMax: BUILD_THREADS,
      // A job over only the newest trades needs no store.
      complete: (order) => ('folder' in order ? { ...order, folder: place } : order),
    });
    stops.add(() => worker.stop());
  }
  const described = { upstream: upstream.mode, storePath: `${new URL(options.url).host} ${upstream.tenant}` };
  if (role === 'gateway' || role === 'all') {
    const gateway = await startSharedGateway({ ...parts, upstream, jobs });
    stops.add(() => gateway.stop());
    return { url: gateway.url, ...described };
  }
  const status = await startStatusServer(statusPages({ ...parts, upstream }, ingest), settings, options.log);
  stops.add(() => status.stop());
  return { url: status.url, ...described };
}

async function findVenues(
  { settings, isProduction, log, signal }: SharedOptions,
  parts: SharedParts,
  stops: Stops,
): Promise<Upstream> {
  const { stop, replay, ...upstream } = await chooseUpstream({
    settings,
    primary: primaryVenue,
    isProduction,
    log,
    signal,
  });
  stops.add(stop);
  // A replay has its own clock, which is local to the process.
  if (replay) throw new Error('a replay runs in one process: start it without --redis');
  await publishUpstream(parts, upstream);
  return upstream;
}

function statusPages(
  { clock, link, upstream, settings }: SharedParts & { readonly upstream: SharedUpstream },
  ingest: SharedIngest | undefined,
): Parameters<typeof startStatusServer>[0] {
  const { role } = settings;
  // The ingester gets a new bus when it restarts.
  const bus: Pick<Bus, 'latest'> | undefined = ingest && { latest: (topic) => ingest.bus.latest(topic) };
  const options = {
    clock,
    bus,
    store: new RedisStore({ link, prefix: storePrefix(upstream) }),
    primaryVenue: primaryVenue.id,
    upstream: upstream.mode,
    version,
    startedAtMs: clock.now(),
    role,
    ...(ingest && { isLeading: () => ingest.isLeading }),
    groupVenues: readVenues(settings),
    ...(!hasPrimaryVenue(settings) && { recordedVenues: publishersOfGroup(settings).map(({ id }) => id) }),
  };
  const publishers = publishersOfGroup(settings);
  return [
    healthzPage({ ...options, publishers, sources: sourceTerms }),
    readyzPage(options),
    roleMetricsPage({ ...options, publishers }),
  ];
}
