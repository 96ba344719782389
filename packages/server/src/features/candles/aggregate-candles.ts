import {
  type Aggregate,
  type Candle,
  candleRow,
  type CandleRow,
  decimalOf,
  sumMarkets,
  type Whole,
} from '@crosstape/core';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Context } from '../context.ts';
import type { CandleQuery } from './candle-reader.ts';
import {
  CANDLES_PER_TURN,
  type Member,
  type MemberCandles,
  membersOf,
  type Moment,
  type Moments,
  momentsOf,
  readMembers,
} from './members.ts';

/** The venue whose dollar pair is the reference of spot markets. */
const SPOT_REFERENCE = 'coinbase';

export interface AggregateRow extends CandleRow {
  /** Volumes of buying and selling takers in coins, by market. */
  readonly byMarket: Record<string, number[]>;
}

/** An interval over all members. */
export interface AggregateCandle {
  readonly sum: Candle;
  readonly moment: Moment;
}

export interface AggregatePage {
  readonly members: readonly Member[];
  readonly reference: Member;
  /** Intervals with a price, oldest first. */
  readonly moments: Moments;
  /** The newest earlier candle of the reference market, if the first moment has none. */
  readonly before: Candle | undefined;
  readonly hasOlder: boolean;
  readonly tapeFrom: number | undefined;
  /** From when on every member is recorded; Infinity while one has no trade. */
  readonly allFrom: number;
  /** Candles that end by then do not change any more. */
  readonly settledTo: number;
  /** The caller that the work is scheduled for. */
  readonly caller?: string | undefined;
}

/**
 * Candles over every recorded market of a coin: volumes are sums, prices are the reference market's. If it has no trade
 * in an interval, its last price is used; before its first trade there are no candles. Before a member's record its
 * venue's own candles count.
 */
export async function readAggregate(
  context: Context,
  aggregate: Aggregate,
  query: Omit<CandleQuery, 'rateAt'>,
): Promise<AggregatePage> {
  const pages = await readMembers(context, await membersOf(context, aggregate), query);
  const members = pages.map(({ member }) => member);
  const reference = referenceOf(pages);
  const place = members.indexOf(reference);
  const moments = await momentsOf(pages, query.intervalMs, query);
  const priced = firstPriced(moments, place);
  const firstTs = moments.at(0)?.ts;
  const before =
    firstTs !== undefined && priced !== 0
      ? await newestBefore(context, reference, firstTs, query)
      : undefined;
  const begins = pages.flatMap(({ tapeFrom }) => tapeFrom ?? []);
  return {
    members,
    reference,
    moments: before ? moments : momentsFrom(moments, priced),
    before,
    hasOlder: moments.hasOlder || pages.some((page) => page.hasOlder),
    tapeFrom: begins.length > 0 ? Math.min(...begins) : undefined,
    allFrom: Math.max(...pages.map((page) => page.tapeFrom ?? Infinity)),
    settledTo: Math.min(...pages.map(({ settledTo }) => settledTo)),
    caller: query.caller,
  };
}

/** The first moment with a candle of a member; as many as there are without one. */
function firstPriced(moments: Moments, place: number): number {
  let i = 0;
  while (i < moments.length && !moments.at(i)?.candles[place]) i += 1;
  return i;
}

function momentsFrom(moments: Moments, first: number): Moments {
  return { length: moments.length - first, at: (i) => moments.at(first + i) };
}

/** Calls back for every candle, oldest first. Yields to the event loop in between. */
export async function eachAggregate(
  {
    members,
    reference,
    moments,
    before,
    caller,
  }: Pick<AggregatePage, 'members' | 'reference' | 'moments' | 'before' | 'caller'>,
  use: (candle: AggregateCandle) => void,
): Promise<void> {
  const place = members.indexOf(reference);
  const perTurn = Math.ceil(CANDLES_PER_TURN / members.length);
  let last = before;
  for (let i = 0; i < moments.length; i += 1) {
    const moment = moments.at(i)!;
    const own = moment.candles[place];
    last = own ?? flat(last as Candle, moment.ts);
    use({ sum: sumMarkets(last, moment.candles), moment });
    if ((i + 1) % perTurn === 0) await nextTurn(caller);
  }
}

export async function aggregateRows(page: AggregatePage): Promise<readonly AggregateRow[]> {
  const rows: AggregateRow[] = [];
  await eachAggregate(page, ({ sum, moment }) => {
    const byMarket: AggregateRow['byMarket'] = {};
    for (const [i, candle] of moment.candles.entries()) {
      if (candle?.buyVolume === undefined) continue;
      const { buyVolume, sizeDecimals } = candle;
      const volumes = [decimalOf(buyVolume, sizeDecimals), decimalOf(soldIn(candle), sizeDecimals)];
      byMarket[page.members[i]!.market.id] = volumes;
    }
    rows.push({ ...candleRow(sum, completeOf(sum, moment)), byMarket });
  });
  return rows;
}

/** Null as soon as a candle of a venue is in the sum. */
export function completeOf({ origin }: Candle, { complete }: Moment): boolean | null {
  return origin === 'venue' ? null : complete;
}

/** Volume of selling takers; only of candles that name that of buying ones. */
export function soldIn({ volume, buyVolume = 0 }: Candle): Whole {
  return typeof volume === 'number' && typeof buyVolume === 'number'
    ? volume - buyVolume
    : BigInt(volume) - BigInt(buyVolume);
}

/** The primary venue's perpetual, which is listed first; for spot Coinbase's dollar pair. `undefined`: the largest. */
export function namedReference(members: readonly Member[]): Member | undefined {
  const [first] = members;
  if (first?.kind === 'perp') return first;
  return members.find(({ venue, quote }) => venue === SPOT_REFERENCE && quote === 'USD');
}

function referenceOf(pages: readonly MemberCandles[]): Member {
  const [first, ...others] = pages;
  if (!first) throw new Error('an aggregate without members');
  const named = namedReference(pages.map(({ member }) => member));
  if (named) return named;
  return others.reduce((best, page) => (page.candles.volume > best.candles.volume ? page : best), first)
    .member;
}

/** The newest candle of the reference market before a time. */
async function newestBefore(
  { resources: { candles } }: Context,
  { market }: Member,
  to: number,
  { intervalMs, caller }: Pick<CandleQuery, 'intervalMs' | 'caller'>,
): Promise<Candle | undefined> {
  const { candles: found } = await candles.read(market, { intervalMs, from: 0, to, limit: 1, caller });
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
