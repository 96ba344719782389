import type { CatalogVenue, MarketList } from '@crosstape/core';
import type { Static } from 'typebox';
import { joinMarkets, type ListedMarket, marketsOf } from '../analytics/market-list.ts';
import { Failure } from '../platform/errors.ts';
import { snapshotTopic } from '../topics.ts';
import type { Context } from './context.ts';
import type { Meta, SourceEntry } from './schemas/envelope.ts';
import { joinedMeta, readTables } from './venue-tables.ts';

/** Soon asked for again, where a list is missing. */
const RETRY_MS = 1_000;

export interface MarketsReading {
  readonly markets: readonly ListedMarket[];
  readonly meta: Static<typeof Meta>;
  readonly asOfMs: number;
  readonly validUntilMs: number;
}

interface ListReading {
  readonly list: MarketList;
  readonly reading?: Awaited<ReturnType<typeof readTables<MarketList['table']>>>;
  readonly failure?: Failure;
}

/**
 * All markets of a venue, of every kind that it has; without those of a list that cannot be had, unless that is all.
 * Only where no list is there is one waited for.
 */
export async function readMarkets(
  context: Context,
  { lists }: CatalogVenue,
  cacheSeconds: number,
): Promise<MarketsReading> {
  const { bus } = context.resources;
  const isAwaited = !lists.some(({ publisher, table }) => bus.latest(snapshotTopic(publisher, table)));
  const readings = await Promise.all(
    lists.map((list) => readList(context, list, { cacheSeconds, isAwaited })),
  );
  const good = readings.flatMap(({ list, reading }) => (reading ? [{ list, ...reading }] : []));
  const failures = readings.flatMap(({ failure }) => failure ?? []);
  if (good.length === 0 && failures[0]) throw failures[0];
  const metas = good.map(({ meta }) => meta);
  const joined = joinedMeta(metas);
  const missing = failures.flatMap(
    ({ details }) => (details.meta?.sources ?? []) as Static<typeof SourceEntry>[],
  );
  const markets = joinMarkets(
    good.flatMap(({ list, tables }) => tables.map(({ rows }) => marketsOf(list, rows))),
    context.nowMs,
  );
  return {
    markets,
    meta: {
      ...joined,
      source: [...new Set(metas.map(({ source }) => source))].join('+'),
      ...(failures.length > 0 && { partial: true, sources: [...(joined.sources ?? []), ...missing] }),
    },
    asOfMs: Math.max(...good.map((list) => list.asOfMs)),
    validUntilMs: Math.min(
      ...good.map(({ validUntilMs }) => validUntilMs),
      markets.reduce((nextMs, { endMs = Infinity }) => Math.min(nextMs, endMs), Infinity),
      failures.length > 0 ? context.nowMs + RETRY_MS : Infinity,
    ),
  };
}

async function readList(
  context: Context,
  list: MarketList,
  how: { readonly cacheSeconds: number; readonly isAwaited: boolean },
): Promise<ListReading> {
  const { publisher, table } = list;
  try {
    return { list, reading: await readTables(context, { table, venues: [publisher], ...how }) };
  } catch (error) {
    if (error instanceof Failure && error.code === 'upstream_unavailable') return { list, failure: error };
    throw error;
  }
}
