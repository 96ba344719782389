import type { Schemas } from '@crosstape/client';
import { expect, it } from 'vitest';
import { specOf } from './bar-kinds.ts';
import { isMarketName, listMarkets, marketHref, marketOf, namedMarket } from './market-choice.ts';

const base = { symbol: 'BTC', coin: 'BTC', unit: { contractSize: 1, scale: 1 }, tick: null, counted: false };
const since = { recordingSince: null, firstTs: null, lastTs: null, completeness24h: 1 };
const rows: readonly Schemas['RecordedMarket'][] = [
  {
    ...base,
    ...since,
    market: 'upbit-spot:KRW-BTC',
    venue: 'upbit',
    kind: 'spot',
    quote: 'KRW',
    trades24h: 90,
  },
  {
    ...base,
    ...since,
    market: 'hyperliquid:BTC',
    venue: 'hyperliquid',
    kind: 'perp',
    quote: 'USD',
    trades24h: 5,
  },
  {
    ...base,
    ...since,
    market: 'binance:BTCUSDT',
    venue: 'binance',
    kind: 'perp',
    quote: 'USDT',
    trades24h: 9,
  },
];

it('is the market of the address, with the sign of its currency', () => {
  expect(marketOf('BTC', null, rows)).toEqual({
    id: 'hyperliquid:BTC',
    coin: 'BTC',
    isPrimary: true,
    isAggregate: false,
    sign: '$',
  });
  expect(marketOf('BTC', 'upbit-spot:KRW-BTC', rows)).toMatchObject({ isPrimary: false, sign: '' });
  expect(rows.map((row) => marketHref(row))).toEqual([
    '/m/BTC?market=upbit-spot:KRW-BTC',
    '/m/BTC',
    '/m/BTC?market=binance:BTCUSDT',
  ]);
  const query = new URLSearchParams('replay=2026-11-17T05:00:00Z&speed=10&tape=all');
  expect(rows.slice(0, 2).map((row) => marketHref(row, query))).toEqual([
    '/m/BTC?market=upbit-spot:KRW-BTC&replay=2026-11-17T05:00:00Z&speed=10',
    '/m/BTC?replay=2026-11-17T05:00:00Z&speed=10',
  ]);
});

it('finds the market that an address names in any case', () => {
  expect(namedMarket('Binance:btcusdt', rows)).toEqual({ market: 'binance:BTCUSDT', coin: 'BTC' });
  expect(namedMarket('all:btc', rows)).toEqual({ market: 'all:BTC', coin: 'BTC' });
  expect(namedMarket('all:ETH', rows)).toBeUndefined();
  expect(namedMarket('bybit:BTCUSDT', rows)).toBeUndefined();
  const names = ['Bybit:BTCUSDT', 'upbit-spot:KRW-BTC', 'all:BTC', 'xyz:GOLD', 'BTC', 'kPEPE'];
  expect(names.filter(isMarketName)).toEqual(names.slice(0, 3));
});

it('lists perpetuals first, the most traded first, and those that have all words', () => {
  const ids = (words: string): readonly string[] => listMarkets(rows, words).map(({ market }) => market);
  expect(ids('')).toEqual(['binance:BTCUSDT', 'hyperliquid:BTC', 'upbit-spot:KRW-BTC']);
  expect(ids('BTC spot')).toEqual(['upbit-spot:KRW-BTC']);
  expect(ids('nothing')).toEqual([]);
});

it('charts candles of any market by the clock, and builds other bars from its trades', () => {
  const market = marketOf('BTC', 'binance:BTCUSDT');
  expect(specOf(market, new URLSearchParams('interval=1w'), undefined)).toEqual({
    market: 'binance:BTCUSDT',
    interval: '1w',
    limit: 1_000,
  });
  const range = new URLSearchParams('kind=range&rangeTicks=12');
  expect(specOf(market, range, undefined)).toMatchObject({
    market: 'binance:BTCUSDT',
    kind: 'range',
    days: 1,
  });
  expect(specOf(marketOf('BTC', null), range, undefined)).toMatchObject({
    coin: 'BTC',
    params: { rangeTicks: 12 },
  });
});
