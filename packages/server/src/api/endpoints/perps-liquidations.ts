import { Type, type Static } from 'typebox';
import { noLiquidations } from '../../analytics/liquidation-window.ts';
import type { VenueHearing } from '../../analytics/liquidations.ts';
import { roundTo } from '@crosstape/core';
import { LIQUIDATION_WINDOW_MS } from '../../store/liquidation-shelf.ts';
import { snapshotTopic } from '../../topics.ts';
import { findCoins, indexCoins } from '../coins.ts';
import type { Context } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { Failure } from '../../platform/errors.ts';
import { coinName, commaList } from '../parameter.ts';
import { coinsMeta, type SourceEntry } from '../schemas/envelope.ts';
import { LiquidationSnap } from '../schemas/perps.ts';

/** The window moves on: an answer is reused for this long whatever its cache time. */
const REUSE_MS = 10_000;
/** A shorter silence than this is a reconnect, not a hole worth telling. */
const HOLE_MIN_MS = 60_000;

export const perpsLiquidations = endpoint({
  path: '/perps/liquidations',
  summary: 'Liquidations of the last 24 hours',
  description:
    'Liquidated longs and shorts by coin over a rolling 24 hours. `measured` are those that venues report on their own feeds (Binance reports at most one a second per contract: a lower bound); `inferred` are concluded from the tape of the primary venue, which does not mark them.',
  query: Type.Object({
    coins: Type.Optional(
      commaList(coinName({ description: 'Ticker.' }), {
        description: 'Tickers, in any case. Omitted: every coin with a liquidation in the last 24 hours.',
        examples: [['BTC', 'ETH']],
      }),
    ),
  }),
  data: Type.Array(LiquidationSnap),
  meta: coinsMeta,
  cacheSeconds: 60,
  examples: [
    { summary: 'Every coin with a liquidation', search: '' },
    { summary: 'Two coins', search: 'coins=BTC,ETH' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  handle({ coins }, context) {
    const { nowMs } = context;
    const { liquidations } = context.resources;
    const totals = liquidations.totals();
    const heard = liquidations.hearing();
    const asked = coins && askedCoins(context, coins, totals.keys());
    const sinceTs = wholeSince(heard, liquidations.wholeSinceMs, nowMs);
    const fetchedAt = heardUntil(heard, nowMs);
    const chosen = asked?.coins ?? [...totals.keys()].toSorted();
    const data = chosen.map((coin) => {
      const { maxUsd, venues, measured, inferred } = totals.get(coin) ?? noLiquidations(coin);
      return {
        coin,
        long24hUsd: roundTo(measured.longUsd + inferred.longUsd, 2),
        short24hUsd: roundTo(measured.shortUsd + inferred.shortUsd, 2),
        max24hUsd: maxUsd,
        venues: [...venues],
        fetchedAt,
        measured: { ...measured },
        inferred: { ...inferred },
        ...(sinceTs !== undefined && { sinceTs }),
      };
    });
    const sources = heard.flatMap((venue) => troubleOf(venue, nowMs) ?? []);
    return {
      data,
      meta: {
        fetchedAt,
        source: context.label([context.resources.primaryVenue, ...heard.map(({ venue }) => venue)]),
        ...((sinceTs !== undefined || sources.length > 0) && { partial: true }),
        ...(sources.length > 0 && { sources }),
        ...(asked && asked.unknown.length > 0 && { unknown: [...asked.unknown] }),
      },
      validUntilMs: nowMs + REUSE_MS,
    };
  },
});

function askedCoins(
  context: Context,
  texts: readonly string[],
  seen: Iterable<string>,
): ReturnType<typeof findCoins> {
  const listed = context.latest(snapshotTopic(context.resources.primaryVenue, 'instruments'))?.rows ?? [];
  const found = findCoins(indexCoins([...listed.map(({ coin }) => coin), ...seen]), texts);
  if (found.coins.length > 0) return found;
  throw new Failure('not_found', 'None of the asked coins is known.', { meta: { unknown: found.unknown } });
}

/** Since when the record is whole, if that is less than the window. */
function wholeSince(
  heard: readonly VenueHearing[],
  forgottenUntilMs: number,
  nowMs: number,
): number | undefined {
  const windowFromMs = nowMs - LIQUIDATION_WINDOW_MS;
  const begins = heard.map(({ spans }) => spans[0]?.from ?? nowMs);
  const sinceMs = Math.max(Math.min(nowMs, ...begins), forgottenUntilMs);
  return sinceMs > windowFromMs ? sinceMs : undefined;
}

function heardUntil(heard: readonly VenueHearing[], nowMs: number): number {
  const ends = heard.map(({ isHeard, spans }) => (isHeard ? nowMs : (spans.at(-1)?.to ?? 0)));
  return Math.max(0, ...ends) || nowMs;
}

/** A venue that is not heard now, or was not for a part of the window. */
function troubleOf(
  { venue, isHeard, spans }: VenueHearing,
  nowMs: number,
): Static<typeof SourceEntry> | undefined {
  const source = `${venue}:liquidations`;
  const lastMs = spans.at(-1)?.to;
  const ageMs = lastMs === undefined ? null : nowMs - lastMs;
  if (!isHeard)
    return { source, status: 'down', ageMs, error: `The liquidations of ${venue} are not heard now.` };
  let missingMs = 0;
  let untilMs = Math.max(nowMs - LIQUIDATION_WINDOW_MS, spans[0]?.from ?? nowMs);
  for (const { from, to } of spans) {
    missingMs += Math.max(0, from - untilMs);
    untilMs = Math.max(untilMs, to);
  }
  if (missingMs < HOLE_MIN_MS) return undefined;
  const minutes = Math.round(missingMs / 60_000);
  const error = `The liquidations of ${venue} were not heard for ${minutes} of the last 1440 minutes.`;
  return { source, status: 'stale', ageMs: 0, error };
}
