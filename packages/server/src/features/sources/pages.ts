import type { Clock } from '@crosstape/core';
import { healthOf } from '../../health/failing-source.ts';
import type { Bus } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import { wasSetBack } from '../../platform/set-back.ts';
import type { ArchiveHealth } from '../archive/archive.ts';
import type { Rotations } from '../rotations/rotations.ts';
import type { UpstreamMode } from '../../platform/upstream-mode.ts';
import type { Store } from '../../store/store.ts';
import {
  auditStateTopic,
  backfillTopic,
  clockTopic,
  healthTopic,
  recorderHealthTopic,
  seedingTopic,
} from '../../topics.ts';
import { JSON_TYPE } from '../../http/answer-cache.ts';
import { COLD_WAIT_MS, sourceLabel } from '../../http/request-context.ts';
import { failingPublishers, type PublisherNames } from './failing-publishers.ts';
import { tradeFeedProblem } from '../tape/trade-feed-health.ts';
import { GATEWAY_PATH, type Page, type PageReply } from '../../http/route.ts';
import { failureBody } from '../../http/write.ts';

/** The store is checked at most this often, however often it is requested. */
const PROBE_REUSE_MS = 1_000;
const UPGRADE_REQUIRED = 426;
/** The feed of the trades of other venues' markets. */
const MARKET_TRADES = 'market-trades';
/** A feed that has never delivered for longer than this has failed; before, it is starting. */
const FEED_START_MS = 60_000;

export interface HealthOptions {
  readonly clock: Clock;
  /** Absent in a process without connections. */
  readonly bus: Pick<Bus, 'latest'> | undefined;
  readonly store: Pick<Store, 'probe'>;
  readonly primaryVenue: string;
  readonly upstream: UpstreamMode;
  readonly version: string;
  readonly startedAtMs: number;
  /** The role of this process; default: all. */
  readonly role?: string;
  /** For a process that accepts builds. */
  readonly rotations?: Pick<Rotations, 'isFull'>;
  /** If there is an archive. */
  readonly archiveHealth?: () => ArchiveHealth;
  /** With several ingesters: whether this one publishes. */
  readonly isLeading?: () => boolean;
  /** If ingesters split the venues: those whose markets this one records. */
  readonly groupVenues?: readonly string[] | undefined;
  /** For an ingester without the primary venue: ids of its venues' publishers, whose trade feeds it needs. */
  readonly recordedVenues?: readonly string[] | undefined;
  /** For a gateway: the groups of ingesters, if there are several. */
  readonly ingesters?: (() => readonly IngesterGroup[]) | undefined;
}

/** Ingesters that record the same venues; silent: nothing is received from their leader, or they have none. */
export interface IngesterGroup {
  readonly venues: readonly string[];
  readonly status: 'ok' | 'silent';
}

/**
 * Whether the process lives, whether the tape is written, and whose data are old or missing: a full disk stops the
 * record, and a dead venue its own figures, not the service.
 */
export function healthzPage(options: HealthOptions & PublisherNames): Page {
  const { clock, bus, upstream, version, startedAtMs, role = 'all', isLeading } = options;
  return {
    path: '/healthz',
    handle: () => {
      const recording = bus?.latest(recorderHealthTopic)?.message;
      const backfill = bus?.latest(backfillTopic)?.message;
      const clockState = bus?.latest(clockTopic)?.message;
      const uptimeMs = clock.now() - startedAtMs;
      const leading = isLeading && { leading: isLeading() };
      const ingesters = options.ingesters?.() ?? [];
      return json(200, {
        status: 'ok',
        role,
        ...leading,
        ...(options.groupVenues && { venues: options.groupVenues }),
        ...(ingesters.length > 0 && { ingesters }),
        upstream,
        version,
        uptimeMs,
        ...(recording && { recording }),
        ...(backfill && { backfill }),
        ...(options.archiveHealth && { archive: options.archiveHealth() }),
        ...(clockState && {
          clock: { status: clockState.isWrong ? 'wrong' : 'ok', skewMs: clockState.skewMs },
        }),
        ...(bus && { failing: failingPublishers(bus, options, clock.now()) }),
      });
    },
  };
}

/** For a plain request where only a WebSocket is served. */
export function gatewayPage({ clock, upstream }: Pick<HealthOptions, 'clock' | 'upstream'>): Page {
  const failure = new Failure(
    'bad_request',
    `${GATEWAY_PATH} is the address of a WebSocket; connect with one.`,
  );
  return {
    path: GATEWAY_PATH,
    handle: () => ({
      status: UPGRADE_REQUIRED,
      contentType: JSON_TYPE,
      body: failureBody(failure, {
        source: sourceLabel(upstream, ['crosstape']),
        nowMs: clock.now(),
      }).toString(),
      headers: ['Upgrade', 'websocket'],
    }),
  };
}

interface Check {
  readonly name: string;
  /** Why it fails. */
  readonly reason?: string | undefined;
  /** It has never passed since the start: the service is starting, and nothing has failed. */
  readonly isStarting: boolean;
  /** It is reported, but does not affect readiness. */
  readonly isAdvisory?: boolean;
  /** For an advisory check: the service is ready, but degraded. */
  readonly isDegrading?: boolean;
}

/**
 * Whether the service is ready: the store is usable, the primary trade feed is fresh, and the first-run history of a
 * simulated market is recorded. `starting` while nothing has failed, but something is not available yet.
 */
export function readyzPage(options: HealthOptions): Page {
  const { clock, bus, store, rotations, primaryVenue, startedAtMs, archiveHealth } = options;
  let probe: { readonly atMs: number; readonly problem: Promise<string | undefined> } | undefined;
  const storeProblem = (): Promise<string | undefined> => {
    const nowMs = clock.now();
    if (!probe || nowMs - probe.atMs >= PROBE_REUSE_MS || wasSetBack(probe.atMs, nowMs)) {
      probe = { atMs: nowMs, problem: probeStore(clock, store) };
    }
    return probe.problem;
  };
  const feedCheck = (from: Pick<Bus, 'latest'>): Check => {
    const feed = healthOf(from.latest(healthTopic(primaryVenue))?.message, 'trades');
    const nowMs = clock.now();
    return {
      name: `${primaryVenue} trades`,
      reason: tradeFeedProblem(feed, nowMs),
      isStarting: feed?.lastGoodMs === undefined && nowMs - startedAtMs < FEED_START_MS,
    };
  };
  const feedChecks = (from: Pick<Bus, 'latest'>): readonly Check[] =>
    options.recordedVenues
      ? [marketsCheck(from, options.recordedVenues, clock.now(), startedAtMs)]
      : [feedCheck(from)];
  return {
    path: '/readyz',
    async handle() {
      const checks: readonly Check[] = [
        { name: 'store', reason: await storeProblem(), isStarting: false },
        ...(bus ? [...feedChecks(bus), ...historyChecks(bus), ...auditChecks(bus)] : []),
        ...(rotations ? [buildsCheck(rotations)] : []),
        ...(archiveHealth ? [archiveCheck(archiveHealth())] : []),
      ];
      const failing = checks.filter(({ reason, isAdvisory }) => reason !== undefined && !isAdvisory);
      const isStarting = failing.length > 0 && failing.every((check) => check.isStarting);
      const isDegraded = checks.some(({ reason, isDegrading }) => reason !== undefined && isDegrading);
      const ready = isDegraded ? 'degraded' : 'ready';
      const status = failing.length === 0 ? ready : isStarting ? 'starting' : 'not ready';
      return json(failing.length === 0 ? 200 : 503, { status, checks: checks.map(checkOf) });
    },
  };
}

/** A single venue that is down does not matter; without any the ingester does nothing. */
function marketsCheck(
  bus: Pick<Bus, 'latest'>,
  venues: readonly string[],
  nowMs: number,
  startedAtMs: number,
): Check {
  const feeds = venues.map((venue) => healthOf(bus.latest(healthTopic(venue))?.message, MARKET_TRADES));
  const problems = feeds.map((feed) => tradeFeedProblem(feed, nowMs));
  const isStarting = feeds.every((feed) => feed?.lastGoodMs === undefined);
  return {
    name: `trades of ${venues.join(', ')}`,
    reason: problems.includes(undefined) ? undefined : problems[0],
    isStarting: isStarting && nowMs - startedAtMs < FEED_START_MS,
  };
}

/** A full queue takes no gateway out of service: everything but builds works. */
function buildsCheck({ isFull }: Pick<Rotations, 'isFull'>): Check {
  const reason = isFull ? 'The queue of builds is full; further ones are refused for now.' : undefined;
  return { name: 'builds', reason, isStarting: false, isAdvisory: true };
}

/** The store keeps days that cannot be archived, so the service still works. */
function archiveCheck({ status, error, waitingDays }: ArchiveHealth): Check {
  const days = waitingDays === 1 ? '1 day waits' : `${waitingDays} days wait`;
  const reason = status === 'ok' ? undefined : `${days} in the store to be archived: ${error}`;
  return { name: 'archive', reason, isStarting: false, isAdvisory: true };
}

/** None before the first recorded hour was compared with the venue's candles. */
function auditChecks(bus: Pick<Bus, 'latest'>): readonly Check[] {
  const state = bus.latest(auditStateTopic)?.message;
  if (!state) return [];
  const count = state.differing.length;
  const [newest] = state.differing;
  const reason =
    newest &&
    `${count} recorded ${count === 1 ? 'hour' : 'hours'} of the last day differ from the venue's candles, the newest of ${newest.market}; see /audit/summary.`;
  return [{ name: 'audit', reason, isStarting: false, isAdvisory: true, isDegrading: true }];
}

/** None where no history is created. */
function historyChecks(bus: Pick<Bus, 'latest'>): readonly Check[] {
  const seeding = bus.latest(seedingTopic)?.message;
  if (!seeding || seeding.isDone) return [];
  const percent = Math.floor(seeding.progress * 100);
  return [
    { name: 'history', reason: `The first-run history is being created: ${percent} %.`, isStarting: true },
  ];
}

function checkOf({ name, reason }: Check): object {
  return { name, ok: reason === undefined, ...(reason !== undefined && { reason }) };
}

async function probeStore(clock: Clock, store: Pick<Store, 'probe'>): Promise<string | undefined> {
  let cancel: (() => void) | undefined;
  const late = new Promise<string>((resolve) => {
    const timer = clock.after(COLD_WAIT_MS, () => resolve('The store does not answer.'));
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([late, store.probe().then(() => undefined)]);
  } catch (error) {
    return `The store is not usable: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    cancel?.();
  }
}

function json(status: number, value: unknown): PageReply {
  return { status, contentType: JSON_TYPE, body: JSON.stringify(value) };
}
