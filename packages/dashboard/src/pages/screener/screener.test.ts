import { describe, expect, it } from 'vitest';
import { faultOf } from '../../alerts/alert-rule.ts';
import { alertsOf } from './cell-alerts.ts';
import { amountOf, filtered, filtersText, parseFilters, withFilter } from './filters.ts';
import {
  columnsOf,
  isVolumeByVenue,
  parseShown,
  screenerCsv,
  shownFirst,
  shownText,
} from './screener-columns.ts';
import { figureNames, type ScreenerSources, screenerRows, volumeFigures } from './screener-rows.ts';

const sources = {
  tickers: [
    { coin: 'BTC', mark: 110, index: 100, closes: [100, 100, 50, 100], volume24hUsd: 9e6, change24hPct: 5 },
    { coin: 'NEW', mark: 1, index: null, closes: [null], volume24hUsd: null, change24hPct: null },
  ],
  oi: [
    { coin: 'BTC', venue: 'hyperliquid', oiUsd: 300 },
    { coin: 'BTC', venue: 'binance', oiUsd: 100 },
  ],
  oiChanges: [
    { coin: 'BTC', venue: 'hyperliquid', change1hPct: 50, change4hPct: null, change24hPct: 0 },
    { coin: 'BTC', venue: 'binance', change1hPct: -50, change4hPct: null, change24hPct: null },
    { coin: 'BTC', venue: 'okx', change1hPct: 900, change4hPct: 900, change24hPct: 900 },
  ],
  cvd: [{ coin: 'BTC', cvd1hUsd: -7, cvd4hUsd: null, cvd24hUsd: 12 }],
  funding: [
    { coin: 'BTC', venue: 'hyperliquid', rate: 0.0001, periodHours: 1 },
    { coin: 'BTC', venue: 'binance', rate: 0.0002, periodHours: 1 },
  ],
  liquidations: [],
  volumes: [
    { coin: 'BTC', venue: 'hyperliquid', volume24hUsd: 100 },
    { coin: 'BTC', venue: 'okx', volume24hUsd: 300 },
  ],
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
    expect(btc?.funding_binance).toBeCloseTo(175.2);
    expect(btc).toMatchObject({ cvd1h: -7, cvd4h: undefined, cvd24h: 12 });
    // 300 of 200 and 100 of 200; a venue of unknown open interest does not count.
    expect(btc).toMatchObject({ oi1h: 0, oi4h: undefined, oi24h: 0 });
    expect(screenerRows({ ...sources, venue: 'binance' })[0]?.oi1h).toBeCloseTo(-50);
    expect(fresh).toMatchObject({ coin: 'NEW', change30m: undefined, volatility: undefined, oi: undefined });
    expect(screenerRows({ ...sources, venue: 'binance' })[0]).toMatchObject({ oi: 100 });
  });

  it('shows the volume of each venue, of all, and the share of the largest', () => {
    const [btc, fresh] = screenerRows(sources);
    expect(btc).toMatchObject({ volumeAll: 400, volumeShare: 75, volume_okx: 300, volume_hyperliquid: 100 });
    // A venue that does not report it is unknown, not zero.
    expect(btc).not.toHaveProperty('volume_binance');
    expect(fresh).toMatchObject({ volumeAll: undefined, volumeShare: undefined });
    expect(screenerRows({ ...sources, volumes: undefined })[0]?.volumeAll).toBeUndefined();
    const filters = parseFilters('volume_okx>200,volumeShare<80');
    expect(filtered(screenerRows(sources), filters).map(({ coin }) => coin)).toEqual(['BTC']);
    expect(filtered(screenerRows(sources), parseFilters('volume_binance<1'))).toEqual([]);
    expect(figureNames.filter(isVolumeByVenue)).toHaveLength(2 + volumeFigures.length);
    expect(shownFirst.some(isVolumeByVenue)).toBe(false);
    const [head, line] = screenerCsv(screenerRows(sources), ['volumeAll', 'volumeShare', 'volume_okx']).split(
      '\n',
    );
    expect([head, line]).toEqual(['coin,volumeAll,volumeShare,volume_okx', 'BTC,400,75,300']);
  });

  it('filters by conditions that are kept in the address; what is not known meets none', () => {
    const rows = screenerRows(sources);
    const filters = parseFilters('volume>5m,change24h<10,nonsense>1,funding>x');
    expect(filtersText(filters)).toBe('volume>5000000,change24h<10');
    expect(filtered(rows, filters).map(({ coin }) => coin)).toEqual(['BTC']);
    expect(filtered(rows, parseFilters('volume<5m'))).toEqual([]);
    expect([amountOf('1.5k'), amountOf('−3%'), amountOf('x')]).toEqual([1_500, -3, undefined]);
  });

  it('replaces a condition of the same figure and side', () => {
    const filters = parseFilters('volume>5m,volume<9m');
    expect(filtersText(withFilter(filters, { figure: 'volume', sign: '<', value: 7 }))).toBe(
      'volume>5000000,volume<7',
    );
  });

  it('shows the columns of the address in the order of the table, and all as they were without any', () => {
    expect(parseShown('cvd24h,price,nonsense,funding_okx')).toEqual(['price', 'cvd24h', 'funding_okx']);
    expect(parseShown('nonsense')).toBe(shownFirst);
    expect(parseShown(shownText(shownFirst))).toBe(shownFirst);
    expect(shownText(['price', 'oi'])).toBe('price,oi');
    // Chosen columns are shown on narrow screens too.
    expect(columnsOf(['oi1h']).some(({ isWide }) => isWide)).toBe(false);
    expect(columnsOf(shownFirst).some(({ isWide }) => isWide)).toBe(true);
    expect(columnsOf(['price', 'whales'], '4 h').map(({ title }) => title)).toEqual([
      '★',
      'Coin',
      'Price, $',
      'Whales 4 h',
    ]);
  });

  it('writes a table with a line for each row and the columns that are shown', () => {
    const lines = screenerCsv(screenerRows(sources), ['price', 'oi', 'funding_binance']).split('\n');
    expect(lines[0]).toBe('coin,price,oi,funding_binance');
    expect(lines[1]).toMatch(/^BTC,110,400,175/);
    expect(lines[2]).toBe('NEW,1,,');
  });

  it('makes alerts of cells that can be checked', () => {
    const rules = figureNames.flatMap((figure) => alertsOf('BTC', figure, 12.345678));
    expect(new Set(rules.map(({ kind }) => kind))).toEqual(
      new Set(['price', 'funding', 'fundingSpread', 'oi', 'cvd']),
    );
    for (const rule of rules) expect(faultOf(rule)).toBeUndefined();
    for (const figure of figureNames)
      for (const rule of alertsOf('BTC', figure, -3))
        if (figure !== 'price') expect(faultOf(rule)).toBeUndefined();
    expect(alertsOf('BTC', 'oi4h', -3.5)[0]).toMatchObject({ kind: 'oi', minutes: 240, value: -3.5 });
    expect(alertsOf('BTC', 'whales', 5)).toEqual([]);
    expect(alertsOf('BTC', 'price', undefined)).toEqual([]);
  });
});
