import type { CatalogVenue, MarketList } from '@crosstape/core';
import type { Static } from 'typebox';
import { joinMarkets, type ListedMarket, marketsOf } from './market-list.ts';
import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import type { Meta, SourceEntry } from '../../http/envelope.ts';
import { joinedMeta, readTables, staleAtMsOf } from './read-tables.ts';
import type { Context } from '../context.ts';

/** Kinds whose lists are fetched on demand. */
const onDemand: ReadonlySet<MarketList['kind']> = new Set(['option', 'prediction']);

/** Reuse time of an answer with a missing list. */
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
 * All markets of a venue, of every kind; without those of an unavailable list, unless it is the only one. Waits only if
 * no list is available, or if one is old only because nothing requested it.
 */
export async function readMarkets(
  context: Context,
  { lists }: CatalogVenue,
  cacheSeconds: number,
): Promise<MarketsReading> {
  const { bus } = context.resources;
  const wanted = lists.map((list) => {
    const isOnDemand = onDemand.has(list.kind);
    const newest = bus.latest(snapshotTopic(list.publisher, list.table))?.message;
    const isFresh = newest !== undefined && (!isOnDemand || context.nowMs <= staleAtMsOf(newest));
    return { list, isOnDemand, isFresh, isOld: newest !== undefined && !isFresh };
  });
  const isAnyFresh = wanted.some(({ isFresh }) => isFresh);
  const readings = await Promise.all(
    wanted.map(({ list, isOnDemand, isOld }) =>
      readList(context, list, { cacheSeconds, isOnDemand, isAwaited: isOld || !isAnyFresh }),
    ),
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
  how: { readonly cacheSeconds: number; readonly isOnDemand: boolean; readonly isAwaited: boolean },
): Promise<ListReading> {
  const { publisher, table } = list;
  try {
    return { list, reading: await readTables(context, { table, venues: [publisher], ...how }) };
  } catch (error) {
    if (error instanceof Failure && error.code === 'upstream_unavailable') return { list, failure: error };
    throw error;
  }
}
