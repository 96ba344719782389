import { DAY_MS, HOUR_MS } from '@crosstape/core';
import { Type } from 'typebox';
import { choice, defaulted, limitParameter } from '../../../http/parameter.ts';
import { inferenceMeta, inferenceScoreOf } from '../../audit/inference-score.ts';
import { endpoint } from '../../context.ts';
import { connectedUntil, neverConnected, problemOf } from '../feed-failures.ts';
import { historyIntervals, LiquidationHistory } from '../history-schema.ts';
import { hourOf } from '../hour-sums.ts';
import { HOURS_KEEP_MS } from '../hour-table.ts';
import { HistoryFold } from '../liquidation-history.ts';

const DAYS_MAX = HOURS_KEEP_MS / DAY_MS;
const DAYS_DEFAULT = 7;
/** The hour in progress is written this often. */
const REUSE_MS = 30_000;

export const perpsLiquidationsHistory = endpoint({
  path: '/perps/liquidations/history',
  summary: 'Liquidations over time',
  description:
    'Liquidated longs and shorts of all coins in USD by hour or UTC day of the last 90 days, over all venues and by venue, with the largest coins. The sums are kept from the liquidations that the feeds delivered or that were inferred from the tape of the primary venue, since recording began: nothing is added from other sources. Binance and OKX report at most one a second per contract: a lower bound.',
  query: Type.Object({
    interval: defaulted(choice(historyIntervals, { description: 'Length of a point.' }), '1h'),
    days: limitParameter({
      max: DAYS_MAX,
      byDefault: DAYS_DEFAULT,
      description:
        'How many days back: hours up to the one in progress, or UTC days including the present one.',
      example: 30,
    }),
  }),
  data: LiquidationHistory,
  meta: inferenceMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'Hours of a week', search: '' },
    { summary: 'Days of a quarter', search: 'interval=1d&days=90' },
  ],
  errors: ['upstream_unavailable'],
  async handle({ interval, days }, context) {
    const { nowMs, caller } = context;
    const { liquidationHours, liquidations, reconciliations, primaryVenue } = context.resources;
    const fromMs =
      interval === '1d'
        ? Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
        : hourOf(nowMs) - days * DAY_MS + HOUR_MS;
    const fold = new HistoryFold(interval);
    for await (const rows of liquidationHours.between(fromMs, nowMs, caller))
      for (const row of rows) fold.add(row);
    const points = fold.points(nowMs);
    const venues = fold.venues(nowMs);
    const connections = liquidations.connections();
    const sources = [
      ...connections.flatMap((one) => problemOf(one, nowMs) ?? []),
      ...neverConnected(context, connections).map(({ entry }) => entry),
    ];
    const fetchedAt = connectedUntil(connections, nowMs);
    const isDisconnected = connections.length > 0 && connections.every(({ isConnected }) => !isConnected);
    const isInferred = points.some(({ inferred }) => inferred.count > 0);
    return {
      data: {
        interval,
        points: [...points],
        venues: [...venues],
        coins: fold.coins(),
        recordingSince: (await liquidationHours.oldest()) ?? null,
        retention: `${DAYS_MAX}d`,
        fetchedAt,
      },
      meta: {
        fetchedAt,
        source: context.label(
          venues.length === 0 ? [primaryVenue] : venues.map(({ venue }) => venue).toSorted(),
        ),
        ...(isDisconnected && { stale: true, ageMs: nowMs - fetchedAt }),
        ...(sources.length > 0 && { partial: true, sources }),
        ...(isInferred && (await inferenceScoreOf(reconciliations))),
      },
      validUntilMs: nowMs + REUSE_MS,
    };
  },
});
