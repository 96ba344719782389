import { HOUR_MS, type PredictionBook, type PredictionMarket } from '@crosstape/core';
import { START_MS, type TestApi } from './test-api.ts';

export const sampleTokenId = '1001';

/** A question whose outcomes are `1<id>` and `2<id>`, at 0.4 and 0.6. */
export function sampleQuestion(id: string, fields: Partial<PredictionMarket> = {}): PredictionMarket {
  return {
    coin: 'BTC',
    symbol: id,
    eventId: '7',
    eventSlug: 'above',
    title: 'Above ___?',
    question: `Above ${id}?`,
    outcomes: [
      { name: 'Yes', tokenId: `1${id}`, price: 0.4 },
      { name: 'No', tokenId: `2${id}`, price: 0.6 },
    ],
    liquidityUsd: 1_000,
    volume24hUsd: 50,
    endMs: START_MS + 10 * HOUR_MS,
    spread: 0.02,
    ...fields,
  };
}

export function sampleBook(tokenId: string, fields: Partial<PredictionBook> = {}): PredictionBook {
  return {
    coin: '',
    symbol: tokenId,
    isListed: true,
    bids: [
      [0.39, 100],
      [0.38, 50],
    ],
    asks: [
      [0.41, 200],
      [0.5, 10],
    ],
    venueTs: START_MS - 500,
    receivedAtMs: START_MS,
    ...fields,
  };
}

/** One question and the book of its first outcome, while all is well. */
export function publishSamplePrediction(api: TestApi): void {
  api.health('polymarket', { source: 'polymarket:events', gives: ['predictions'] });
  api.health('polymarket-clob', { source: 'polymarket-clob:book', gives: ['predictionBooks'] });
  api.table('polymarket', 'predictions', [sampleQuestion('001')], 60_000);
  api.table('polymarket-clob', 'predictionBooks', [sampleBook(sampleTokenId)], 5_000);
}
