import {
  type Aggregate,
  aggregateIdOf,
  type Candle,
  type CandleInterval,
  candleIntervalsMs,
  candleRow,
  type CandleRow,
} from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import type { Context } from '../context.ts';
import { backfillTopic } from '../../topics.ts';
import { candleDemandTopic } from '../backfill/candle-demand.ts';
import { feedOf } from '../market-tape/chosen-tape.ts';
import { knownCoin } from '../markets/known-coin.ts';
import { tapeMeta } from '../tape/tape-meta.ts';
import { aggregateRows, type AggregateRow, readAggregate } from './aggregate-candles.ts';
import { chosenMarket } from './candle-market.ts';
import { firstTsOf, newestIn } from './candle-parts.ts';
import { type CandlePage, type CandleQuery, completeness } from './candle-reader.ts';
import { inTurn, membersMeta } from './members.ts';
import { printAggregate } from './print-aggregate.ts';
import { printCandles, type PrintedCandles } from './print-candles.ts';

export interface CandleRequest {
  /** In the caller's spelling. */
  readonly market: string;
  readonly interval: CandleInterval;
  /** In ms; default: the oldest candle. */
  readonly start?: number | undefined;
  /** In ms, not included; default: now. */
  readonly end?: number | undefined;
  readonly limit: number;
}

/** A candle's completeness: null for a venue's own. Candles must be given oldest first. */
export type CompletenessOf = (candle: Candle) => boolean | null;

/** Candles of a market or of all markets of a coin. */
export type FoundCandles = Awaited<ReturnType<typeof ofMarket>> | Awaited<ReturnType<typeof ofAggregate>>;

/** Reads the requested candles, and what is to be made of them: those of an aggregate are only there meanwhile. */
export async function readCandles<Result>(
  context: Context,
  { market: name, interval, ...request }: CandleRequest,
  use: (found: FoundCandles) => Promise<Result>,
): Promise<Result> {
  const { start: from = 0, end: to = context.nowMs + 1, limit } = request;
  if (from >= to)
    throw new Failure(
      'bad_request',
      `Parameter \`start\` must be less than \`end\`: ${from} is not less than ${to}.`,
    );
  const query = { intervalMs: candleIntervalsMs[interval], from, to, limit, caller: context.caller };
  const named = context.resources.markets?.read(name);
  if (named?.type !== 'aggregate') return use(await ofMarket(context, name, interval, query));
  const aggregate = { scope: named.scope, coin: await knownCoin(context, named.coin) };
  return inTurn(context, async () => use(await ofAggregate(context, aggregate, interval, query)));
}

async function ofMarket(context: Context, name: string, interval: CandleInterval, query: CandleQuery) {
  const { nowMs } = context;
  const { to, intervalMs } = query;
  const market = await chosenMarket(context, name);
  const page = await context.resources.candles.read(market, query);
  const { parts, gaps, hasOlder, tapeFrom } = page;
  const newest = newestIn(parts);
  demandOlder(context, market.id, query, { ...page, firstTs: firstTsOf(parts[0]) });
  const completenessOf = (): CompletenessOf => {
    const isComplete = completeness(gaps);
    return ({ ts, origin }) => (origin === 'venue' ? null : isComplete(ts, ts + intervalMs));
  };
  return {
    rows: async (): Promise<readonly (CandleRow & Partial<AggregateRow>)[]> => {
      const complete = completenessOf();
      return page.candles.map((candle) => candleRow(candle, complete(candle)));
    },
    /** The rows as text, without an object for each; `undefined` if not supported. */
    print: async (form: 'json' | 'csv'): Promise<PrintedCandles | undefined> =>
      printCandles(parts, completenessOf(), form, completeness(gaps)),
    isClosed: isClosed(query, { ...page, firstTs: firstTsOf(parts[0]), newestTs: newest?.ts }),
    meta: {
      ...(await tapeMeta(context, {
        toMs: Math.min(to, nowMs),
        newestTs: newest && Math.min(newest.ts + intervalMs - 1, nowMs),
        of: market.secondary && feedOf(market.secondary.market),
      })),
      market: market.id,
      interval,
      nextEnd: hasOlder ? (firstTsOf(parts[0]) ?? null) : null,
      tapeFrom: tapeFrom ?? null,
    },
  };
}

async function ofAggregate(
  context: Context,
  aggregate: Aggregate,
  interval: CandleInterval,
  query: CandleQuery,
) {
  const page = await readAggregate(context, aggregate, query);
  const { moments, members, reference, hasOlder, tapeFrom } = page;
  const firstTs = moments.at(0)?.ts;
  const newestTs = moments.at(moments.length - 1)?.ts;
  const range = { ...page, tapeFrom: page.allFrom, firstTs, newestTs };
  for (const { market } of members) demandOlder(context, market.id, query, range);
  return {
    rows: (): Promise<readonly AggregateRow[]> => aggregateRows(page),
    print: async (form: 'json' | 'csv'): Promise<PrintedCandles | undefined> =>
      form === 'json' ? printAggregate(page) : undefined,
    isClosed: isClosed(query, range),
    meta: {
      ...membersMeta(context, members, Math.min(query.to, context.nowMs)),
      recordingSince: Math.min(...members.map(({ since }) => since)),
      market: aggregateIdOf(aggregate),
      interval,
      reference: reference.market.id,
      members: members.map(({ market, since }) => ({ market: market.id, since })),
      nextEnd: hasOlder && firstTs !== undefined ? firstTs : null,
      tapeFrom: tapeFrom ?? null,
    },
  };
}

interface ReadRange extends Pick<CandlePage, 'hasOlder' | 'tapeFrom' | 'settledTo'> {
  readonly firstTs: number | undefined;
  readonly newestTs?: number | undefined;
}

/** Whether the whole requested range is recorded. */
function isRecorded(
  { from }: CandleQuery,
  { hasOlder, firstTs = from, tapeFrom = Infinity }: ReadRange,
): boolean {
  return (hasOlder ? firstTs : from) >= tapeFrom;
}

/** Requests the venue's history from before the record for this market first. */
function demandOlder(
  { resources: { bus } }: Context,
  market: string,
  query: CandleQuery,
  read: ReadRange,
): void {
  if (isRecorded(query, read) || bus.latest(backfillTopic)?.message.isDone !== false) return;
  bus.publish(candleDemandTopic, { market });
}

/**
 * Whether the candles of the range are final: candles from before the record are requested from the venue in the
 * background, and imports replace them.
 */
function isClosed(query: CandleQuery, read: ReadRange): boolean {
  const { newestTs = -Infinity, settledTo } = read;
  return isRecorded(query, read) && query.to <= settledTo && newestTs + query.intervalMs <= settledTo;
}
