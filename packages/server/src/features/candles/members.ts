import { type Aggregate, aggregateIdOf, type Candle, isMember, type TradedKind } from '@crosstape/core';
import type { Static } from 'typebox';
import type { Meta } from '../../http/envelope.ts';
import { Failure } from '../../platform/errors.ts';
import { marketKey } from '../../store/market-key.ts';
import { recordedMarketsTopic } from '../../topics.ts';
import type { Context } from '../context.ts';
import { feedOf } from '../market-tape/chosen-tape.ts';
import { type TradeFeedName, tradeFeedsState } from '../tape/trade-feed.ts';
import { type CandleMarket, type CandlePage, type CandleQuery, completeness } from './candle-reader.ts';

/** A market of an aggregate. */
export interface Member {
  readonly market: CandleMarket;
  readonly venue: string;
  readonly kind: TradedKind;
  readonly quote: string;
  /** Since when it is recorded. */
  readonly since: number;
  /** Whether it is recorded now. */
  readonly isFollowed: boolean;
  readonly feed: TradeFeedName;
}

/** The recorded markets of a coin. Throws a `Failure` where there are none. */
export async function membersOf(context: Context, aggregate: Aggregate): Promise<readonly Member[]> {
  const { markets, primaryVenue, coverage, tape } = context.resources;
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
  const followed = new Set(context.latest(recordedMarketsTopic)?.map(({ id }) => id));
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

/** The candles of a member, notionals in dollars. */
export interface MemberCandles extends CandlePage {
  readonly member: Member;
  /** Whether nothing of `from <= ms < to` is missing, for spans that are asked for oldest first. */
  readonly isComplete: (from: number, to: number) => boolean;
}

/** The candles of every member in the same range. */
export function readMembers(
  { resources: { candles, rates } }: Context,
  members: readonly Member[],
  query: Omit<CandleQuery, 'rateAt'>,
): Promise<readonly MemberCandles[]> {
  return Promise.all(
    members.map(async (member) => {
      const rateAt = await rates.of(member.quote, Math.max(query.from, member.since), query.to);
      const read = await candles.read(member.market, { ...query, rateAt });
      // Most venues do not report sides: sums over markets begin with the record.
      const page = { ...read, candles: read.candles.filter(({ origin }) => origin === 'tape') };
      const hasNoGap = completeness(page.gaps);
      const lastTs = member.isFollowed ? Infinity : (page.candles.at(-1)?.ts ?? -Infinity);
      // Before and after it is recorded, a market is not a member.
      const isComplete = (from: number, to: number): boolean =>
        to <= member.since || from > lastTs || hasNoGap(from, to);
      return { ...page, member, isComplete };
    }),
  );
}

/** Candles of one interval by member. */
export interface Moment {
  readonly ts: number;
  readonly complete: boolean;
  readonly candles: ReadonlyMap<Member, Candle>;
}

/** The candles of all members by interval, oldest first. */
export function momentsOf(pages: readonly MemberCandles[], intervalMs: number): readonly Moment[] {
  const byTs = new Map<number, Map<Member, Candle>>();
  for (const { member, candles } of pages)
    for (const candle of candles) {
      const moment = byTs.get(candle.ts) ?? new Map<Member, Candle>();
      moment.set(member, candle);
      byTs.set(candle.ts, moment);
    }
  const sorted = [...byTs].toSorted(([a], [b]) => a - b);
  return sorted.map(([ts, candles]) => {
    // Each member is asked about every interval, in order.
    const isComplete = pages.map((page) => page.isComplete(ts, ts + intervalMs));
    return { ts, candles, complete: isComplete.every(Boolean) };
  });
}

/** What the feeds of all members say, as the meta of one answer. */
export function membersMeta(context: Context, members: readonly Member[], toMs: number): Static<typeof Meta> {
  return tradeFeedsState(
    context,
    members.map(({ feed }) => feed),
    toMs,
  );
}
