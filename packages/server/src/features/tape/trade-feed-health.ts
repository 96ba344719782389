import type { SourceHealth } from '@crosstape/core';
import type { Static } from 'typebox';
import { healthOf } from '../../health/failing-source.ts';
import { Failure } from '../../platform/errors.ts';
import { healthTopic } from '../../topics.ts';
import type { Meta } from '../../http/envelope.ts';
import type { Context } from '../context.ts';

/**
 * Across all coins, trades are never this infrequent: without a health report for this long, the publisher has failed.
 */
const FEED_SILENT_MS = 60_000;
/** How long recorded data are served as current after the feed was lost. */
const LAST_GOOD_MS = 10 * 60_000;
const RETRY_AFTER_SECONDS = 5;

/** The problem of the trade feed, in one sentence; `undefined` if it is fresh. */
export function tradeFeedProblem(health: SourceHealth | undefined, nowMs: number): string | undefined {
  if (!health) return 'The trade feed has not started yet.';
  if (health.status !== 'ok') return health.error ?? `The trade feed is ${health.status}.`;
  const silentMs = nowMs - (health.lastGoodMs ?? health.sinceMs);
  return silentMs > FEED_SILENT_MS ? `No trades received for ${silentMs} ms.` : undefined;
}

/** The venue of a trade feed, and its name there. */
export interface TradeFeedName {
  readonly venue: string;
  readonly feed: string;
}

function primaryFeed({ resources: { primaryVenue } }: Context): TradeFeedName {
  return { venue: primaryVenue, feed: 'trades' };
}

/** Waits for the first message of a feed that has never sent one. */
export async function waitForTradeFeed(context: Context): Promise<void> {
  const { bus, primaryVenue } = context.resources;
  const topic = healthTopic(primaryVenue);
  const isReceiving = (): boolean => healthOf(bus.latest(topic)?.message, 'trades')?.lastGoodMs !== undefined;
  await context.waitUntil(isReceiving, [topic]);
}

/** The state of the trade feed, for the answer's `meta`; the newest known trade is of `newestTs`. */
export function tradeFeedState(
  context: Context,
  newestTs: number | undefined,
  { venue, feed }: TradeFeedName = primaryFeed(context),
): Static<typeof Meta> {
  const health = healthOf(context.latest(healthTopic(venue)), feed);
  const nowMs = context.nowMs;
  const source = context.label([venue]);
  const problem = tradeFeedProblem(health, nowMs);
  const lastReceivedMs = Math.max(health?.lastGoodMs ?? -Infinity, Math.min(newestTs ?? -Infinity, nowMs));
  const isReceiving = Number.isFinite(lastReceivedMs);
  const fetchedAt = isReceiving ? lastReceivedMs : nowMs;
  if (!problem) return { fetchedAt, source };
  const ageMs = nowMs - lastReceivedMs;
  const entry = {
    source: health?.source ?? venue,
    status: health === undefined ? 'down' : health.status === 'ok' ? 'stale' : health.status,
    ageMs: isReceiving ? ageMs : null,
    error: problem,
  } as const;
  return { fetchedAt, source, stale: true, ...(isReceiving && { ageMs }), partial: false, sources: [entry] };
}

/** The health of several feeds together, for an answer up to a time. */
export function tradeFeedsState(
  context: Context,
  names: readonly TradeFeedName[],
  toMs: number,
): Static<typeof Meta> {
  const feeds = [...new Map(names.map((name) => [`${name.venue}:${name.feed}`, name])).values()];
  const states = feeds.map((feed) => tradeFeedState(context, undefined, feed));
  const fetchedAt = Math.min(context.nowMs, Math.max(...states.map((state) => state.fetchedAt)));
  const source = context.label([...new Set(feeds.map(({ venue }) => venue))]);
  const failing = states.filter((state) => state.stale && toMs > state.fetchedAt);
  if (failing.length === 0) return { fetchedAt, source };
  const ages = failing.flatMap(({ ageMs }) => ageMs ?? []);
  return {
    fetchedAt,
    source,
    stale: true,
    ...(ages.length > 0 && { ageMs: Math.max(...ages) }),
    partial: failing.length < states.length,
    sources: failing.flatMap((state) => state.sources ?? []),
  };
}

/** As above, but throws once the feed has been down for too long: the answer would be useless. */
export function tradeFeedMeta(context: Context, newestTs: number | undefined): Static<typeof Meta> {
  const state = tradeFeedState(context, newestTs);
  const { source, sources, stale, ageMs = Infinity } = state;
  if (!stale || ageMs <= LAST_GOOD_MS) return state;
  const why = sources?.[0]?.error ?? '';
  throw new Failure(
    'upstream_unavailable',
    `Nothing to serve from ${context.resources.primaryVenue}. ${why}`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS, meta: { source, sources } },
  );
}
