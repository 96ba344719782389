import type { OptionQuote, OptionTables, Tables } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { optionCoins, optionsVenueId, optionTables, tableOfChain } from '../analytics/option-chain.ts';
import { type OptionFigures, optionFiguresTopic } from '../analytics/option-figures.ts';
import { Failure } from '../platform/errors.ts';
import { snapshotTopic } from '../topics.ts';
import type { Context } from './context.ts';
import { coinChoice } from './parameter.ts';
import type { Meta } from './schemas/envelope.ts';
import { joinedMeta, readTables, type TableReading } from './venue-tables.ts';

const RETRY_AFTER_SECONDS = 5;
export const optionsCacheSeconds = 60;

/** The parameter of every endpoint about options. */
export const optionsQuery = Type.Object({
  underlying: coinChoice(optionCoins, {
    description: 'The coin that the options are on, in any case.',
    examples: ['BTC'],
  }),
});

/** The chain of a coin, which is asked for now if nobody has for a while, and with it the other books. */
export function readChain(context: Context, coin: string): Promise<TableReading<OptionQuote>> {
  const table = tableOfChain(coin);
  const reading = readOptionTable(context, table);
  for (const other of optionTables)
    if (other !== table) context.demand({ venue: optionsVenueId, table: other });
  return reading;
}

function readOptionTable<Name extends keyof OptionTables | 'indexPrices'>(
  context: Context,
  table: Name,
): Promise<TableReading<Tables[Name]>> {
  return readTables(context, {
    table,
    venues: [optionsVenueId],
    cacheSeconds: optionsCacheSeconds,
    isOnDemand: true,
  });
}

export interface FiguresReading<Part> {
  readonly part: Part;
  /** When the chain was fetched that they were made of. */
  readonly fetchedAt: number;
  readonly meta: Static<typeof Meta>;
  readonly validUntilMs: number;
}

/**
 * A part of the figures of a coin's newest chain. Those of a chain before it are served, labelled stale, only where the
 * newest cannot be made in time.
 */
export async function readFigures<Part>(
  context: Context,
  coin: string,
  {
    needsIndex,
    pick,
    missing,
  }: {
    readonly needsIndex: boolean;
    readonly pick: (figures: OptionFigures) => Part | undefined;
    /** Why there is none, as a sentence. */
    readonly missing: string;
  },
): Promise<FiguresReading<Part>> {
  context.demand({ venue: optionsVenueId, table: 'indexPrices', keys: [coin] });
  const readings = await Promise.all([
    readChain(context, coin),
    ...(needsIndex ? [readOptionTable(context, 'indexPrices')] : []),
  ]);
  const chainTopic = snapshotTopic(optionsVenueId, tableOfChain(coin));
  const topic = optionFiguresTopic(coin);
  const picked = (figures: OptionFigures | undefined): Part | undefined => figures && pick(figures);
  const { bus } = context.resources;
  const isOfNewest = (figures: OptionFigures | undefined): boolean =>
    (figures?.fetchedAtMs ?? 0) >= (bus.latest(chainTopic)?.message.fetchedAtMs ?? 0);
  const isReady = (): boolean => {
    const made = bus.latest(topic)?.message;
    return picked(made) !== undefined && isOfNewest(made);
  };
  await context.waitUntil(isReady, [topic]);
  const figures = context.latest(topic);
  const part = picked(figures);
  if (!figures || part === undefined) {
    throw new Failure('upstream_unavailable', missing, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      meta: { source: context.label([optionsVenueId]) },
    });
  }
  const late = !isOfNewest(figures) && { stale: true, ageMs: context.nowMs - figures.fetchedAtMs };
  return {
    part,
    fetchedAt: figures.fetchedAtMs,
    meta: { ...joinedMeta(readings.map(({ meta }) => meta)), fetchedAt: figures.fetchedAtMs, ...late },
    validUntilMs: Math.min(...readings.map(({ validUntilMs }) => validUntilMs)),
  };
}
