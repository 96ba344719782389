import type { Trade } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { isPolledByOne } from '../../ingest/venue-pollers.ts';
import { PRIMARY_GROUP } from '../group-name.ts';
import { type BusGroup, IngestBus } from '../ingest-bus.ts';
import { isOfMarkets } from '../joined-topics.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { Lease } from '../lease.ts';
import { Fenced } from '../redis.ts';
import { logIfSlow } from '../../platform/slow-step.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { migrateTape } from '../../store/migrate-tape.ts';
import { placeOf } from '../open-place.ts';
import { sharedMark } from '../../seeding/unfinished-history.ts';
import { RedisStore } from '../redis-store.ts';
import { StandbyStore } from '../standby-store.ts';
import {
  gapTopic,
  liquidationTopic,
  printTopic,
  recordedMarketsTopic,
  seedingTopic,
  snapshotTopic,
  tradeTopic,
  usdRatesTopic,
  venuePrintTopic,
} from '../../topics.ts';
import type { Upstream } from '../../upstream.ts';
import { publishersOfGroup } from '../../roles/configured-publishers.ts';
import { startParts, type Started } from '../../roles/role-dependencies.ts';
import { startIngest } from '../../roles/ingest.ts';
import { startMarketIngest } from '../../roles/market-ingest.ts';
import type { Settings } from '../../settings/settings.ts';
import { hasPrimaryVenue, readVenues } from '../../settings/venues-setting.ts';
import {
  busPrefix,
  leasePrefix,
  processName,
  type SharedParts,
  storePrefix,
  publishUpstream,
} from './shared-parts.ts';
import { replaceGroup, type VenueGroup, wholeGroup } from '../venue-groups.ts';
import { restartOnLeaseLoss } from './lease-terms.ts';

/** Delay between attempts to become leader while Redis fails. */
const RETRY_MS = 500;
/** How often the leader writes which market the server has. */
const PUBLISH_UPSTREAM_EVERY_MS = 1_000;

export interface SharedIngestOptions extends SharedParts {
  readonly upstream: Upstream;
  readonly jobs: JobRunner;
  readonly builds: JobRunner;
}

export interface SharedIngest extends Started {
  /** Whether this ingester publishes and records. */
  readonly isLeading: boolean;
  readonly bus: IngestBus;
}

const tradePrefix = tradeTopic('').name;
const gapPrefix = gapTopic('').name;

/**
 * Whether only the leading ingester produces the topic: the tape, what is derived from it, and sources that only one
 * process may poll.
 */
function copiedTopics({ settings }: SharedParts): (topic: string) => boolean {
  const asked = publishersOfGroup(settings).flatMap(({ id, connector }) =>
    (connector?.resources ?? [])
      .filter(isPolledByOne)
      .flatMap(({ gives }) => gives.map((table) => snapshotTopic(id, table).name)),
  );
  const copied = new Set([printTopic.name, venuePrintTopic.name, recordedMarketsTopic.name, ...asked]);
  // A new leader must know the gaps that another has reported.
  return (topic) => topic.startsWith(tradePrefix) || topic.startsWith(gapPrefix) || copied.has(topic);
}

/** The group of ingesters that this one belongs to. */
export function groupOf(settings: Pick<Settings, 'venues'>): VenueGroup {
  const venues = readVenues(settings);
  if (!venues) return wholeGroup;
  return { name: hasPrimaryVenue(settings) ? PRIMARY_GROUP : venues.join('+'), venues };
}

/** The topics that a secondary group publishes, and those it reads from the primary one. */
function busGroupOf(settings: Settings): BusGroup | undefined {
  const { name } = groupOf(settings);
  if (name === PRIMARY_GROUP) return undefined;
  const ids = [primaryVenue.id, ...publishersOfGroup(settings).map(({ id }) => id)];
  const taken = new Set([
    snapshotTopic(primaryVenue.id, 'instruments').name,
    ...ids.map((id) => snapshotTopic(id, 'openInterest').name),
    usdRatesTopic.name,
    seedingTopic.name,
    liquidationTopic.name,
  ]);
  const isTaken = (topic: string): boolean => taken.has(topic);
  return { name, isSent: isOfMarkets, isTaken, takenLog: liquidationTopic.name };
}

/**
 * One of several ingesters: all connect to the venues, one publishes and records. After losing its lease an ingester
 * drops its state and restarts as a standby.
 */
export async function keepIngesting(options: SharedIngestOptions): Promise<SharedIngest> {
  const shifts = await restartOnLeaseLoss((onLost) => startTerm(options, onLost), options.log);
  return {
    get isLeading() {
      return shifts.shift.isLeading();
    },
    get bus() {
      return shifts.shift.bus;
    },
    stop: () => shifts.stop(),
  };
}

interface Shift extends Started {
  readonly bus: IngestBus;
  isLeading(): boolean;
}

/** Runs from the start as a standby until the lease is lost. */
function startTerm(options: SharedIngestOptions, onLost: () => void): Promise<Shift> {
  return startParts(async (stops) => {
    const { settings, clock, log, link, connect, url, upstream } = options;
    const group = groupOf(settings);
    const isPrimary = group.name === PRIMARY_GROUP;
    let token: number | undefined;
    let replaced: readonly string[] = [];
    let isLeading = false;
    let lease: Lease | undefined;
    let resolveLed: () => void = () => undefined;
    const led = new Promise<void>((resolve) => {
      resolveLed = resolve;
    });
    const prefix = storePrefix(upstream);
    const opened = IngestBus.open({
      clock,
      log,
      prefix: busPrefix(upstream),
      link,
      connect,
      isCopied: copiedTopics(options),
      group: busGroupOf(settings),
      onLost: (messages) =>
        log.error({ messages }, 'too many messages waited for the server; streams miss them'),
      onFenced: () => lease?.lose(),
    });
    const bus = await logIfSlow('the bus on Redis', opened, { log });
    stops.add(() => bus.stop());
    const shared = new RedisStore({
      link,
      prefix,
      token: () => token,
      group: group.name,
      onWiped: () => {
        if (isLeading) log.error({}, 'Redis lost the recorded data; recording starts from empty');
        lease?.lose();
      },
    });
    const store = new StandbyStore({
      store: shared,
      clock,
      published: () => bus.flushed(),
    });
    const prefixes = {
      leasePrefix: leasePrefix(upstream),
      busPrefix: busPrefix(upstream),
      storePrefix: prefix,
    };
    const lead = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted && token !== undefined) {
        try {
          for (const name of replaced) await replaceGroup(name, { ...prefixes, link, token });
          await bus.lead(token);
          await store.lead();
          if (isPrimary) await migrateTape(shared);
          isLeading = true;
          resolveLed();
          const venues = readVenues(settings);
          log.info({ token, ...(venues && { venues }) }, 'this ingester is now the leader');
          return;
        } catch (error) {
          if (error instanceof Fenced) return lease?.lose();
          log.warn({ err: error }, 'cannot take over as leader yet');
          await new Promise<void>((resolve) => void systemClock.after(RETRY_MS, resolve));
        }
      }
    };
    const gained = new Promise<void>((resolve) => {
      lease = new Lease({
        link,
        prefix: leasePrefix(upstream),
        holder: processName(),
        log,
        group,
        onGained: (given, others) => {
          token = given;
          replaced = others;
          resolve();
        },
        onLost: () => {
          isLeading = false;
          onLost();
        },
      });
    });
    stops.add(() => lease?.stop());
    const publishing = systemClock.every(PUBLISH_UPSTREAM_EVERY_MS, () => {
      // A server that was wiped or replaced does not have it, and no gateway could start.
      if (isLeading)
        publishUpstream(options, upstream).catch((error: unknown) =>
          log.debug({ err: error }, 'the upstream cannot be written'),
        );
    });
    stops.add(() => publishing.cancel());
    const start = isPrimary ? startIngest : startMarketIngest;
    const ingest = await start({
      ...options,
      bus,
      store,
      get folder() {
        return placeOf({ url, prefix, ...(token !== undefined && { token }), group: group.name });
      },
      turn: {
        pastMark: sharedMark(shared),
        led,
        async acquired(signal) {
          if (token === undefined) log.info({}, 'this ingester is on standby');
          await Promise.race([gained, aborted(signal)]);
          await lead(signal);
          // Already replaced by another leader: do not start, wait for the end.
          if (!isLeading) await aborted(signal);
        },
        *trades() {
          for (const { topic, log: own } of bus.logs()) {
            if (!topic.name.startsWith(tradePrefix)) continue;
            // Recorders of secondary markets resume by themselves.
            const oldest = own.at(own.start) as Trade | undefined;
            if (oldest?.venue === primaryVenue.id) yield own.since(0) as readonly Trade[];
          }
        },
        prints: () => bus.log(printTopic).since(0),
      },
    });
    stops.add(() => ingest.stop());
    return { bus, isLeading: () => isLeading };
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
