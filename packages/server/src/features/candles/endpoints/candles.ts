import {
  type Aggregate,
  aggregateIdOf,
  type CandleInterval,
  candleIntervalsMs,
  candleRow,
} from '@crosstape/core';
import { Type } from 'typebox';
import { orNull } from '../../../http/field.ts';
import { defaulted } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { type Context, endpoint } from '../../context.ts';
import { feedOf } from '../../market-tape/chosen-tape.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { recordingMeta } from '../../tape/schema.ts';
import { tapeMeta } from '../../tape/tape-meta.ts';
import { readAggregate } from '../aggregate-candles.ts';
import { chosenMarket } from '../candle-market.ts';
import { type CandleQuery, completeness } from '../candle-reader.ts';
import { membersMeta } from '../members.ts';
import { candleInterval, candleMarketId, CandleRecord, memberList } from '../schema.ts';

const LIMIT_MAX = 10_000;
/** The newest candle grows with every trade: an answer with it is reused for this long. */
const REUSE_MS = 1_000;
/** `max-age` of candles that do not change any more. */
const CLOSED_SECONDS = 86_400;

export const candles = endpoint({
  path: '/candles',
  summary: 'Candles of a market',
  description:
    'Of one market, or of every recorded market of a coin (`perp:BTC`, `spot:BTC`, `all:BTC`): volumes are then sums over the members, notional in USD, and prices those of `meta.reference`. The newest `limit` candles that begin in `start <= ts < end`, oldest first. To page back, ask again with `end` set to `meta.nextEnd` until it is null. The newest candle may still be growing. Every figure of a market equals that of a build of `time` bars from the same trades.',
  query: Type.Object({
    market: candleMarketId,
    interval: candleInterval,
    start: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Start in milliseconds since the Unix epoch. Omitted: as far back as there are candles.',
        examples: [1_789_913_600_000],
      }),
    ),
    end: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'End in milliseconds since the Unix epoch, not included. Omitted: now.',
        examples: [1_790_000_000_000],
      }),
    ),
    limit: defaulted(
      Type.Integer({
        minimum: 1,
        maximum: LIMIT_MAX,
        description: 'Most candles in one answer.',
        examples: [500],
      }),
      1_000,
    ),
  }),
  data: Type.Array(CandleRecord),
  meta: {
    ...recordingMeta,
    market: Type.String({ description: 'Id of the market.', examples: ['hyperliquid:BTC'] }),
    interval: Type.String({ description: 'Length of a candle.', examples: ['1m'] }),
    nextEnd: orNull(Type.Integer(), '`end` of the next older page; null when there is none.'),
    reference: Type.Optional(
      Type.String({ description: 'Of an aggregate: id of the market whose prices are shown.' }),
    ),
    members: Type.Optional(memberList),
    tapeFrom: orNull(
      Type.Integer(),
      "First minute of recorded trades; candles before it are the venue's own. Null without a record.",
    ),
  },
  cacheSeconds: 10,
  examples: [
    { summary: 'The last 1,000 minutes of Bitcoin', search: 'market=hyperliquid:BTC' },
    { summary: 'All recorded markets of Bitcoin together', search: 'market=all:BTC&interval=1h' },
    { summary: 'Its last 30 days', search: 'market=hyperliquid:BTC&interval=1d&limit=30' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ market: name, interval, start = 0, end, limit }, context) {
    const { nowMs } = context;
    const to = end ?? nowMs + 1;
    if (start >= to)
      throw new Failure(
        'bad_request',
        `Parameter \`start\` must be less than \`end\`: ${start} is not less than ${to}.`,
      );
    const intervalMs = candleIntervalsMs[interval];
    const query = { intervalMs, from: start, to, limit };
    const named = context.resources.markets?.read(name);
    if (named?.type === 'aggregate') {
      const aggregate = { scope: named.scope, coin: await knownCoin(context, named.coin) };
      return ofAggregate(context, aggregate, interval, query);
    }
    const market = await chosenMarket(context, name);
    const page = await context.resources.candles.read(market, query);
    const isComplete = completeness(page.gaps);
    const data = page.candles.map((candle) =>
      candleRow(candle, candle.origin === 'venue' ? null : isComplete(candle.ts, candle.ts + intervalMs)),
    );
    const newest = data.at(-1);
    return {
      data,
      meta: {
        ...(await tapeMeta(context, {
          toMs: Math.min(to, nowMs),
          newestTs: newest && Math.min(newest.ts + intervalMs - 1, nowMs),
          of: market.secondary && feedOf(market.secondary.market),
        })),
        market: market.id,
        interval,
        nextEnd: page.hasOlder && data[0] ? data[0].ts : null,
        tapeFrom: page.tapeFrom ?? null,
      },
      ...reuse(context, query, newest?.ts, page.settledTo),
    };
  },
});

async function ofAggregate(
  context: Context,
  aggregate: Aggregate,
  interval: CandleInterval,
  query: CandleQuery,
) {
  const page = await readAggregate(context, aggregate, query);
  const { rows, members, reference, hasOlder, tapeFrom, settledTo } = page;
  return {
    data: [...rows],
    meta: {
      ...membersMeta(context, members, Math.min(query.to, context.nowMs)),
      recordingSince: Math.min(...members.map(({ since }) => since)),
      market: aggregateIdOf(aggregate),
      interval,
      reference: reference.market.id,
      members: members.map(({ market, since }) => ({ market: market.id, since })),
      nextEnd: hasOlder && rows[0] ? rows[0].ts : null,
      tapeFrom: tapeFrom ?? null,
    },
    ...reuse(context, query, rows.at(-1)?.ts, settledTo),
  };
}

/** How long an answer stays as it is. */
function reuse(
  { nowMs }: Context,
  { to, intervalMs }: CandleQuery,
  newestTs: number | undefined,
  settledTo: number,
) {
  const isClosed = to <= settledTo && (newestTs === undefined || newestTs + intervalMs <= settledTo);
  return isClosed ? { cacheSeconds: CLOSED_SECONDS } : { validUntilMs: nowMs + REUSE_MS };
}
