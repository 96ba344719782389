import { type Clock, DAY_MS } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { type Gap, type GapLedger, gapName, type Span, type TapeSpan } from './gap-ledger.ts';
import { isRecordedBy } from './is-recorded-by.ts';
import {
  healthTopic,
  gapTopic,
  isTapeOpen,
  marketSeedingTopic,
  recorderHealthTopic,
  seedingTopic,
  tradeTopic,
} from '../../topics.ts';
import { coverageOf, firstAfter, type Stretch } from './coverage.ts';

/**
 * Across all coins, trades are never this infrequent: without a health report for this long, the publisher has failed.
 */
const FEED_SILENT_MS = 60_000;

/** Up to how far the ledger is behind while the recorder writes. */
const LEDGER_BEHIND_MS = 5_000;

/** When a write fails, trades of this long before it were not written either: those of one interval, and in flight. */
const UNWRITTEN_MS = 1_000;

/** A range that begins this much before the retention edge is taken to begin there; the recorder keeps more than that. */
const WINDOW_EDGE_MS = 10_000;

/** The reason of a gap that the first-run history will fill. */
export const BEING_CREATED = 'the first-run history is still being created';
export const BEFORE_RECORD = 'before the record begins';
const NOT_RECORDED = 'this coin is not recorded';
const WAS_NOT_RECORDED = 'this coin was not recorded';
/** An interval whose trades are missing, may be missing, or were refilled: half open, in ms. */
export type CoinGap = Omit<Gap, 'coin' | 'numbers'>;

type Spans = readonly Span[];

/** Everything known about the completeness of the tape. The future is unknown, so it is not covered. */
export interface TapeCoverage {
  stretches(coin: string, from: number, to: number): Promise<readonly Stretch[]>;
  /** Gaps that overlap `from <= ms < to`, oldest first; reported ones with their whole extent. */
  gaps(coin: string, from: number, to: number): Promise<readonly CoinGap[]>;
  /** When markets of the venue were recorded without this one, within a range: that is not a gap. */
  leftOut(coin: string, from: number, to: number): Promise<readonly Span[]>;
  /** Start of the retained record; `undefined` before the feed's first message. */
  recordedSinceMs(): Promise<number | undefined>;
}

export interface TapeCoverageOptions {
  readonly ledger: GapLedger;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Id of the venue whose trades are the tape. */
  readonly venue: string;
  readonly retentionDays: number;
  /** Archived days of a coin that cannot be read: half open intervals. */
  readonly lost?: ((coin: string, from: number, to: number) => Promise<readonly Span[]>) | undefined;
  /** The recorded coins: `all`, or coins separated by commas. */
  readonly recordCoins: string;
  /** Name of the feed in the venue's health. */
  readonly feed?: string;
  /** Under which name the trades of a coin are published, where that is not the coin. */
  readonly topicName?: (coin: string) => string;
  /**
   * Whether a coin is subscribed to now, if that changes while the feed is up: then only what follows the ledger is
   * known from the feed itself.
   */
  readonly isFollowed?: (coin: string) => boolean;
  /** Whether a recorded coin is known to be no longer recorded. */
  readonly hasLeft?: (coin: string) => boolean;
}

/** Gaps by their start, oldest first; a later one replaces one with the same name. */
export function joinGaps<Some extends CoinGap>(gaps: readonly Some[]): readonly Some[] {
  const byName = new Map(gaps.map((gap) => [gapName(gap), gap]));
  return [...byName.values()].toSorted((a, b) => a.from - b.from);
}

/** Joins the ledger with the current state: whether the feed is up, and what is too old to be kept. */
export function createTapeCoverage(options: TapeCoverageOptions): TapeCoverage {
  const { ledger, bus, clock, venue, retentionDays, recordCoins, isFollowed, hasLeft } = options;
  const { feed: feedName = 'trades', topicName = (coin: string) => coin } = options;
  const isRecorded = isRecordedBy(recordCoins);

  const feed = () => bus.latest(healthTopic(venue))?.message.find(({ gives }) => gives.includes(feedName));

  const failingSinceMs = (): number | undefined => {
    const { status, sinceMs } = bus.latest(recorderHealthTopic)?.message ?? {};
    return status === 'failing' ? sinceMs : undefined;
  };

  const seeding = () => bus.latest(seedingTopic)?.message;
  const isCreating = (coin: string): boolean =>
    isFollowed
      ? bus.latest(marketSeedingTopic)?.message.markets.includes(topicName(coin)) === true
      : seeding()?.isDone === false;

  /** The ledger is written a moment later; until then the feed itself reports that it is up. */
  const liveSpan = (nowMs: number): readonly Span[] => {
    // Trades are buffered until the newest part of the first-run history is recorded: none can be read yet.
    if (!isTapeOpen(seeding())) return [];
    const health = feed();
    const isUp = health?.status === 'ok' && nowMs - (health.lastGoodMs ?? health.sinceMs) <= FEED_SILENT_MS;
    return isUp ? [{ from: health.sinceMs, to: nowMs }] : [];
  };

  /** Trades after the written spans are about to be written, or can be read from the log; the rest is unknown. */
  const liveEnd = (coin: string, written: Spans, nowMs: number): readonly Span[] => {
    const writtenMs = Math.max(0, ...written.map(({ to }) => to));
    const writingMs = failingSinceMs() ?? nowMs;
    const sinceMs = writtenMs >= writingMs - LEDGER_BEHIND_MS ? writtenMs : Number.POSITIVE_INFINITY;
    if (isFollowed?.(coin) === false) return [];
    // The log does not record since when a coin is subscribed to.
    const readableMs = isFollowed
      ? Number.POSITIVE_INFINITY
      : bus.log(tradeTopic(topicName(coin))).completeFromTs;
    return liveSpan(nowMs).map(({ from, to }) => ({
      from: Math.max(from, Math.min(sinceMs, readableMs)),
      to,
    }));
  };

  /** When the feed was up and trades of that time are still kept: those of this coin, and only others'. */
  const spansOf = async (
    coin: string,
    nowMs: number,
    fromMs: number,
  ): Promise<{ readonly kept: Spans; readonly others: Spans }> => {
    if (!isRecorded(coin)) return { kept: [], others: [] };
    const edgeMs = nowMs - retentionDays * DAY_MS;
    // A window over the whole retention was computed a moment before this request.
    const oldestMs = fromMs >= edgeMs - WINDOW_EDGE_MS ? Math.min(fromMs, edgeMs) : edgeMs;
    const written = await ledger.spans(oldestMs, nowMs);
    const choices = [...new Set(written.map(choiceOf))];
    const own = new Set(choices.filter((choice) => isRecordedBy(choice)(coin)));
    const isOwn = (span: TapeSpan): boolean => own.has(choiceOf(span));
    const stillKept = ({ from, to }: Span): Span => ({ from: Math.max(from, oldestMs), to });
    return {
      kept: [...written.filter(isOwn), ...liveEnd(coin, written, nowMs)].map(stillKept),
      others: written.filter((span) => !isOwn(span)).map(stillKept),
    };
  };

  /** While the store cannot be written to, trades can be read for as long as the log has them. */
  const unwritten = (coin: string): readonly CoinGap[] => {
    const sinceMs = failingSinceMs();
    if (sinceMs === undefined || !isRecorded(coin)) return [];
    const from = sinceMs - UNWRITTEN_MS;
    const to = bus.log(tradeTopic(topicName(coin))).completeFromTs;
    return from < to ? [{ from, to, state: 'missing', reason: 'trades wait to be written' }] : [];
  };

  /** Gaps of the ledger, reported ones that wait to be written, and the time of unwritten trades. */
  const knownGaps = async (coin: string, from: number, to: number): Promise<readonly CoinGap[]> => {
    const meets = (gap: CoinGap): boolean => gap.to > from && gap.from < to;
    const written = (await ledger.gaps(coin, from, to)).map(({ coin: _, numbers: _numbers, ...gap }) => gap);
    const reported = isRecorded(coin) ? bus.log(gapTopic(topicName(coin))).since(0) : [];
    const known = coverageOf({ from, to, spans: written, gaps: [] });
    const waiting = joinGaps(reported)
      .filter((gap) => meets(gap) && (gap.late === true || !isWithin(gap, known)))
      .map(({ ts: _, ...gap }): CoinGap => gap);
    const lost = ((await options.lost?.(coin, from, to)) ?? []).map(
      (span): CoinGap => ({ ...span, state: 'missing', reason: 'the archived day is damaged' }),
    );
    return [...joinGaps([...written, ...waiting]), ...lost, ...unwritten(coin).filter(meets)];
  };

  /** The time of the question, once everything the ingester has published by then is here. */
  const settledNowMs = async (coin: string): Promise<number> => {
    const nowMs = clock.now();
    await bus.settled(tradeTopic(topicName(coin)));
    return nowMs;
  };

  const reasonOf = (coin: string, stretch: Stretch, spans: readonly Span[]): string => {
    if (!isRecorded(coin)) return NOT_RECORDED;
    if (spans.every(({ from }) => from >= stretch.to))
      return isCreating(coin) ? BEING_CREATED : BEFORE_RECORD;
    if (spans.some(({ from }) => from >= stretch.to)) return 'the feed was not up';
    return feed()?.error ?? 'the feed is not up';
  };

  return {
    async stretches(coin, from, to) {
      const nowMs = await settledNowMs(coin);
      const until = Math.min(to, nowMs);
      if (from >= until) return [];
      const gaps = await knownGaps(coin, from, until);
      return coverageOf({ from, to: until, spans: (await spansOf(coin, nowMs, from)).kept, gaps });
    },
    async gaps(coin, from, to) {
      const nowMs = await settledNowMs(coin);
      const until = Math.min(to, nowMs);
      if (from >= until) return [];
      const reported = await knownGaps(coin, from, until);
      const { kept, others } = await spansOf(coin, nowMs, from);
      const unexplained = coverageOf({ from, to: until, spans: [...kept, ...reported], gaps: [] })
        .filter(({ state }) => state === 'missing')
        .flatMap((stretch) => coverageOf({ ...stretch, spans: others, gaps: [] }))
        .map((stretch) => ({
          ...stretch,
          state: 'missing' as const,
          reason: stretch.state === 'complete' ? WAS_NOT_RECORDED : reasonOf(coin, stretch, kept),
        }));
      return [...reported, ...unexplained].toSorted((a, b) => a.from - b.from);
    },
    async leftOut(coin, from, to) {
      const nowMs = clock.now();
      const written = await ledger.spans(from, Math.min(to, nowMs));
      const isOwn = (span: TapeSpan): boolean => isRecordedBy(choiceOf(span))(coin);
      const others = written.filter((span) => !isOwn(span));
      if (hasLeft?.(coin) !== true) return others;
      const ownTo = Math.max(0, ...(await ledger.spans(0, nowMs)).filter(isOwn).map((span) => span.to));
      // It may have been left while its feed was down.
      const leftMs = Math.max(ownTo, ...(await ledger.gaps(coin, ownTo, nowMs)).map((gap) => gap.to));
      return [...others, { from: leftMs, to }];
    },
    async recordedSinceMs() {
      const nowMs = clock.now();
      const since = (await ledger.recordedSinceMs()) ?? liveSpan(nowMs)[0]?.from;
      return since === undefined ? undefined : Math.max(since, nowMs - retentionDays * DAY_MS);
    },
  };
}

/** The recorded coins of a span. */
function choiceOf({ recordCoins = 'all' }: TapeSpan): string {
  return recordCoins;
}

/** Whether the intervals cover a gap as far as they overlap it. */
function isWithin(gap: Span, known: readonly Stretch[]): boolean {
  const [first, last] = [firstAfter(known, gap.from), firstAfter(known, gap.to - 1)];
  return known.slice(first, last + 1).every(({ state }) => state === 'complete');
}
