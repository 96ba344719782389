import { HOUR_MS, type PredictionMarket } from '@crosstape/core';
import { expect, it } from 'vitest';
import { rankQuestions } from './rank-questions.ts';

function market(symbol: string, liquidityUsd: number, hours: number): PredictionMarket {
  const outcome = { name: 'Yes', tokenId: `1${symbol}`, price: 0.5 };
  return {
    coin: '',
    symbol,
    eventId: '1',
    eventSlug: 's',
    title: 't',
    question: 'q',
    outcomes: [outcome, outcome],
    liquidityUsd,
    volume24hUsd: 0,
    endMs: hours * HOUR_MS,
  };
}

const ranked = (markets: readonly PredictionMarket[], nowMs = 0): unknown =>
  rankQuestions(markets, { fetchedAtMs: 0, nowMs }).map(({ market: { symbol }, score }) => [symbol, score]);

it('ranks by liquidity times hours, then by id', () => {
  const markets = [market('c', 10, 4), market('a', 100, 1), market('d', 1, 200), market('b', 100, 1)];
  expect(ranked(markets)).toEqual([
    ['d', 200],
    ['a', 100],
    ['b', 100],
    ['c', 40],
  ]);
});

it('leaves out questions that have ended, and counts the hours from the fetch', () => {
  const markets = [market('a', 10, 1), market('b', 10, 2)];
  expect(ranked(markets, HOUR_MS - 1)).toEqual([
    ['b', 20],
    ['a', 10],
  ]);
  expect(ranked(markets, HOUR_MS)).toEqual([['b', 20]]);
});

it('has a question once that was on two pages', () => {
  expect(ranked([market('a', 10, 1), market('a', 20, 1)])).toEqual([['a', 20]]);
});
