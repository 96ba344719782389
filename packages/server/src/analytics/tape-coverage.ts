import type { Clock } from '@crosstape/core';
import type { Bus } from '../platform/bus.ts';
import type { Gap, GapLedger, Span } from '../store/gap-ledger.ts';
import { healthTopic, holeTopic } from '../topics.ts';
import { coverageOf, type Stretch } from './coverage.ts';

const DAY_MS = 86_400_000;
/** All coins together never trade this seldom: without news for so long, whoever tells the health is gone. */
const FEED_SILENT_MS = 60_000;

/** A stretch in which trades are missing, may be missing, or had to be fetched again: half open, in ms. */
export type Hole = Omit<Gap, 'coin'>;

/** Whatever is known of how complete the tape is. Nothing is known of the future, so nothing is told of it. */
export interface TapeCoverage {
  stretches(coin: string, from: number, to: number): Promise<readonly Stretch[]>;
  /** Holes that meet `from <= ms < to`, oldest first; those that were told with their whole extent. */
  holes(coin: string, from: number, to: number): Promise<readonly Hole[]>;
  /** When what is kept begins; `undefined` before the first word of the feed. */
  recordedSinceMs(): Promise<number | undefined>;
}

export interface TapeCoverageOptions {
  readonly ledger: GapLedger;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Id of the venue whose trades are the tape. */
  readonly venue: string;
  readonly retentionDays: number;
  readonly isRecorded: (coin: string) => boolean;
}

/** Holes by where they begin, oldest first; of two that begin together the one given later stands. */
export function joinHoles<Some extends Hole>(holes: readonly Some[]): readonly Some[] {
  const byFrom = new Map(holes.map((hole) => [hole.from, hole]));
  return [...byFrom.values()].toSorted((a, b) => a.from - b.from);
}

/** Joins the ledger with what only the present knows: whether the feed is up, and what is too old to be kept. */
export function createTapeCoverage(options: TapeCoverageOptions): TapeCoverage {
  const { ledger, bus, clock, venue, retentionDays, isRecorded } = options;

  const feed = () => bus.latest(healthTopic(venue))?.message.find(({ gives }) => gives.includes('trades'));

  /** The ledger is written every so often; until then the feed itself says that it is up. */
  const liveSpan = (): readonly Span[] => {
    const health = feed();
    const nowMs = clock.now();
    const isUp = health?.status === 'ok' && nowMs - (health.lastGoodMs ?? health.sinceMs) <= FEED_SILENT_MS;
    return isUp ? [{ from: health.sinceMs, to: nowMs }] : [];
  };

  /** When the feed was up and its trades are still kept. */
  const keptSpans = async (coin: string): Promise<readonly Span[]> => {
    if (!isRecorded(coin)) return [];
    const nowMs = clock.now();
    const oldestMs = nowMs - retentionDays * DAY_MS;
    const spans = [...(await ledger.spans(oldestMs, nowMs)), ...liveSpan()];
    return spans.map(({ from, to }) => ({ from: Math.max(from, oldestMs), to }));
  };

  /** Those of the ledger, and those that were told and wait to be written. */
  const knownHoles = async (coin: string, from: number, to: number): Promise<readonly Hole[]> => {
    const written = (await ledger.gaps(coin, from, to)).map(({ coin: _, ...hole }) => hole);
    const told = isRecorded(coin) ? bus.log(holeTopic(coin)).since(0) : [];
    const waiting = joinHoles(told)
      .filter((hole) => hole.to > from && hole.from < to && !isWithin(hole, written, from, to))
      .map(({ from: a, to: b, state, reason }) => ({ from: a, to: b, state, reason }));
    return joinHoles([...written, ...waiting]);
  };

  const reasonOf = (coin: string, stretch: Stretch, spans: readonly Span[]): string => {
    if (!isRecorded(coin)) return 'this coin is not recorded';
    if (spans.every(({ from }) => from >= stretch.to)) return 'before the record begins';
    if (spans.some(({ from }) => from >= stretch.to)) return 'the feed was not up';
    return feed()?.error ?? 'the feed is not up';
  };

  return {
    async stretches(coin, from, to) {
      const until = Math.min(to, clock.now());
      if (from >= until) return [];
      const gaps = await knownHoles(coin, from, until);
      return coverageOf({ from, to: until, spans: await keptSpans(coin), gaps });
    },
    async holes(coin, from, to) {
      const until = Math.min(to, clock.now());
      if (from >= until) return [];
      const told = await knownHoles(coin, from, until);
      const spans = await keptSpans(coin);
      const untold = coverageOf({ from, to: until, spans: [...spans, ...told], gaps: [] })
        .filter(({ state }) => state === 'missing')
        .map((stretch) => ({
          ...stretch,
          state: 'missing' as const,
          reason: reasonOf(coin, stretch, spans),
        }));
      return [...told, ...untold].toSorted((a, b) => a.from - b.from);
    },
    async recordedSinceMs() {
      const nowMs = clock.now();
      const since = (await ledger.recordedSinceMs()) ?? liveSpan()[0]?.from;
      return since === undefined ? undefined : Math.max(since, nowMs - retentionDays * DAY_MS);
    },
  };
}

/** Whether a hole is known as far as it meets a stretch. */
function isWithin(hole: Span, known: readonly Span[], from: number, to: number): boolean {
  const met = { from: Math.max(hole.from, from), to: Math.min(hole.to, to) };
  return coverageOf({ ...met, spans: known, gaps: [] }).every(({ state }) => state === 'complete');
}
