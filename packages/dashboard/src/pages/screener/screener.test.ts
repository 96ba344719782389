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
import {
  figureNames,
  type ScreenerSources,
  screenerRows,
  venueFigures,
  volumeFigures,
} from './screener-rows.ts';

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

  it('has the changes of each period, and the volatility of half hours', () => {
    const closes = Array.from({ length: 48 }, (_, i) => 200 + i);
    const ticker = { ...sources.tickers[0], mark: 300, closes } as (typeof sources.tickers)[number];
    const [row] = screenerRows({ ...sources, tickers: [ticker] });
    const changes = [row?.change30m, row?.change1h, row?.change4h, row?.change12h];
    expect(changes.map((change) => 300 / (1 + (change ?? 0) / 100))).toEqual(
      [247, 246, 240, 224].map((close) => expect.closeTo(close, 9)),
    );
    // Returns of +10 %, −10 % and +10 %: their standard deviation is 2 ln 1.1 ÷ √3.
    const swings = { ...ticker, closes: [100, 110, 100, 110] };
    const [swinging] = screenerRows({ ...sources, tickers: [swings] });
    const deviation = (2 * Math.log(1.1)) / Math.sqrt(3);
    expect(swinging?.volatility).toBeCloseTo(deviation * Math.sqrt(17_520) * 100, 9);
    // Without a close of that time, the change is unknown.
    expect(swinging).toMatchObject({ change4h: undefined, change12h: undefined });
  });

  it('has liquidated longs and shorts, and the accounts of a coin, not those of its largest traders', () => {
    const liquidations = [{ coin: 'BTC', long24hUsd: 7, short24hUsd: 3 }];
    const positioning = [
      { coin: 'BTC', view: 'global', longFraction: 0.6 },
      { coin: 'BTC', view: 'top', longFraction: 0.3 },
    ];
    const [btc, fresh] = screenerRows({
      ...sources,
      liquidations,
      positioning,
    } as unknown as ScreenerSources);
    expect(btc).toMatchObject({ liqLong: 7, liqShort: 3, long: 60 });
    expect(fresh).toMatchObject({ liqLong: 0, liqShort: 0, long: undefined });
    expect(screenerRows({ ...sources, liquidations: undefined })[0]).toMatchObject({ liqLong: undefined });
  });

  it('leaves out the change of a venue that lost all of it', () => {
    const oiChanges = [
      { coin: 'BTC', venue: 'hyperliquid', change1hPct: 50, change4hPct: null, change24hPct: null },
      { coin: 'BTC', venue: 'binance', change1hPct: -100, change4hPct: null, change24hPct: null },
    ];
    const [btc] = screenerRows({ ...sources, oiChanges } as unknown as ScreenerSources);
    expect(btc?.oi1h).toBe(50);
  });

  it('shows sums with their sign, and hides the columns of single venues until they are chosen', () => {
    const shown = columnsOf(['cvd4h', 'whales', 'oi']).slice(2);
    const [row] = screenerRows(sources);
    const texts = shown.map(({ text }) => text({ ...row!, cvd4h: 1_500, whales: 300, oi: 400 }));
    expect(texts).toEqual(['+$1.50K', '+$300', '$400']);
    const hidden = figureNames.filter((name) => !shownFirst.includes(name));
    expect(hidden).toEqual(['volumeAll', 'volumeShare', 'oi4h', 'cvd4h', ...venueFigures]);
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
    expect(['1.5k', '2M', '3b', '−3%', 'x'].map(amountOf)).toEqual([1_500, 2e6, 3e9, -3, undefined]);
    // More or less than a value, which itself is neither.
    expect(filtered(rows, parseFilters('volume>9m'))).toEqual([]);
    expect(filtered(rows, parseFilters('volume<9m'))).toEqual([]);
    const many = Array.from({ length: 14 }, (_, i) => `oi>${i}`);
    expect(parseFilters(many.join(',')).map(({ value }) => value)).toEqual([...Array(12).keys()]);
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
    // Every column that is ticked is shown, however narrow the screen.
    expect(columnsOf(shownFirst).filter(({ isWide, isMinor }) => isWide || isMinor)).toEqual([]);
    expect(columnsOf(['price', 'whales'], '4 h').map(({ title }) => title)).toEqual([
      'Coin',
      '★',
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
    const level = { subject: 'BTC', value: 12.3457 };
    expect(alertsOf('BTC', 'oi1h', 12.345678)).toEqual([
      { ...level, kind: 'oi', minutes: 60, side: 'above' },
      { ...level, kind: 'oi', minutes: 60, side: 'below' },
    ]);
    expect(alertsOf('BTC', 'cvd1h', 12.345678)[0]).toEqual({
      ...level,
      kind: 'cvd',
      minutes: 60,
      side: 'above',
    });
    expect(alertsOf('BTC', 'spread', 12.345678)).toEqual([
      { ...level, kind: 'fundingSpread', minutes: 0, side: 'above' },
    ]);
    expect(alertsOf('BTC', 'whales', 5)).toEqual([]);
    expect(alertsOf('BTC', 'price', undefined)).toEqual([]);
  });
});
