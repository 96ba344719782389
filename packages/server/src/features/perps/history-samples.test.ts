import { expect, it } from 'vitest';
import { sampleHistory, type HistoryInputs } from './history-samples.ts';
import { samplePoints } from './samples/sample-points.ts';

const T = 1_763_164_800_000;
const nextFundingMs = T + 60_000;

function tables(ageMs: number, rate: number, periodHours: number): HistoryInputs {
  const head = { venue: 'any', fetchedAtMs: T - ageMs, everyMs: 30_000 };
  return {
    openInterest: {
      ...head,
      rows: [
        { coin: 'BTC', symbol: 'BTCUSDT', contracts: 10, coins: 10, value: 900 },
        { coin: 'BTC', symbol: 'BTCUSDC', contracts: 2.5, coins: 2.5, value: 200 },
      ],
    },
    funding: {
      ...head,
      rows: [
        { coin: 'BTC', symbol: 'BTCUSDC', rate: 0.9, periodHours, nextFundingMs },
        { coin: 'BTC', symbol: 'BTCUSDT', rate, periodHours, nextFundingMs },
      ],
    },
  };
}

it('samples the sum of open interest, and the rate of the largest contract as it is served', () => {
  const all: Record<string, HistoryInputs> = {
    hyperliquid: tables(10_000, 0.0000125, 1),
    binance: tables(10_000, 0.0001, 4),
  };
  expect(sampleHistory(T, 'hyperliquid', (venue) => all[venue] ?? {})).toEqual([
    {
      coin: 'BTC',
      t: T,
      openInterest: 12.5,
      funding: {
        hyperliquid: { rate: 0.0000125, nativePeriodHours: 1 },
        binance: { rate: 0.0002, nativePeriodHours: 4 },
      },
    },
  ]);
});

it('leaves out a venue whose tables are old, rather than repeat them', () => {
  const all: Record<string, HistoryInputs> = {
    hyperliquid: tables(90_001, 0.0000125, 1),
    okx: tables(90_000, 0.0001, 8),
  };
  expect(sampleHistory(T, 'hyperliquid', (venue) => all[venue] ?? {})).toEqual([
    { coin: 'BTC', t: T, funding: { okx: { rate: 0.0001, nativePeriodHours: 8 } } },
  ]);
  expect(sampleHistory(T, 'hyperliquid', () => ({}))).toEqual([]);
});

it('keeps for longer only coins of the primary venue, which are the ones that can be read', () => {
  const tablesOf = (): HistoryInputs => tables(10_000, 0.0001, 8);
  const kinds = (coins: ReadonlySet<string> | undefined) =>
    samplePoints(T, { venues: ['binance'], coins, tablesOf }).map(({ kind, coin }) => [kind, coin]);
  const all = [
    ['openInterest', 'BTC'],
    ['funding', 'BTC'],
  ];
  expect([kinds(undefined), kinds(new Set(['BTC'])), kinds(new Set(['ETH']))]).toEqual([all, all, []]);
});
