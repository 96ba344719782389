import type { Schemas } from '@crosstape/client';
import type { Sample } from '../indicator.ts';

export type CvdPoint = Pick<Schemas['CvdSeries']['points'][number], 'ts' | 'markets'>;

/** Deltas from a time on, oldest first. */
export interface CvdRecord {
  readonly startMs: number;
  readonly points: readonly CvdPoint[];
}

/** Points that a chart keeps: older bars have no sums. */
export const POINTS_MAX = 5_000;

/**
 * Adds an answer to the stored record: an older page, or newer figures that overlap it. One that does not overlap
 * replaces everything.
 */
export function withAnswer(kept: CvdRecord | undefined, answer: CvdRecord): CvdRecord {
  const [first, last] = [kept?.points[0], kept?.points.at(-1)];
  if (!kept || !first || !last) return answer;
  const isOlder = answer.startMs < kept.startMs && (answer.points.at(-1)?.ts ?? 0) < first.ts;
  if (isOlder) return { startMs: answer.startMs, points: [...answer.points, ...kept.points] };
  if (answer.startMs < kept.startMs || answer.startMs > last.ts) return answer;
  const points = [...kept.points.filter(({ ts }) => ts < answer.startMs), ...answer.points];
  const over = points.length - POINTS_MAX;
  if (over <= 0) return { startMs: kept.startMs, points };
  return { startMs: points[over]!.ts, points: points.slice(over) };
}

export interface CvdLines {
  /** Perpetuals and spot of a venue together. */
  readonly venues: ReadonlyMap<string, readonly Sample[]>;
  readonly perp: readonly Sample[];
  readonly spot: readonly Sample[];
}

/** Running sums of bought less sold dollars, each at the beginning of its interval. */
export function cvdLines(points: readonly CvdPoint[]): CvdLines {
  const venues = new Map<string, { sum: number; readonly samples: Sample[] }>();
  const kinds = {
    perp: { sum: 0, samples: [] as Sample[] },
    spot: { sum: 0, samples: [] as Sample[] },
  };
  for (const { ts, markets } of points) {
    const moved = new Set<{ sum: number; readonly samples: Sample[] }>();
    for (const [id, [, usd = 0]] of Object.entries(markets)) {
      const name = id.slice(0, id.indexOf(':'));
      const venue = name.replace('-spot', '');
      const line = venues.get(venue) ?? { sum: 0, samples: [] };
      venues.set(venue, line);
      for (const one of [line, kinds[name === venue ? 'perp' : 'spot']]) {
        one.sum += usd;
        moved.add(one);
      }
    }
    for (const { sum: value, samples } of moved) samples.push({ ts, value });
  }
  return {
    venues: new Map([...venues].map(([venue, { samples }]) => [venue, samples])),
    perp: kinds.perp.samples,
    spot: kinds.spot.samples,
  };
}
