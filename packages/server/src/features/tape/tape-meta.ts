import type { Static } from 'typebox';
import type { Meta } from '../../http/envelope.ts';
import { type TradeFeedName, tradeFeedState } from './trade-feed-health.ts';
import type { Context } from '../context.ts';

export interface TapeAnswer {
  /** End of the requested range. */
  readonly toMs: number;
  /** Newest trade in the answer. */
  readonly newestTs?: number | undefined;
  /** For a market of another venue: its feed, and since when it is recorded. */
  readonly of?: { readonly name: TradeFeedName; readonly since: number } | undefined;
}

/**
 * The metadata of an answer from the tape. Recorded data stay right however long the feed is away: they are stale only
 * where they should reach further than the feed was connected.
 */
export async function tapeMeta(
  context: Context,
  { toMs, newestTs, of }: TapeAnswer,
): Promise<Static<typeof Meta> & { readonly recordingSince?: number }> {
  const since = of ? of.since : await context.resources.coverage.recordedSinceMs();
  const { source, fetchedAt, ...problem } = tradeFeedState(context, newestTs, of?.name);
  return {
    fetchedAt: Math.min(newestTs ?? fetchedAt, context.nowMs),
    source,
    ...(toMs > fetchedAt && problem),
    ...(since !== undefined && { recordingSince: since }),
  };
}
