import { HOUR_MS, marketIdOf, MINUTE_MS } from '@crosstape/core';
import { Type } from 'typebox';
import { orNull } from '../../../http/field.ts';
import {
  choice,
  coinName,
  defaulted,
  endParameter,
  limitParameter,
  startParameter,
} from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { nextTurn } from '../../../platform/next-turn.ts';
import type { Context } from '../../context.ts';
import { chosenIn, marketParameter } from '../../market-tape/chosen-tape.ts';
import { DEPTH_DAYS, depthTopic } from './record-depth.ts';
import type { DepthSnapshot } from './recorded-depth.ts';

const intervalsMs = { '1m': MINUTE_MS, '10m': 10 * MINUTE_MS, '1h': HOUR_MS } as const;

const method =
  'One snapshot a minute, with prices rounded to 5, 4 and 3 significant figures: levels of 0.001 to 0.01 % of the price near the mid, of up to 1 % further out.';

/** The parameters of endpoints that return the recorded order books of a market. */
export function depthQuery(max: number) {
  return Type.Object({
    coin: Type.Optional(
      coinName({
        description: 'Ticker, in any case: its market on the primary venue. Required without `market`.',
        examples: ['BTC'],
      }),
    ),
    market: marketParameter,
    start: startParameter('Start in milliseconds since the Unix epoch. Omitted: all that is kept.'),
    end: endParameter(),
    interval: defaulted(
      choice(Object.keys(intervalsMs) as (keyof typeof intervalsMs)[], {
        description: '`1m`: every snapshot. `10m`, `1h`: the first one of each interval.',
        examples: ['10m'],
      }),
      '1m',
    ),
    limit: limitParameter({
      max,
      byDefault: max,
      description: 'Most points of one answer: the newest of the range.',
      example: 100,
    }),
  });
}

/** Meta of an answer from the record. */
export const depthMeta = {
  nextEnd: orNull(Type.Integer(), '`end` of the next older page; null when there is none.'),
};

interface DepthQuery {
  readonly coin?: string;
  readonly market?: string;
  readonly start?: number;
  readonly end?: number;
  readonly interval: keyof typeof intervalsMs;
  readonly limit: number;
}

/** Points made before yielding to the event loop: about a millisecond. */
const POINTS_PER_TURN = 50;

/** A point of an answer for each snapshot. */
export async function pointsOf<Point>(
  snapshots: readonly DepthSnapshot[],
  pointOf: (snapshot: DepthSnapshot) => Point,
): Promise<Point[]> {
  const points: Point[] = [];
  for (const snapshot of snapshots) {
    points.push(pointOf(snapshot));
    if (points.length % POINTS_PER_TURN === 0) await nextTurn();
  }
  return points;
}

/** The newest page of recorded order books. An unreadable record is reported, and is no error. */
export async function readDepth(context: Context, { start = 0, end, interval, limit, ...named }: DepthQuery) {
  const chosen = await chosenIn(context, 'Parameter', named);
  if (chosen.market)
    throw new Failure(
      'not_found',
      `The order book of ${chosen.market.id} is not recorded: only those of the primary venue are.`,
    );
  const { bookDepths, primaryVenue: venue, startedAtMs } = context.resources;
  const { coin } = chosen;
  const market = marketIdOf({ venue, kind: 'perp', symbol: coin });
  // An answer is renewed when another snapshot has been written.
  const newest = context.latest(depthTopic)?.t;
  const intervalMs = intervalsMs[interval];
  const range = { startMs: start, endMs: end ?? Number.MAX_SAFE_INTEGER, intervalMs, limit: limit + 1 };
  const read = await Promise.all([bookDepths.read(market, range), bookDepths.sinceMs(market)]).catch(
    () => undefined,
  );
  const [found, recordingSince] = read ?? [[], undefined];
  const snapshots: readonly DepthSnapshot[] = found.slice(-limit);
  const fetchedAt = snapshots.at(-1)?.t ?? newest ?? startedAtMs;
  return {
    snapshots,
    series: {
      market,
      coin,
      venue,
      cadenceMs: intervalMs,
      retention: `${DEPTH_DAYS}d`,
      enabled: read !== undefined,
      ...(recordingSince !== undefined && { recordingSince }),
      method,
      fetchedAt,
    },
    meta: {
      fetchedAt,
      source: context.label([venue]),
      nextEnd: found.length > limit ? (snapshots[0]?.t ?? null) : null,
    },
  };
}
