import {
  addFlow,
  type Aggregate,
  type Candle,
  candleRow,
  type CandleRow,
  decimalOf,
  withCommonDecimals,
} from '@crosstape/core';
import type { Context } from '../context.ts';
import type { CandleQuery } from './candle-reader.ts';
import {
  type Member,
  type MemberCandles,
  membersOf,
  type Moment,
  momentsOf,
  readMembers,
} from './members.ts';

/** The venue whose dollar pair is the reference of spot markets. */
const SPOT_REFERENCE = 'coinbase';

export interface AggregateRow extends CandleRow {
  /** Volumes of buying and selling takers in coins, by market. */
  readonly byMarket: Record<string, number[]>;
}

export interface AggregatePage {
  /** Oldest first. */
  readonly rows: readonly AggregateRow[];
  readonly members: readonly Member[];
  readonly reference: Member;
  readonly hasOlder: boolean;
  readonly tapeFrom: number | undefined;
  /** Rows that end by then do not change any more. */
  readonly settledTo: number;
}

/**
 * Candles over every recorded market of a coin: volumes are sums, prices are those of one reference market. Where that
 * has no trade in an interval, its last price stands; before its first trade there are no candles.
 */
export async function readAggregate(
  context: Context,
  aggregate: Aggregate,
  query: Omit<CandleQuery, 'rateAt'>,
): Promise<AggregatePage> {
  const members = await membersOf(context, aggregate);
  const pages = await readMembers(context, members, query);
  const reference = referenceOf(pages);
  const moments = momentsOf(pages, query.intervalMs);
  const shown = moments.slice(-query.limit);
  let last =
    shown[0] && !shown[0].candles.has(reference)
      ? await before(context, reference, shown[0].ts, query)
      : undefined;
  const rows = shown.flatMap((moment) => {
    last = moment.candles.get(reference) ?? (last && flat(last, moment.ts));
    return last ? [rowOf(moment, last, reference)] : [];
  });
  const begins = pages.flatMap(({ tapeFrom }) => tapeFrom ?? []);
  return {
    rows,
    members,
    reference,
    hasOlder: moments.length > query.limit || pages.some((page) => page.hasOlder),
    tapeFrom: begins.length > 0 ? Math.min(...begins) : undefined,
    settledTo: Math.min(...pages.map(({ settledTo }) => settledTo)),
  };
}

/** Of perpetuals the primary venue's, which is listed first; of spot Coinbase's dollar pair, or else the largest. */
function referenceOf(pages: readonly MemberCandles[]): Member {
  const [first, ...others] = pages;
  if (!first) throw new Error('an aggregate without members');
  if (first.member.kind === 'perp') return first.member;
  const named = pages.find(({ member }) => member.venue === SPOT_REFERENCE && member.quote === 'USD');
  if (named) return named.member;
  const volumeOf = ({ candles }: MemberCandles): number =>
    candles.reduce((sum, { volume, sizeDecimals }) => sum + decimalOf(volume, sizeDecimals), 0);
  return others.reduce((best, page) => (volumeOf(page) > volumeOf(best) ? page : best), first).member;
}

/** The newest candle of the reference market before a time. */
async function before(
  { resources: { candles } }: Context,
  { market }: Member,
  to: number,
  { intervalMs }: Pick<CandleQuery, 'intervalMs'>,
): Promise<Candle | undefined> {
  const { candles: found } = await candles.read(market, { intervalMs, from: 0, to, limit: 1 });
  return found[0];
}

/** An interval without a trade of the reference market. */
function flat(last: Candle, ts: number): Candle {
  const { close, priceDecimals, sizeDecimals, origin } = last;
  return {
    ts,
    priceDecimals,
    sizeDecimals,
    open: close,
    high: close,
    low: close,
    close,
    volume: 0,
    buyVolume: 0,
    notional: 0,
    trades: 0,
    buyTrades: 0,
    liqLong: 0,
    liqShort: 0,
    origin,
  };
}

function rowOf({ candles, complete }: Moment, priced: Candle, reference: Member): AggregateRow {
  const others = [...candles].flatMap(([member, candle]) => (member === reference ? [] : candle));
  const [sum, ...rest] = withCommonDecimals([priced, ...others]);
  for (const other of rest) addFlow(sum as Candle, other);
  const byMarket = [...candles].map(([{ market }, { buyVolume = 0, volume, sizeDecimals }]) => {
    const sold = BigInt(volume) - BigInt(buyVolume);
    return [market.id, [decimalOf(buyVolume, sizeDecimals), decimalOf(sold, sizeDecimals)]];
  });
  return { ...candleRow(sum as Candle, complete), byMarket: Object.fromEntries(byMarket) };
}
