import { expect, it } from 'vitest';
import { coinalyze, coinalyzeWith } from './index.ts';
import { liquidationHistory } from './liquidation-history.ts';

const market = (symbol: string, coin: string): { symbol: string; coin: string } => ({ symbol, coin });
const instruments = [
  market('BTCUSDT_PERP.A', 'BTC'),
  market('BTCUSDC_PERP.A', 'BTC'),
  market('BTCUSDT.6', 'BTC'),
  market('1000PEPEUSDT_PERP.A', '1000PEPE'),
  market('PEPEUSDT_PERP.3', 'PEPE'),
  market('SHIB1000USDT.6', 'SHIB1000'),
  market('BTC-USD.H', 'BTC'),
  ...['T', 'C', '1'].map((quote) => market(`ETHUSD${quote}_PERP.Y`, 'ETH')),
  ...Array.from({ length: 21 }, (_, i) => market(`SOLUSD${i}_PERP.Y`, 'SOL')),
  ...Array.from({ length: 11 }, (_, i) => market(`XRPUSD${i}_PERP.Y`, 'XRP')),
];

it.each([
  ['binance:BTC', ['binance:BTC:BTCUSDT_PERP.A,BTCUSDC_PERP.A']],
  ['bybit:BTC', ['bybit:BTC:BTCUSDT.6']],
  ['binance:kPEPE', ['binance:kPEPE:1000PEPEUSDT_PERP.A']],
  ['okx:kPEPE', ['okx:kPEPE:PEPEUSDT_PERP.3']],
  ['bybit:kSHIB', ['bybit:kSHIB:SHIB1000USDT.6']],
  ['okx:BTC', []],
  ['hyperliquid:BTC', []],
  ['gate:ETH', ['gate:ETH:ETHUSDT_PERP.Y,ETHUSDC_PERP.Y,ETHUSD1_PERP.Y']],
  ['gate:SOL', []],
  ['gate:XRP', [`gate:XRP:${Array.from({ length: 11 }, (_, i) => `XRPUSD${i}_PERP.Y`).join(',')}`]],
])(
  'finds the contracts of %s, however it is spelled there, and no more than may be requested',
  (key, found) => {
    expect(liquidationHistory.keys({ instruments }, [key])).toEqual(found);
  },
);

it('asks for a day of whole buckets in dollars, in seconds', () => {
  const { path, weight } = liquidationHistory.request('okx:BTC:A_PERP.3,B_PERP.3', 1_763_164_870_123);
  // Each symbol counts as a call.
  expect(weight).toBe(2);
  expect(path).toBe(
    '/v1/liquidation-history?symbols=A_PERP.3%2CB_PERP.3&interval=5min&from=1763078700&to=1763164870&convert_to_usd=true',
  );
});

it('asks for nothing without a key, and shows a key in headers alone', () => {
  expect(coinalyze.connector).toMatchObject({ resources: [], feeds: [] });
  const { connector } = coinalyzeWith('c0ffee');
  const requests = [
    ...(connector?.resources ?? []).map(({ request }) => request),
    ...(connector?.lookups ?? []).map((lookup) => lookup.request('okx:BTC:A.3', 1)),
  ];
  expect(requests).toHaveLength(2);
  for (const { path, headers } of requests) {
    expect(headers).toEqual({ api_key: 'c0ffee' });
    expect(path).not.toContain('c0ffee');
  }
});
