import { type Funding, MINUTE_MS, type OpenInterest } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../topics.ts';
import { fundingByCoin } from './funding.ts';
import { openInterestByCoin } from './open-interest.ts';
import type { QuoteWorth } from '../rates/quote-worth.ts';

const NOW_MS = 1_763_164_800_000;
const missing = [{ coin: 'BTC', symbol: 'BTCUSDC' }];

function table<Row>(rows: readonly Row[], parts: Partial<Snapshot<Row>> = {}): Snapshot<Row> {
  return { venue: 'x', rows, fetchedAtMs: NOW_MS, everyMs: 30_000, ...parts };
}

function held(symbol: string, usd: number): OpenInterest {
  return { coin: symbol.slice(0, 3), symbol, contracts: usd, coins: usd, value: usd };
}

function paid(symbol: string, rate: number): Funding {
  return { coin: symbol.slice(0, 3), symbol, rate, periodHours: 8, nextFundingMs: NOW_MS };
}

const rows = [held('BTCUSDT', 30), held('BTCUSDC', 70), held('ETHUSDT', 5)];

it('adds up the contracts of a coin, as old as the oldest of them', () => {
  const sums = openInterestByCoin(table(rows, { rowsAtMs: [NOW_MS, NOW_MS - 5, NOW_MS] }), NOW_MS);
  expect(sums.get('BTC')).toMatchObject({
    value: { usd: 100, symbol: 'BTCUSDC' },
    fetchedAtMs: NOW_MS - 5,
  });
  expect(sums.get('ETH')?.fetchedAtMs).toBe(NOW_MS);
});

it('adds dollars without the noise of floats', () => {
  const sums = openInterestByCoin(
    table([held('BTCUSDT', 3_000_003_703.71), held('BTCUSDC', 1_200_000_231.93)]),
    NOW_MS,
  );
  expect(sums.get('BTC')?.value.usd).toBe(4_200_003_935.64);
});

it.each([
  ['is missing', table([held('BTCUSDT', 30), held('ETHUSDT', 5)], { missing })],
  ['has no value yet', table([...rows.slice(1), { coin: 'BTC', symbol: 'BTCUSDT', contracts: 3, coins: 3 }])],
  ['is too old', table(rows, { rowsAtMs: [NOW_MS, NOW_MS - 10 * MINUTE_MS - 1, NOW_MS] })],
])('does not call it a sum when one contract %s', (_, one) => {
  expect([...openInterestByCoin(one, NOW_MS).keys()]).toEqual(['ETH']);
});

const rates = [paid('BTCUSDT', 0.1), paid('BTCUSDC', 0.2), paid('ETHUSDT', 0.3)];

function symbols(funding: Snapshot<Funding>, openInterest?: Snapshot<OpenInterest>): readonly string[] {
  return [...fundingByCoin(funding, openInterest, NOW_MS).values()].map(({ value }) => value.symbol);
}

it('returns the funding of the contract with the most open interest, or none', () => {
  expect(symbols(table(rates), table(rows))).toEqual(['BTCUSDC', 'ETHUSDT']);
  // Which one has the most is unknown.
  expect(symbols(table(rates))).toEqual(['ETHUSDT']);
  expect(symbols(table(rates), table([held('BTCUSDT', 30)], { missing }))).toEqual(['ETHUSDT']);
  expect(symbols(table(rates), table(rows, { fetchedAtMs: NOW_MS - 11 * MINUTE_MS }))).toEqual(['ETHUSDT']);
  // It is known, but its funding is not.
  const lacking = table([paid('BTCUSDT', 0.1), paid('ETHUSDT', 0.3)], { missing });
  expect(symbols(lacking, table(rows))).toEqual(['ETHUSDT']);
});

it('converts each contract from its own currency, and names the quote of the largest', () => {
  const worthOf = (symbol: string): QuoteWorth =>
    symbol.endsWith('USDC') ? { quote: 'USDC', rate: 0.5 } : { quote: 'USDT', rate: 0.9 };
  const sums = openInterestByCoin(table([held('BTCUSDT', 60), held('BTCUSDC', 70)]), NOW_MS, worthOf);
  expect(sums.get('BTC')?.value).toMatchObject({
    usd: 60 * 0.9 + 70 * 0.5,
    coins: 130,
    symbol: 'BTCUSDT',
    quote: 'USDT',
    rated: ['USDT', 'USDC'],
    isUnconverted: false,
  });
});

it('marks what cannot be converted, and leaves dollars as they are', () => {
  const unknown = (): QuoteWorth => ({ quote: 'USDT', rate: undefined });
  const reported = { ...held('ETHUSDT', 5), usd: 4.9 };
  const sums = openInterestByCoin(table([held('BTCUSDT', 60), reported]), NOW_MS, unknown);
  expect(sums.get('BTC')?.value).toMatchObject({ usd: 60, isUnconverted: true });
  // The venue reports it in dollars itself.
  expect(sums.get('ETH')?.value).toMatchObject({ usd: 4.9, quote: 'USDT', rated: [], isUnconverted: false });
  const dollars = openInterestByCoin(table([held('BTCUSD', 60.123)]), NOW_MS, () => ({
    quote: 'USD',
    rate: 1,
  }));
  expect(dollars.get('BTC')?.value).toMatchObject({ usd: 60.123, rated: [] });
});
