import { describe, expect, it } from 'vitest';
import { amountOf, filtered, filtersText, parseFilters } from './filters.ts';
import { screenerCsv } from './screener-columns.ts';
import { type ScreenerSources, screenerRows } from './screener-rows.ts';

const sources = {
  tickers: [
    { coin: 'BTC', mark: 110, index: 100, closes: [100, 100, 50, 100], volume24hUsd: 9e6, change24hPct: 5 },
    { coin: 'NEW', mark: 1, index: null, closes: [null], volume24hUsd: null, change24hPct: null },
  ],
  oi: [
    { coin: 'BTC', venue: 'hyperliquid', oiUsd: 300 },
    { coin: 'BTC', venue: 'binance', oiUsd: 100 },
  ],
  funding: [
    { coin: 'BTC', venue: 'hyperliquid', rate: 0.0001, periodHours: 1 },
    { coin: 'BTC', venue: 'binance', rate: 0.0002, periodHours: 1 },
  ],
  liquidations: [],
  positioning: [{ coin: 'BTC', view: 'global', longFraction: 0.6 }],
  whales: [
    { coin: 'BTC', side: 'buy', notionalUsd: 500 },
    { coin: 'BTC', side: 'sell', notionalUsd: 200 },
  ],
  venue: '',
} as unknown as ScreenerSources;

describe('the screener', () => {
  it('joins what is known of a coin, and leaves out what is not', () => {
    const [btc, fresh] = screenerRows(sources);
    expect(btc).toMatchObject({ oi: 400, liqLong: 0, whales: 300, long: 60 });
    expect(btc?.basis).toBeCloseTo(1_000);
    expect(btc?.change30m).toBeCloseTo(10);
    expect(btc?.change1h).toBeCloseTo(120);
    // Three parts at 87.6 % a year, one at 175.2 %.
    expect(btc?.funding).toBeCloseTo(109.5);
    expect(btc?.spread).toBeCloseTo(87.6);
    expect(fresh).toMatchObject({ coin: 'NEW', change30m: undefined, volatility: undefined, oi: undefined });
    expect(screenerRows({ ...sources, venue: 'binance' })[0]).toMatchObject({ oi: 100 });
  });

  it('filters by conditions that are kept in the address; what is not known meets none', () => {
    const rows = screenerRows(sources);
    const filters = parseFilters('volume>5m,change24h<10,nonsense>1,funding>x');
    expect(filtersText(filters)).toBe('volume>5000000,change24h<10');
    expect(filtered(rows, filters).map(({ coin }) => coin)).toEqual(['BTC']);
    expect(filtered(rows, parseFilters('volume<5m'))).toEqual([]);
    expect([amountOf('1.5k'), amountOf('−3%'), amountOf('x')]).toEqual([1_500, -3, undefined]);
  });

  it('writes a table with a line for each row', () => {
    const lines = screenerCsv(screenerRows(sources)).split('\n');
    expect(lines[0]).toMatch(/^coin,price,/);
    expect(lines[1]).toMatch(/^BTC,110,/);
    expect(lines[2]).toMatch(/^NEW,1,,,/);
  });
});
