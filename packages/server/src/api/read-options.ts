import { type Static, Type } from 'typebox';
import { optionCoins, optionsVenueId } from '../analytics/option-chain.ts';
import { type OptionFigures, optionFiguresTopic } from '../analytics/option-figures.ts';
import { Failure } from '../platform/errors.ts';
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

/** A table of the options venue, which is asked for it now if nobody has for a while. */
export function readOptionTable<Name extends 'options' | 'indexPrices'>(
  context: Context,
  table: Name,
): ReturnType<typeof readTables<Name>> {
  return readTables(context, { table, venues: [optionsVenueId], cacheSeconds: optionsCacheSeconds });
}

export interface FiguresReading<Part> {
  readonly part: Part;
  /** When the chain was fetched that they were made of. */
  readonly fetchedAt: number;
  readonly meta: Static<typeof Meta>;
  readonly validUntilMs: number;
}

/** A part of the figures of a coin's newest chain; of the chain before while those of the newest are being made. */
export async function readFigures<Part>(
  context: Context,
  coin: string,
  {
    needs,
    pick,
    missing,
  }: {
    readonly needs: readonly ('options' | 'indexPrices')[];
    readonly pick: (figures: OptionFigures) => Part | undefined;
    /** Why there is none, as a sentence. */
    readonly missing: string;
  },
): Promise<FiguresReading<Part>> {
  context.demand({ venue: optionsVenueId, table: 'indexPrices', keys: [coin] });
  const readings: TableReading<unknown>[] = [];
  for (const table of needs) readings.push(await readOptionTable(context, table));
  const topic = optionFiguresTopic(coin);
  const picked = (figures: OptionFigures | undefined): Part | undefined => figures && pick(figures);
  await context.waitUntil(() => picked(context.resources.bus.latest(topic)?.message) !== undefined, [topic]);
  const figures = context.latest(topic);
  const part = picked(figures);
  if (!figures || part === undefined) {
    throw new Failure('upstream_unavailable', missing, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      meta: { source: context.label([optionsVenueId]) },
    });
  }
  return {
    part,
    fetchedAt: figures.fetchedAtMs,
    meta: { ...joinedMeta(readings.map(({ meta }) => meta)), fetchedAt: figures.fetchedAtMs },
    validUntilMs: Math.min(...readings.map(({ validUntilMs }) => validUntilMs)),
  };
}
