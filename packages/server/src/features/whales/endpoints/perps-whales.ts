import { Type } from 'typebox';
import { chosenIn, feedOf, marketParameter } from '../../market-tape/chosen-tape.ts';
import type { StoredMarket } from '../../market-tape/market-table.ts';
import { coinName, defaulted, limitParameter } from '../../../http/parameter.ts';
import { timeMs } from '../../../http/field.ts';
import { WhaleTick } from '../../perps/schema.ts';
import {
  tradeFeedMeta,
  tradeFeedsState,
  tradeFeedState,
  waitForTradeFeed,
} from '../../tape/trade-feed-health.ts';
import { venuesParameter, venueTick, whaleTick } from '../whale-tick.ts';
import { WHALE_FLOOR_USD, type WhaleQuery } from '../whale-table.ts';
import { Failure } from '../../../platform/errors.ts';
import { marketKey } from '../../../store/market-key.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { type Context, endpoint } from '../../context.ts';

/** The record grows with every trade: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 1_000;
const cacheSeconds = 10;

export const perpsWhales = endpoint({
  path: '/perps/whales',
  summary: 'Large prints',
  description:
    'The large prints of the primary venue, or with `market` of that market, or with `venues=all` of every recorded market, newest first. Notionals of USDT- and USDC-quoted markets are converted to USD. The fills of one taker order are one print: notional summed, price volume-weighted. Where a venue names no orders, fills of one time and side are one print (`grouping`).',
  query: Type.Object({
    minUsd: defaulted(
      Type.Number({ minimum: 0, description: 'Smallest notional in USD.', examples: [250_000] }),
      100_000,
    ),
    coin: Type.Optional(
      coinName({
        description: 'Ticker, in any case. Omitted, and without `market`: every coin.',
        examples: ['BTC'],
      }),
    ),
    market: marketParameter,
    venues: venuesParameter,
    sinceMs: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Only prints with `ts` at or after it. Milliseconds since the Unix epoch.',
        examples: [1_790_000_000_000],
      }),
    ),
    limit: limitParameter({ max: 1_000, byDefault: 200, description: 'Most prints to return.', example: 50 }),
  }),
  data: Type.Array(WhaleTick),
  meta: {
    recordedSince: Type.Optional(
      timeMs(
        'When the record begins: older prints were not recorded, or are no longer kept. With `venues=all` that of the venue whose record begins last. `/coverage` lists gaps since.',
      ),
    ),
  },
  cacheSeconds,
  examples: [
    { summary: 'The newest prints of 100,000 USD and more', search: '' },
    { summary: 'Of every recorded venue', search: 'venues=all&minUsd=1000000' },
    { summary: 'Bitcoin, a million and more', search: 'coin=BTC&minUsd=1000000' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coin: text, market: id, venues, ...query }, context) {
    if (venues === 'all') return ofAll(context, { text, id }, query);
    const isOfAll = text === undefined && id === undefined;
    const { coin, market } = isOfAll
      ? { coin: undefined, market: undefined }
      : await chosenIn(context, 'Parameter', { coin: text, market: id });
    if (market) return ofMarket(context, market, query);
    const wanted = { ...query, ...(coin !== undefined && { coin }) };
    let page = await context.resources.whales.newest(wanted, context.caller);
    if (page.prints.length === 0) {
      await waitForTradeFeed(context);
      page = await context.resources.whales.newest(wanted, context.caller);
    }
    const { prints, recordedSinceMs } = page;
    return {
      data: prints.map(whaleTick),
      meta: {
        ...tradeFeedMeta(context, prints[0]?.ts),
        recordedSince: recordedSinceMs,
      },
      validUntilMs: context.nowMs + REUSE_MS,
    };
  },
});

async function ofAll(
  context: Context,
  { text, id }: { readonly text: string | undefined; readonly id: string | undefined },
  query: WhaleQuery,
) {
  const { resources, nowMs } = context;
  const { whales, markets, primaryVenue } = resources;
  if (id !== undefined)
    throw new Failure('bad_request', 'Parameters `market` and `venues` exclude each other.');
  if (text === undefined && query.minUsd < WHALE_FLOOR_USD)
    throw new Failure(
      'bad_request',
      `Parameter \`minUsd\` must be at least ${WHALE_FLOOR_USD} with \`venues=all\` and without \`coin\`: smaller prints are searched for on the tape of each market.`,
    );
  const coin = text === undefined ? undefined : await knownCoin(context, text);
  const wanted = { ...query, ...(coin !== undefined && { coin }) };
  const recorded = ((await markets?.list()) ?? []).filter(
    (market) => coin === undefined || market.coin === coin,
  );
  const [own, others] = await Promise.all([
    whales.newest(wanted, context.caller),
    whales.ofMarkets(recorded, wanted, context.caller),
  ]);
  const primary = own.prints.map((print) => ({
    ...whaleTick(print),
    market: marketKey(primaryVenue, print.coin),
  }));
  const data = [...primary, ...others.map(venueTick)].toSorted((a, b) => b.ts - a.ts).slice(0, query.limit);
  const feeds = [{ venue: primaryVenue, feed: 'trades' }, ...recorded.map((market) => feedOf(market).name)];
  return {
    data,
    meta: {
      ...tradeFeedsState(context, feeds, nowMs),
      recordedSince: Math.max(own.recordedSinceMs, ...venueStarts(recorded)),
    },
    validUntilMs: nowMs + REUSE_MS,
  };
}

/** When the record of each venue begins: a market that is listed later does not begin it again. */
function venueStarts(markets: readonly StoredMarket[]): Iterable<number> {
  const starts = new Map<string, number>();
  for (const { publisher, recordingSince } of markets)
    starts.set(publisher, Math.min(recordingSince, starts.get(publisher) ?? recordingSince));
  return starts.values();
}

async function ofMarket(context: Context, market: StoredMarket, query: WhaleQuery) {
  const prints = await context.resources.whales.ofMarket(market, query, context.caller);
  const { id, grouping, recordingSince } = market;
  return {
    data: prints.map((print) => ({ ...whaleTick(print), market: id, ...(grouping && { grouping }) })),
    meta: {
      ...tradeFeedState(context, prints[0]?.ts, feedOf(market).name),
      recordedSince: recordingSince,
    },
    validUntilMs: context.nowMs + REUSE_MS,
  };
}
