import type { IndexPrice, OptionQuote } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { optionCoins, optionsVenueId, optionTables, tableOfChain } from './option-chain.ts';
import { type OptionFigures, optionFiguresTopic } from './option-figures.ts';
import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { coinChoice } from '../../http/parameter.ts';
import type { Meta } from '../../http/envelope.ts';
import { joinedMeta, readTables, rowOfCoin, type TableReading } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

const RETRY_AFTER_SECONDS = 5;
const PENDING_RETRY_SECONDS = 1;
export const optionsCacheSeconds = 60;

/** The parameter of every endpoint about options. */
export const optionsQuery = Type.Object({
  underlying: coinChoice(optionCoins, {
    description: 'The coin that the options are on, in any case.',
    examples: ['BTC'],
  }),
});

/** The chain of a coin, which is requested now if it was not lately, and with it the other books. */
export function readChain(context: Context, coin: string): Promise<TableReading<OptionQuote>> {
  const table = tableOfChain(coin);
  const reading = readTables(context, {
    table,
    venues: [optionsVenueId],
    cacheSeconds: optionsCacheSeconds,
    isOnDemand: true,
  });
  for (const other of optionTables)
    if (other !== table) context.demand({ venue: optionsVenueId, table: other });
  return reading;
}

function readIndex(context: Context, coin: string): Promise<TableReading<IndexPrice>> {
  return readTables(context, {
    table: 'indexPrices',
    venues: [optionsVenueId],
    cacheSeconds: optionsCacheSeconds,
    keyed: rowOfCoin(coin),
  });
}

/** Figures of a chain, and its fetch time. */
interface Figured {
  readonly fetchedAtMs: number;
}

export interface FiguresReading<Part> {
  readonly part: Part;
  readonly meta: Static<typeof Meta>;
  readonly validUntilMs: number;
}

/**
 * A part of the figures of a coin's newest chain. Those of an earlier chain are served, labelled stale, only if the
 * newest cannot be computed, or not in time.
 */
export async function readFigures<Part extends Figured>(
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
    ...(needsIndex ? [readIndex(context, coin)] : []),
  ]);
  const meta = joinedMeta(readings.map((reading) => reading.meta));
  const chainTopic = snapshotTopic(optionsVenueId, tableOfChain(coin));
  const topic = optionFiguresTopic(coin);
  const { bus } = context.resources;
  const isOfNewest = ({ fetchedAtMs }: Figured): boolean =>
    fetchedAtMs >= (bus.latest(chainTopic)?.message.fetchedAtMs ?? 0);
  const isReady = (): boolean => {
    const figures = bus.latest(topic)?.message;
    const part = figures && pick(figures);
    // A failing source will deliver nothing better: use the part that the newest figures have.
    return figures !== undefined && part !== undefined && isOfNewest(meta.stale ? figures : part);
  };
  await context.waitUntil(isReady, [topic]);
  const figures = context.latest(topic);
  const part = figures && pick(figures);
  if (!part) {
    // On a first request the chain may have arrived just now: then the figures follow it.
    const isPending = !figures || !isOfNewest(figures);
    const error = `The figures of ${coin} are not computed yet.`;
    const pending = { source: optionsVenueId, status: 'stale', ageMs: null, error } as const;
    throw new Failure('upstream_unavailable', isPending ? error : missing, {
      retryAfterSeconds: isPending ? PENDING_RETRY_SECONDS : RETRY_AFTER_SECONDS,
      meta: {
        source: context.label([optionsVenueId]),
        sources: meta.sources ?? (isPending ? [pending] : []),
      },
    });
  }
  const { fetchedAtMs } = part;
  const late = !isOfNewest(part) && {
    stale: true,
    ageMs: Math.max(meta.ageMs ?? 0, context.nowMs - fetchedAtMs),
  };
  return {
    part,
    // The index is fetched more often than the chain: the answer is as new as its newest fetch.
    meta: { ...meta, fetchedAt: late ? fetchedAtMs : Math.max(fetchedAtMs, meta.fetchedAt), ...late },
    validUntilMs: Math.min(...readings.map(({ validUntilMs }) => validUntilMs)),
  };
}
