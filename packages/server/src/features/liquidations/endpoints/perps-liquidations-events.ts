import { type Liquidation, marketIdOf } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { orNull, timeMs } from '../../../http/field.ts';
import {
  coinName,
  venueName,
  endParameter,
  limitParameter,
  startParameter,
} from '../../../http/parameter.ts';
import { inferenceMeta, inferenceScoreOf } from '../../audit/inference-score.ts';
import { type Context, endpoint } from '../../context.ts';
import { knownCoin } from '../../markets/known-coin.ts';
import { perpVenueIds } from '../../markets/venue-ids.ts';
import { readTapeRange } from '../../tape/tape-range.ts';
import { connectedUntil, neverConnected, problemOf, wholeSince } from '../feed-failures.ts';
import { LIQUIDATION_WINDOW_MS, LIQUIDATIONS_KEEP_MS } from '../liquidation-table.ts';
import { LiquidationEvent } from '../schema.ts';

/** Events arrive every second: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 1_000;

export const perpsLiquidationsEvents = endpoint({
  path: '/perps/liquidations/events',
  summary: 'Liquidation events',
  description:
    'Every liquidation of the last 30 days that a venue reported on its feed or that was inferred from the tape of the primary venue, newest first. Ask again with `end` set to `meta.nextEnd` until it is null. A millisecond is never split between two answers, so that one may have more than `limit` events; a search for a rare coin may return fewer, and still have a `nextEnd`.',
  query: Type.Object({
    coin: Type.Optional(
      coinName({ description: 'Ticker, in any case. Omitted: every coin.', examples: ['BTC'] }),
    ),
    venue: Type.Optional(
      Object.assign(venueName(perpVenueIds), {
        description: 'Only those of this venue. Omitted: every venue.',
        examples: ['bybit'],
      }),
    ),
    start: startParameter('Start in milliseconds since the Unix epoch. Omitted: 24 hours before now.'),
    end: endParameter(),
    limit: limitParameter({
      max: 5_000,
      byDefault: 500,
      description: 'Most events to return.',
      example: 100,
    }),
  }),
  data: Type.Array(LiquidationEvent),
  meta: {
    nextEnd: orNull(Type.Integer(), 'Where the next answer ends; null when there is nothing older.'),
    sinceTs: Type.Optional(
      timeMs('Since when the feeds were all connected, where that is after the start of the range.'),
    ),
    ...inferenceMeta,
  },
  cacheSeconds: 10,
  examples: [
    { summary: 'The newest liquidations', search: '' },
    { summary: 'Bitcoin on Bybit', search: 'coin=BTC&venue=bybit' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coin: text, venue, start, end, limit }, context) {
    const { from, to } = readTapeRange(context, { start, end });
    const coin = text === undefined ? undefined : await knownCoin(context, text);
    const found = await context.resources.liquidationEvents.newest({
      fromMs: Math.max(from, context.nowMs - LIQUIDATIONS_KEEP_MS),
      toMs: to,
      limit,
      caller: context.caller,
      ...(coin !== undefined && { coin }),
      ...(venue !== undefined && { venue }),
    });
    const venues = [...new Set(found.events.map((event) => event.venue))];
    const { primaryVenue, reconciliations } = context.resources;
    const isInferred = found.events.some(({ inferred }) => inferred);
    return {
      data: found.events.map(eventOf),
      meta: {
        ...feedMeta(context, { from, to, venue }),
        source: context.label(venues.length === 0 ? [venue ?? primaryVenue] : venues.toSorted()),
        nextEnd: found.nextEndMs ?? null,
        ...(isInferred && (await inferenceScoreOf(reconciliations))),
      },
      validUntilMs: context.nowMs + REUSE_MS,
    };
  },
});

/** State of the feeds of the last 24 hours, if the range includes them; for earlier times it is unknown. */
function feedMeta(
  context: Context,
  { from, to, venue }: { readonly from: number; readonly to: number; readonly venue: string | undefined },
) {
  const { nowMs } = context;
  if (to <= nowMs - LIQUIDATION_WINDOW_MS) return { fetchedAt: nowMs };
  const { liquidations } = context.resources;
  const all = liquidations.connections();
  const connections = all.filter((one) => venue === undefined || one.venue === venue);
  const begunMs =
    connections.length === 0 ? undefined : wholeSince(connections, liquidations.wholeSinceMs, nowMs);
  const sinceTs = begunMs !== undefined && begunMs > from ? begunMs : undefined;
  const sources = [
    ...connections.flatMap((one) => problemOf(one, nowMs) ?? []),
    ...neverConnected(context, all).flatMap((one) =>
      venue === undefined || one.venue === venue ? one.entry : [],
    ),
  ];
  const fetchedAt = connectedUntil(connections, nowMs);
  const isDisconnected = connections.length > 0 && connections.every(({ isConnected }) => !isConnected);
  return {
    fetchedAt,
    ...(isDisconnected && { stale: true, ageMs: nowMs - fetchedAt }),
    ...((sinceTs !== undefined || sources.length > 0) && { partial: true }),
    ...(sources.length > 0 && { sources }),
    ...(sinceTs !== undefined && { sinceTs }),
  };
}

function eventOf(event: Liquidation): Static<typeof LiquidationEvent> {
  const { ts, venue, coin, symbol = coin, side, price, size, notionalUsd, quote, inferred } = event;
  return {
    ts,
    venue,
    market: marketIdOf({ venue, kind: 'perp', symbol }),
    coin,
    side,
    position: side === 'sell' ? 'long' : 'short',
    price,
    size,
    notionalUsd,
    quote: quote ?? 'USD',
    ...(event.isUnconverted && { unconverted: true }),
    inferred,
  };
}
