import { type Aggregate, aggregateIdOf, type Candle, isMember, type TradedKind } from '@crosstape/core';
import type { Static } from 'typebox';
import type { Meta } from '../../http/envelope.ts';
import { Failure } from '../../platform/errors.ts';
import { mapBounded } from '../../platform/map-bounded.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { marketKey } from '../../store/market-key.ts';
import { marketSeedingTopic, recordedMarketsTopic } from '../../topics.ts';
import type { Context } from '../context.ts';
import { feedOf } from '../market-tape/chosen-tape.ts';
import type { RateAt } from '../rates/rate-history.ts';
import { coverageOf, firstAfter } from '../tape/coverage.ts';
import { type TradeFeedName, tradeFeedsState } from '../tape/trade-feed-health.ts';
import { type CandleMarket, type CandlePage, type CandleQuery, completeness } from './candle-reader.ts';
import { type CandleGap, minuteLevel } from './candle-table.ts';
import { MemberColumns } from './member-columns.ts';

/** Candles summed before yielding to the event loop: a few milliseconds. */
export const CANDLES_PER_TURN = 4_000;
/** Candles whose places are noted before yielding. */
const PLACES_PER_TURN = 40_000;
/**
 * Aggregates that are read and printed at a time: each holds the candles of all its members, tens of megabytes. As many
 * long histories are collected for other programs.
 */
export const aggregateSlots = { slotsMax: 4, perCallerMax: 1, waitMs: 20_000, waitingPerCallerMax: 64 };
/** Members read at the same time: each waits for the ingest thread twice, and one after the other these waits add up. */
const MEMBERS_AT_ONCE = 4;

/** A market of an aggregate. */
export interface Member {
  readonly market: CandleMarket;
  readonly venue: string;
  readonly kind: TradedKind;
  readonly quote: string;
  /** When its record begins. */
  readonly since: number;
  /** Whether `MemberSource.followed` names it; the primary venue's is always followed. */
  readonly isFollowed: boolean;
  readonly feed: TradeFeedName;
}

/** Sources of the list of a coin's markets. */
export type MemberSource = Pick<Context['resources'], 'markets' | 'primaryVenue' | 'coverage' | 'tape'> & {
  /** Ids of the secondary markets that can be followed now. */
  readonly followed: readonly string[];
};

/** The recorded markets of a coin. Throws a `Failure` if there are none. */
export async function membersOf(context: Context, aggregate: Aggregate): Promise<readonly Member[]> {
  const followed = context.latest(recordedMarketsTopic)?.map(({ id }) => id) ?? [];
  return findMembers({ ...context.resources, followed }, aggregate);
}

/** As above, without a request context. */
export async function findMembers(source: MemberSource, aggregate: Aggregate): Promise<readonly Member[]> {
  const { markets, primaryVenue, coverage, tape } = source;
  if (!markets) throw new Error('an aggregate was found without a record');
  const { scope, coin } = aggregate;
  const members: Member[] = [];
  const since = await coverage.recordedSinceMs();
  if (scope !== 'spot' && since !== undefined)
    members.push({
      market: {
        id: marketKey(primaryVenue, coin),
        symbol: coin,
        ticks: markets.primary.ticks,
        tape,
        coverage,
      },
      venue: primaryVenue,
      kind: 'perp',
      quote: 'USD',
      since,
      isFollowed: true,
      feed: { venue: primaryVenue, feed: 'trades' },
    });
  const followed = new Set(source.followed);
  for (const stored of await markets.list()) {
    if (!isMember(aggregate, stored)) continue;
    const { id, symbol, venue, kind, quote, recordingSince } = stored;
    members.push({
      market: { id, symbol, units: stored, ...markets.open(stored) },
      venue,
      kind,
      quote,
      since: recordingSince,
      isFollowed: followed.has(id),
      feed: feedOf(stored).name,
    });
  }
  if (members.length > 0) return members;
  throw new Failure('not_found', `No market of ${aggregateIdOf(aggregate)} is recorded.`);
}

/** Reads an aggregate when it is the caller's turn. What `read` returns must not keep the candles. */
export function inTurn<Result>(context: Context, read: () => Promise<Result>): Promise<Result> {
  return context.resources.aggregateTurns.run(context.caller, 'aggregates', read);
}

/** The candles of a member, notionals in dollars. */
export interface MemberCandles extends Pick<CandlePage, 'hasOlder' | 'tapeFrom' | 'settledTo'> {
  readonly member: Member;
  readonly candles: MemberColumns;
  /** Whether nothing of `from <= ms < to` is missing; spans must be passed oldest first. */
  readonly isComplete: (from: number, to: number) => boolean;
}

/** The candles of every member in the same range, without those of venues on request. Yields to the event loop in between. */
export async function readMembers(
  context: Context,
  members: readonly Member[],
  query: Omit<CandleQuery, 'rateAt'>,
  { recordedOnly = false }: { readonly recordedOnly?: boolean } = {},
): Promise<readonly MemberCandles[]> {
  const { candles, rates } = context.resources;
  const earliest = Math.min(...members.map((member) => member.since));
  const created = new Set(context.latest(marketSeedingTopic)?.markets);
  const rateOf = new Map<string, Promise<RateAt>>();
  return mapBounded(members, MEMBERS_AT_ONCE, async (member): Promise<MemberCandles> => {
    const { quote } = member;
    const rated = rateOf.get(quote) ?? rates.of(quote, Math.max(query.from, earliest), query.to);
    rateOf.set(quote, rated);
    const rateAt = await rated;
    // Minutes are converted as they become columns, without an object for each.
    const isMinutes = query.intervalMs === minuteLevel.intervalMs;
    const read = await candles.read(member.market, isMinutes ? query : { ...query, rateAt });
    const minuteRate = (ts: number): number => (isMinutes ? (rateAt(ts, minuteLevel.intervalMs) ?? 1) : 1);
    // Members may be read in the same turn: each is decoded in its own.
    await nextTurn(query.caller);
    const columns = new MemberColumns(read.parts, minuteRate, recordedOnly);
    const hasNoGap = completeness(await memberGaps(member.market, read.gaps, query));
    // A first-run history begins before the recording.
    const since = Math.min(member.since, read.tapeFrom ?? Infinity);
    const isCreated = created.has(member.market.id);
    // Before it is recorded, a market is not a member.
    const isComplete = (from: number, to: number): boolean => (to <= since ? !isCreated : hasNoGap(from, to));
    const { hasOlder, tapeFrom, settledTo } = read;
    return { hasOlder, tapeFrom, settledTo, candles: columns, member: { ...member, since }, isComplete };
  });
}

/** The gaps of a member. While its venue is recorded without it, a market is not a member. */
export async function memberGaps<Some extends CandleGap>(
  { coverage, symbol }: Pick<CandleMarket, 'coverage' | 'symbol'>,
  gaps: readonly Some[],
  { from, to }: Pick<CandleQuery, 'from' | 'to'>,
): Promise<readonly Some[]> {
  if (gaps.length === 0) return gaps;
  const leftOut = await coverage.leftOut(symbol, from, to);
  const isLeftOut = coverageOf({ from, to, spans: leftOut, gaps: [] });
  return gaps.flatMap((gap) => {
    const parts: Some[] = [];
    for (let i = firstAfter(isLeftOut, gap.from); (isLeftOut[i]?.from ?? Infinity) < gap.to; i += 1) {
      const part = isLeftOut[i]!;
      if (part.state === 'missing')
        parts.push({ ...gap, from: Math.max(gap.from, part.from), to: Math.min(gap.to, part.to) });
    }
    return parts;
  });
}

/** Candles of one interval. */
export interface Moment {
  readonly ts: number;
  readonly complete: boolean;
  /** In the order of the members; `undefined` for a member without one. */
  readonly candles: readonly (Candle | undefined)[];
}

/** Moments one after the other, oldest first. A moment is valid until the next is read. */
export interface Moments {
  readonly length: number;
  at(index: number): Moment | undefined;
}

/** The candles of all members by interval, oldest first; with `limit`, the newest ones. Yields to the event loop in between. */
export async function momentsOf(
  pages: readonly MemberCandles[],
  intervalMs: number,
  { limit = Infinity, caller }: Partial<Pick<CandleQuery, 'limit' | 'caller'>>,
): Promise<Moments & { readonly hasOlder: boolean }> {
  const lists = pages.map((page) => page.candles);
  const perTurn = Math.ceil(PLACES_PER_TURN / lists.length);
  const times: number[] = [];
  const areComplete: boolean[] = [];
  /** The place of each member's next candle, and when it begins. */
  const next = new Int32Array(lists.length);
  const nextTs = Float64Array.from(lists, (list) => list.ts(0));
  /** For each moment and member where its candle is; -1 without one. */
  let places = new Int32Array(lists.length * Math.max(...lists.map(({ length }) => length)));
  for (;;) {
    let ts = Infinity;
    for (let i = 0; i < lists.length; i += 1) ts = Math.min(ts, nextTs[i]!);
    if (ts === Infinity) break;
    let complete = true;
    const own = times.length * lists.length;
    if (own === places.length) places = doubled(places);
    for (let i = 0; i < lists.length; i += 1) {
      // Each is called for every interval, in order.
      if (!pages[i]!.isComplete(ts, ts + intervalMs)) complete = false;
      const isOwn = nextTs[i] === ts;
      places[own + i] = isOwn ? next[i]! : -1;
      if (isOwn) nextTs[i] = lists[i]!.ts((next[i]! += 1));
    }
    times.push(ts);
    areComplete.push(complete);
    if (times.length % perTurn === 0) await nextTurn(caller);
  }
  const first = Math.max(0, times.length - limit);
  const candles: (Candle | undefined)[] = lists.map(() => undefined);
  return {
    length: times.length - first,
    hasOlder: first > 0,
    at(index) {
      const i = first + index;
      if (index < 0 || i >= times.length) return undefined;
      for (let m = 0; m < lists.length; m += 1) {
        const place = places[i * lists.length + m]!;
        candles[m] = place < 0 ? undefined : lists[m]!.read(place);
      }
      return { ts: times[i]!, complete: areComplete[i]!, candles };
    },
  };
}

function doubled(places: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * places.length);
  larger.set(places);
  return larger;
}

/** The state of all members' feeds, as the meta of one answer. */
export function membersMeta(context: Context, members: readonly Member[], toMs: number): Static<typeof Meta> {
  return tradeFeedsState(
    context,
    members.map(({ feed }) => feed),
    toMs,
  );
}
