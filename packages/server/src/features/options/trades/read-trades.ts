import { type OptionTrade, expiryLabel, roundTo } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { timeMs } from '../../../http/field.ts';
import { choice } from '../../../http/parameter.ts';
import { Failure } from '../../../platform/errors.ts';
import { healthTopic } from '../../../topics.ts';
import type { Context } from '../../context.ts';
import { optionsVenueId, type optionCoins } from '../option-chain.ts';
import type { RecordedOptionTrade } from './option-trade-table.ts';
import { premiumUsdOf } from './option-flow.ts';
import { booksOf, coverageOf, type Gap } from './trade-coverage.ts';
import type { OptionTradeRow } from './trades-schema.ts';

/** The source of the venue that the trades come from. */
const SOURCE = `${optionsVenueId}:option-trades`;
/** Older than several polls. */
const STALE_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
const USD_DECIMALS = 2;
const PRICE_DECIMALS = 6;

/** The parameter that selects or leaves out block trades. */
export const blocksParameter = Type.Optional(
  choice(['only', 'none'], {
    description: '`only`: legs of block trades. `none`: everything else. Omitted: all.',
    examples: ['only'],
  }),
);

export function isOfBlocks(blocks: 'only' | 'none' | undefined): (trade: OptionTrade) => boolean {
  return ({ block }) => blocks === undefined || (block !== undefined) === (blocks === 'only');
}

/** How complete the record of a range is, in `meta`. */
export const recordMeta = {
  recordedSince: Type.Optional(timeMs('When the record begins.')),
  gaps: Type.Optional(
    Type.Array(Type.Object({ from: timeMs('Begin.'), to: timeMs('End.') }), {
      description:
        'Parts of the range that are not recorded, oldest first. Trades in them may be missing. Absent when there are none.',
    }),
  ),
};

/** State of the record of a coin in a range. `isFromBegin`: what was before the record is not missing. */
export async function readRecordMeta(
  context: Context,
  coin: string,
  range: Gap & { readonly isFromBegin: boolean },
) {
  const { nowMs, resources } = context;
  const health = context.latest(healthTopic(optionsVenueId))?.find(({ source }) => source === SOURCE);
  const coverage = coverageOf(await resources.optionTrades.spans(), booksOf(coin), range);
  const failing = health && health.status !== 'ok' ? health : undefined;
  const entry = (ageMs: number | null) => ({
    source: SOURCE,
    status: failing?.status ?? ('stale' as const),
    ageMs,
    error: failing?.error ?? 'The trades of options have not been read lately.',
  });
  const source = context.label([optionsVenueId]);
  if (!coverage)
    throw new Failure('upstream_unavailable', `No trades of options on ${coin} have been recorded yet.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      meta: { source, sources: [entry(null)] },
    });
  const { recordedSinceMs, recordedToMs } = coverage;
  const gaps = coverage.gaps.filter(({ to }) => !range.isFromBegin || to > recordedSinceMs);
  const ageMs = Math.max(0, nowMs - recordedToMs);
  const isStale = ageMs > STALE_MS;
  return {
    fetchedAt: Math.min(recordedToMs, nowMs),
    source,
    recordedSince: recordedSinceMs,
    ...(isStale && { stale: true, ageMs }),
    ...((gaps.length > 0 || isStale) && { partial: gaps.length > 0 }),
    ...((isStale || failing) && { sources: [entry(ageMs)] }),
    ...(gaps.length > 0 && { gaps: [...gaps] }),
  };
}

/** A trade as it is served. */
export function printTrade(trade: RecordedOptionTrade): Static<typeof OptionTradeRow> {
  const { coin, symbol, type, strike, expiryMs, isLinear, id, ts, side, price, size } = trade;
  const { ivPct, markPrice, index, delta, vega, block, blockLegs, combo, liquidated } = trade;
  return {
    ts,
    id,
    instrument: `${coin}-${expiryLabel(expiryMs)}-${strike}-${type}`,
    underlying: coin as (typeof optionCoins)[number],
    strike,
    expiryMs,
    type,
    side,
    price,
    priceUsd: isLinear ? price : roundTo(price * index, PRICE_DECIMALS),
    size,
    premiumUsd: roundTo(premiumUsdOf(trade), USD_DECIMALS),
    iv: ivPct,
    markPrice,
    indexPrice: index,
    delta,
    vega,
    ...(block !== undefined && { block }),
    ...(blockLegs !== undefined && { blockLegs }),
    ...(combo !== undefined && { combo }),
    ...(liquidated !== undefined && { liquidated }),
    venueInstrument: symbol,
  };
}
