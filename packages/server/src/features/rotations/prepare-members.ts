import { type Aggregate, aggregateIdOf, createTickColumns, DAY_MS } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { namedReference } from '../candles/aggregate-candles.ts';
import { findMembers, type Member, memberGaps } from '../candles/members.ts';
import { followableMarkets } from '../market-tape/followed-tape.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import { BEFORE_RECORD } from '../tape/tape-coverage.ts';
import type { BuildOrder, MemberOrder } from './build-bars.ts';
import { gapsIn, type Prepared, type PrepareOptions, UNREADABLE, UNREADABLE_LOG } from './prepare-build.ts';
import { DAYS_MAX, type RotationSpec, windowOf } from './rotation-spec.ts';

const CHUNKS_MAX = 1_000_000;

export interface MemberOptions extends PrepareOptions {
  /** Id of the primary venue. */
  readonly venue: string;
  readonly markets?: MarketReader;
}

/** One market of the window, and its gaps. */
interface Found {
  readonly order: MemberOrder;
  readonly gaps: BuildOrder['gaps'];
  readonly trades: number;
}

/** The inputs of a build over several markets, or why it cannot be built: it needs the record. */
export async function prepareMerged(
  spec: RotationSpec,
  aggregate: Aggregate,
  nowMs: number,
  options: MemberOptions,
): Promise<Prepared> {
  const found = await prepareMembers(spec, aggregate, nowMs, options).catch((error: unknown) => {
    if (error instanceof Failure) return error.message.replace(/\.$/, '');
    options.log.error({ err: error, coin: spec.coin }, UNREADABLE_LOG);
    return UNREADABLE;
  });
  const isDegraded = false;
  if (typeof found !== 'string') return { isDegraded, order: found };
  return { isDegraded, refused: `Nothing can be built: ${found}.` };
}

/** The inputs of every market of a coin in the window that ends now, or why it cannot be built. */
async function prepareMembers(
  spec: RotationSpec,
  aggregate: Aggregate,
  nowMs: number,
  options: MemberOptions,
): Promise<BuildOrder | string> {
  const { bus, folder, venue: primaryVenue } = options;
  const window = windowOf(spec, nowMs);
  if (window.toTs - window.fromTs > DAYS_MAX * DAY_MS)
    return `bars of several markets are built over at most ${DAYS_MAX} days`;
  // After a start, the recording of a venue begins later: bars must then include its trades.
  const followed = followableMarkets(bus).map(({ id }) => id);
  const { markets, tape, coverage } = options;
  const members = await findMembers({ markets, tape, coverage, primaryVenue, followed }, aggregate);
  const found: Found[] = [];
  for (const member of members) found.push(await findMember(member, window));
  const most = found.reduce((best, one, i) => (one.trades > found[best]!.trades ? i : best), 0);
  const named = namedReference(members);
  const reference = named ? members.indexOf(named) : most;
  const id = aggregateIdOf(aggregate);
  if (found[reference]!.trades === 0)
    return `no trade of ${members[reference]!.market.id}, which sets the prices of ${id}, was recorded in this time`;
  // A market is not a member before it is recorded, but without prices there are no bars.
  const gaps: BuildOrder['gaps'][number][] = [];
  for (const [i, one] of found.entries()) {
    const range = { from: window.fromTs, to: window.toTs };
    const own = i === reference ? one.gaps : await memberGaps(members[i]!.market, one.gaps, range);
    gaps.push(...own.filter(({ reason }) => i === reference || reason !== BEFORE_RECORD));
  }
  return {
    folder,
    coin: spec.coin,
    spec: spec.bars,
    ...window,
    tail: createTickColumns(0),
    gaps: gaps.toSorted((a, b) => a.from - b.from),
    merged: { id, members: found.map(({ order }) => order), reference },
  };
}

async function findMember(
  { market, isFollowed }: Member,
  { fromTs, toTs }: { readonly fromTs: number; readonly toTs: number },
): Promise<Found> {
  const { id, symbol, units, ticks, tape, coverage } = market;
  const tail = (await tape.unsealed(symbol)).columns;
  const names = await ticks.names(symbol, fromTs, toTs, CHUNKS_MAX);
  const times = tail.ts.subarray(0, tail.length);
  const newest = times.filter((ts) => ts >= fromTs && ts < toTs).length;
  const gaps = await gapsIn(coverage, symbol, fromTs, toTs);
  return {
    order: { id, symbol, isFollowed, ...(units && { units }), tail },
    gaps,
    trades: names.reduce((sum, { trades }) => sum + trades, newest),
  };
}
