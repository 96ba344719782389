import { roundTo } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { type CountedLiquidations, countLiquidations } from '../liquidation-counting.ts';
import { connectedUntil, neverConnected, problemOf, wholeSince } from '../feed-failures.ts';
import { isConnectedThroughout } from '../liquidation-connection.ts';
import { noLiquidations } from '../liquidation-window.ts';
import { healthTopic, snapshotTopic } from '../../../topics.ts';
import { coinsAmong } from '../../markets/known-coin.ts';
import { coinName, commaList } from '../../../http/parameter.ts';
import { coinsMeta, type SourceEntry } from '../../../http/envelope.ts';
import { inferenceMeta, inferenceScoreOf } from '../../audit/inference-score.ts';
import { LiquidationSnap } from '../../perps/schema.ts';
import { type RatedRow, rateFailures } from '../../rates/usd-rate-sources.ts';
import { type Context, endpoint } from '../../context.ts';

/** The window moves: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 10_000;
/** Pairs of venue and coin requested from the aggregator at a time: its limit within the age of a figure. */
const PAIRS_MAX = 200;

type Entry = Static<typeof SourceEntry>;

export const perpsLiquidations = endpoint({
  path: '/perps/liquidations',
  summary: 'Liquidations of the last 24 hours',
  description:
    'Liquidated longs and shorts by coin over a rolling 24 hours. `measured` are those that venues report on their own feeds (Binance and OKX report at most one a second per contract: a lower bound); `inferred` are concluded from the tape of the primary venue, which does not mark them. Those of contracts quoted in USDT or USDC are converted to USD at the rate when they were received. Each venue is counted from exactly one source: its own feed if that was connected for the whole 24 hours, else an aggregator (Coinalyze, where the operator has a key for it) if it covers that venue and coin, else what its feed delivered.',
  query: Type.Object({
    coins: Type.Optional(
      commaList(coinName({ description: 'Ticker.' }), {
        description: 'Tickers, in any case. Omitted: every coin with a liquidation in the last 24 hours.',
        examples: [['BTC', 'ETH']],
      }),
    ),
  }),
  data: Type.Array(LiquidationSnap),
  meta: { ...coinsMeta, ...inferenceMeta },
  cacheSeconds: 60,
  examples: [
    { summary: 'Every coin with a liquidation', search: '' },
    { summary: 'Two coins', search: 'coins=BTC,ETH' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coins }, context) {
    const { nowMs } = context;
    const { liquidations, primaryVenue, reconciliations } = context.resources;
    const connections = liquidations.connections();
    const whole = new Set(
      connections.filter((one) => isConnectedThroughout(one, nowMs)).map(({ venue }) => venue),
    );
    const counted = countLiquidations({
      totals: (isReplaced) => liquidations.totals(isReplaced),
      isWhole: (venue) => whole.has(venue),
      figures: figuresOf(context),
      nowMs,
    });
    const asked = coins && requestedCoins(context, coins, counted.keys());
    const rows = (asked?.coins ?? [...counted.keys()].toSorted())
      .map((coin): CountedLiquidations => counted.get(coin) ?? { ...noLiquidations(coin), aggregated: [] })
      .filter((row) => asked !== undefined || usdOf(row) > 0);
    const needed = askAggregator(context, rows, whole);
    // A venue that is counted from elsewhere in every row misses nothing here.
    const isReplaced = (venue: string): boolean =>
      rows.length > 0 && rows.every(({ aggregated }) => aggregated.includes(venue));
    const counting = connections.filter(({ venue }) => !isReplaced(venue));
    const sinceTs = wholeSince(counting, liquidations.wholeSinceMs, nowMs);
    const fetchedAt = connectedUntil(connections, nowMs);
    const isDisconnected = connections.length > 0 && connections.every(({ isConnected }) => !isConnected);
    const sources = [
      ...counting.flatMap((one) => problemOf(one, nowMs) ?? []),
      ...neverConnected(context, connections)
        .filter(({ venue }) => !isReplaced(venue))
        .map(({ entry }) => entry),
      ...(needed ? aggregatorProblem(context) : []),
      ...rateFailures(context, rows.map(ratedOf)),
    ];
    const aggregated = new Set(rows.flatMap((row) => row.aggregated));
    const named = new Set([primaryVenue, ...connections.map(({ venue }) => venue), ...aggregated]);
    const isInferred = rows.some(({ inferred }) => inferred.count > 0);
    const { aggregator } = liquidations;
    if (aggregator && aggregated.size > 0) named.add(aggregator.id);
    return {
      data: rows.map((row) => ({
        coin: row.coin,
        long24hUsd: roundTo(row.measured.longUsd + row.inferred.longUsd, 2),
        short24hUsd: roundTo(row.measured.shortUsd + row.inferred.shortUsd, 2),
        max24hUsd: row.maxUsd,
        venues: [...row.venues],
        fetchedAt,
        measured: { ...row.measured },
        inferred: { ...row.inferred },
        quotes: [...row.quotes],
        ...(row.unconverted.length > 0 && { unconverted: true }),
        ...(sinceTs !== undefined && { sinceTs }),
        ...(row.aggregated.length > 0 && { aggregated: [...row.aggregated] }),
      })),
      meta: {
        fetchedAt,
        source: context.label([...named]),
        ...(isDisconnected && { stale: true, ageMs: nowMs - fetchedAt }),
        ...((sinceTs !== undefined || sources.length > 0) && { partial: true }),
        ...(sources.length > 0 && { sources }),
        ...(asked && asked.unknown.length > 0 && { unknown: [...asked.unknown] }),
        ...(isInferred && (await inferenceScoreOf(reconciliations))),
      },
      validUntilMs: nowMs + REUSE_MS,
    };
  },
});

function ratedOf({ coin, quotes, unconverted }: CountedLiquidations): RatedRow {
  return { coin, rated: quotes.filter((quote) => quote !== 'USD'), isUnconverted: unconverted.length > 0 };
}

function usdOf({ measured, inferred }: CountedLiquidations): number {
  return measured.longUsd + measured.shortUsd + inferred.longUsd + inferred.shortUsd;
}

function requestedCoins(
  context: Context,
  texts: readonly string[],
  seen: Iterable<string>,
): ReturnType<typeof coinsAmong> {
  const listed = context.latest(snapshotTopic(context.resources.primaryVenue, 'instruments'))?.rows ?? [];
  return coinsAmong([...listed.map(({ coin }) => coin), ...seen], texts);
}

function figuresOf(context: Context): Parameters<typeof countLiquidations>[0]['figures'] {
  const { aggregator } = context.resources.liquidations;
  return aggregator ? (context.latest(snapshotTopic(aggregator.id, 'liquidationTotals'))?.rows ?? []) : [];
}

/** Requests missing figures from the aggregator, the largest coins first. Returns whether there are any. */
function askAggregator(
  context: Context,
  rows: readonly CountedLiquidations[],
  whole: ReadonlySet<string>,
): boolean {
  const { aggregator } = context.resources.liquidations;
  const venues = aggregator?.venues.filter((venue) => !whole.has(venue)) ?? [];
  if (!aggregator || venues.length === 0) return false;
  const largestFirst = rows.toSorted((a, b) => usdOf(b) - usdOf(a));
  const keys = largestFirst.flatMap(({ coin }) => venues.map((venue) => `${venue}:${coin}`));
  context.demand({ venue: aggregator.id, table: 'liquidationTotals', keys: keys.slice(0, PAIRS_MAX) });
  return true;
}

function aggregatorProblem(context: Context): readonly Entry[] {
  const id = context.resources.liquidations.aggregator?.id ?? '';
  return (context.latest(healthTopic(id)) ?? [])
    .filter(({ status }) => status !== 'ok')
    .map(({ source, status, error = null, lastGoodMs }) => ({
      source,
      status,
      ageMs: lastGoodMs === undefined ? null : context.nowMs - lastGoodMs,
      error,
    }));
}
