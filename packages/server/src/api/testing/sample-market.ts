import type { Funding, Instrument, OpenInterest, Positioning, Price, Print, Volume } from '@crosstape/core';
import type { ApiOptions } from '../api.ts';
import { START_MS, type TestApi } from './test-api.ts';

export const sampleInstruments: readonly Instrument[] = [
  { symbol: 'BTC', coin: 'BTC', sizeDecimals: 5 },
  { symbol: 'ETH', coin: 'ETH', sizeDecimals: 4 },
  { symbol: 'kPEPE', coin: 'kPEPE', sizeDecimals: 0 },
];

export const sampleOpenInterest: readonly OpenInterest[] = [
  { coin: 'BTC', symbol: 'BTC', contracts: 100.5, coins: 100.5, value: 10_050_000 },
  { coin: 'ETH', symbol: 'ETH', contracts: 2_000, coins: 2_000, value: 7_600_000 },
  { coin: 'kPEPE', symbol: 'kPEPE', contracts: 9_000_000, coins: 9_000_000, value: 90_000 },
];

const nextFundingMs = START_MS + 600_000;
const sampleFunding: readonly Funding[] = [
  { coin: 'BTC', symbol: 'BTC', rate: 0.0000125, periodHours: 1, nextFundingMs },
  { coin: 'ETH', symbol: 'ETH', rate: -0.00002, periodHours: 1, nextFundingMs },
  { coin: 'kPEPE', symbol: 'kPEPE', rate: 0, periodHours: 1, nextFundingMs },
];

/** The book of kPEPE has one side, and it was not traded a day ago. */
const samplePrices: readonly Price[] = [
  { coin: 'BTC', symbol: 'BTC', mark: 100_000, index: 100_010, mid: 100_000.5, prevDayPrice: 98_000 },
  { coin: 'ETH', symbol: 'ETH', mark: 3_800, index: 3_801, mid: 3_800.5 },
  { coin: 'kPEPE', symbol: 'kPEPE', mark: 0.01, index: 0.01 },
];

const sampleVolumes: readonly Volume[] = [
  { coin: 'BTC', symbol: 'BTC', value: 500_000, coins: 5 },
  { coin: 'ETH', symbol: 'ETH', value: 34_200, coins: 9 },
];

export const samplePrints: readonly Print[] = [
  print({ coin: 'BTC', side: 'buy', price: 100_000, size: 3, ts: START_MS - 1_000, tid: 3, fills: 2 }),
  print({ coin: 'ETH', side: 'sell', price: 3_800, size: 50, ts: START_MS - 2_000, tid: 2, fills: 7 }),
  print({ coin: 'BTC', side: 'sell', price: 99_990, size: 1.2, ts: START_MS - 3_000, tid: 1, fills: 1 }),
];

function print(parts: Omit<Print, 'venue' | 'notionalUsd'>): Print {
  return { ...parts, venue: 'hyperliquid', notionalUsd: parts.price * parts.size };
}

/** A recorded order book. */
export const sampleDepths: ApiOptions['bookDepths'] = {
  sinceMs: async () => START_MS - 600_000,
  read: async () => [
    {
      t: START_MS - 60_000,
      stepExponent: 0,
      unitExponent: -2,
      bids: { levels: [{ price: 100_000, width: 10, size: 150 }], isCut: false },
      asks: { levels: [{ price: 100_010, width: 10, size: 50 }], isCut: false },
    },
  ],
};

/** All data of the primary venue while it is healthy. */
export function publishSampleMarket(api: TestApi): void {
  api.table('hyperliquid', 'instruments', sampleInstruments);
  api.table('hyperliquid', 'openInterest', sampleOpenInterest);
  api.table('hyperliquid', 'funding', sampleFunding);
  api.table('hyperliquid', 'prices', samplePrices);
  api.table('hyperliquid', 'volumes', sampleVolumes);
  api.health(
    'hyperliquid',
    {
      source: 'hyperliquid:contexts',
      gives: ['instruments', 'openInterest', 'funding', 'prices', 'volumes'],
    },
    { source: 'hyperliquid:trades', gives: ['trades'], lastGoodMs: api.clock.now() },
  );
}

/** One sample of Bitcoin, ten minutes ago. */
export const sampleHistories: ApiOptions['histories'] = {
  samples: async (coin) => [
    {
      coin,
      t: START_MS - 600_000,
      openInterest: 100.5,
      funding: {
        hyperliquid: { rate: 0.0000125, nativePeriodHours: 1 },
        binance: { rate: 0.0002, nativePeriodHours: 4 },
      },
    },
  ],
};

/** Positioning of Bitcoin holders on Binance and OKX, once requested. */
export function publishSamplePositioning(api: TestApi): void {
  const row = (symbol: string, view: Positioning['view'], longFraction: number): Positioning => ({
    coin: 'BTC',
    symbol,
    period: '1h',
    view,
    basis: view === 'global' ? 'accounts' : 'positions',
    longFraction,
    longShortRatio: longFraction / (1 - longFraction),
    asOfMs: START_MS - 60_000,
  });
  api.table('binance', 'instruments', [{ coin: 'BTC', symbol: 'BTCUSDT' }]);
  api.table('okx', 'instruments', [{ coin: 'BTC', symbol: 'BTC-USDT-SWAP' }]);
  api.table('binance', 'positioning', [row('BTCUSDT', 'global', 0.6), row('BTCUSDT', 'top', 0.55)], 60_000);
  api.table('okx', 'positioning', [row('BTC-USDT-SWAP', 'top', 0.5)], 60_000);
}
