import { type PredictionLevel, roundTo } from '@crosstape/core';
import { Type } from 'typebox';
import { isStuck } from '../is-stuck.ts';
import { Failure } from '../../../platform/errors.ts';
import { eventViewOf, hasBook, readBook } from '../read-prediction.ts';
import { PredictionBook } from '../schema.ts';
import { endpoint } from '../../context.ts';

const cacheSeconds = 5;
/** An id is a number of 256 bits. */
const TOKEN_ID_END = 2n ** 256n;
const TOKEN_ID_WORDS = 'a whole number below 2^256, without leading zeros';
const PRICE_DECIMALS = 6;
const USD_DECIMALS = 4;

export const predictionOrderbook = endpoint({
  path: '/prediction/orderbook',
  summary: 'Order book of a prediction outcome',
  description:
    'The whole book of one outcome: prices from 0 to 1 in USD, sizes in shares, best first. A side without orders has no best price: that is null, and so are spread and mid. The book is compared with the price of the event, and marked when it contradicts it (`stuck`). For outcomes of the events behind `/prediction/events`, also past their end; fetched on demand, every 5 seconds while requested.',
  query: Type.Object({
    tokenId: Type.String({
      description: 'Numeric id of the outcome, from `/prediction/events`.',
      examples: ['53471586309106256293075593293890793127405137223521910882276033765569397092350'],
      pattern: '^(0|[1-9][0-9]{0,77})$',
      allowed: TOKEN_ID_WORDS,
    }),
  }),
  data: PredictionBook,
  cacheSeconds,
  examples: [
    {
      summary: 'One outcome',
      search: 'tokenId=53471586309106256293075593293890793127405137223521910882276033765569397092350',
    },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ tokenId }, context) {
    if (BigInt(tokenId) >= TOKEN_ID_END)
      throw new Failure('bad_request', `Parameter \`tokenId\` must be ${TOKEN_ID_WORDS}.`);
    // Books of unknown outcomes are not requested: otherwise anyone could keep the venue busy with numbers.
    if (eventViewOf(context, tokenId).isListed === false && !hasBook(context, tokenId))
      throw new Failure(
        'not_found',
        `None of the 300 most liquid open events has an outcome with \`tokenId\` ${tokenId}.`,
      );
    const { tables, meta, validUntilMs } = await readBook(context, tokenId, cacheSeconds);
    const book = tables[0]?.rows[0];
    if (!book?.isListed)
      throw new Failure(
        'not_found',
        `There is no order book of \`tokenId\` ${tokenId}: it is not known, or its market is closed.`,
      );
    const event = eventViewOf(context, tokenId);
    const { bids, asks } = book;
    const [bestBid = null] = bids[0] ?? [];
    const [bestAsk = null] = asks[0] ?? [];
    const hasBoth = bestBid !== null && bestAsk !== null;
    return {
      data: {
        tokenId,
        bids: bids.map(([price, size]) => [price, size]),
        asks: asks.map(([price, size]) => [price, size]),
        bestBid,
        bestAsk,
        spread: hasBoth ? roundTo(bestAsk - bestBid, PRICE_DECIMALS) : null,
        mid: hasBoth ? roundTo((bestAsk + bestBid) / 2, PRICE_DECIMALS) : null,
        depth: { bidUsd: worthOf(bids), askUsd: worthOf(asks) },
        ts: book.venueTs,
        eventPrice: event.outcome?.price ?? null,
        stuck: event.outcome
          ? isStuck(book, {
              price: event.outcome.price,
              ...(event.spread !== undefined && { spread: event.spread }),
              asOfMs: event.asOfMs ?? book.venueTs,
            })
          : null,
      },
      meta,
      validUntilMs: Math.min(validUntilMs, event.validUntilMs),
    };
  },
});

function worthOf(levels: readonly PredictionLevel[]): number {
  return roundTo(
    levels.reduce((sum, [price, size]) => sum + price * size, 0),
    USD_DECIMALS,
  );
}
