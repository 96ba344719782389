import type { Funding, Instrument, OpenInterest, Print } from '@crosstape/core';
import { START_MS, type TestApi } from './test-api.ts';

export const sampleInstruments: readonly Instrument[] = [
  { symbol: 'BTC', coin: 'BTC', sizeDecimals: 5 },
  { symbol: 'ETH', coin: 'ETH', sizeDecimals: 4 },
  { symbol: 'kPEPE', coin: 'kPEPE', sizeDecimals: 0 },
];

export const sampleOpenInterest: readonly OpenInterest[] = [
  { coin: 'BTC', symbol: 'BTC', contracts: 100.5, coins: 100.5, usd: 10_050_000 },
  { coin: 'ETH', symbol: 'ETH', contracts: 2_000, coins: 2_000, usd: 7_600_000 },
  { coin: 'kPEPE', symbol: 'kPEPE', contracts: 9_000_000, coins: 9_000_000, usd: 90_000 },
];

const nextFundingMs = START_MS + 600_000;
const sampleFunding: readonly Funding[] = [
  { coin: 'BTC', symbol: 'BTC', rate: 0.0000125, periodHours: 1, nextFundingMs },
  { coin: 'ETH', symbol: 'ETH', rate: -0.00002, periodHours: 1, nextFundingMs },
  { coin: 'kPEPE', symbol: 'kPEPE', rate: 0, periodHours: 1, nextFundingMs },
];

export const samplePrints: readonly Print[] = [
  print({ coin: 'BTC', side: 'buy', price: 100_000, size: 3, ts: START_MS - 1_000, tid: 3, fills: 2 }),
  print({ coin: 'ETH', side: 'sell', price: 3_800, size: 50, ts: START_MS - 2_000, tid: 2, fills: 7 }),
  print({ coin: 'BTC', side: 'sell', price: 99_990, size: 1.2, ts: START_MS - 3_000, tid: 1, fills: 1 }),
];

function print(parts: Omit<Print, 'venue' | 'notionalUsd'>): Print {
  return { ...parts, venue: 'hyperliquid', notionalUsd: parts.price * parts.size };
}

/** Everything that the primary venue says while all is well. */
export function publishSampleMarket(api: TestApi): void {
  api.table('hyperliquid', 'instruments', sampleInstruments);
  api.table('hyperliquid', 'openInterest', sampleOpenInterest);
  api.table('hyperliquid', 'funding', sampleFunding);
  api.health(
    'hyperliquid',
    { source: 'hyperliquid:contexts', gives: ['instruments', 'openInterest', 'funding', 'prices'] },
    { source: 'hyperliquid:trades', gives: ['trades'], lastGoodMs: api.clock.now() },
  );
}
