import { expect, it } from 'vitest';
import { search, type Searched, searchProgress } from './search.ts';

const searched = {
  coins: [
    { coin: 'ETH', oiUsd: 2e9 },
    { coin: 'SOL', oiUsd: 1e9 },
  ],
  markets: [
    {
      market: 'binance:ETHUSDT',
      venue: 'binance',
      symbol: 'ETHUSDT',
      kind: 'perp',
      coin: 'ETH',
      trades24h: 9,
    },
    {
      market: 'binance:ETHFIUSDT',
      venue: 'binance',
      symbol: 'ETHFIUSDT',
      kind: 'perp',
      coin: 'ETHFI',
      trades24h: 99,
    },
    {
      market: 'hyperliquid:ETH',
      venue: 'hyperliquid',
      symbol: 'ETH',
      kind: 'perp',
      coin: 'ETH',
      trades24h: 8,
    },
  ],
  pages: [
    { title: 'Options', href: '/options/BTC', about: 'Deribit' },
    { title: 'Funding', href: '/funding' },
  ],
} as unknown as Searched;
const hrefs = (text: string): readonly string[] => search(text, searched).map(({ href }) => href);

it.each(['binance eth', 'ETH  Binance'])('finds a coin on a venue by both words: %s', (text) => {
  expect(hrefs(text)).toEqual([
    '/m/ETH?market=binance:ETHUSDT',
    '/m/ETHFI?market=binance:ETHFIUSDT',
    '/perps?coin=ETH',
  ]);
});

it('finds a coin on a venue that has no recorded market of it', () => {
  expect(search('bybit sol', searched)).toEqual([
    { name: 'SOL on Bybit', note: 'funding and open interest', href: '/perps?coin=SOL' },
  ]);
});

it('finds pages by what they are about, and venues and coins by name, each place once', () => {
  expect(hrefs('deribit')).toEqual(['/options/BTC']);
  expect(hrefs('eth')).toEqual([
    '/m/ETH',
    '/m/ETH?market=binance:ETHUSDT',
    '/m/ETHFI?market=binance:ETHFIUSDT',
  ]);
  expect(hrefs('binance')).toEqual([
    '/screener?venue=binance',
    '/m/ETHFI?market=binance:ETHFIUSDT',
    '/m/ETH?market=binance:ETHUSDT',
  ]);
  expect(hrefs('')).toEqual(['/m/ETH', '/m/SOL']);
  expect(hrefs('nothing of this name')).toEqual([]);
});

it.each([
  ['perp:ETH', '/m/ETH?market=perp:ETH'],
  ['all eth', '/m/ETH?market=all:ETH'],
  ['eth spot', '/m/ETH?market=spot:ETH'],
  ['All perpetuals of Ethereum', '/m/ETH?market=perp:ETH'],
])('finds the markets of a coin together: %s', (text, href) => {
  expect(hrefs(text)[0]).toBe(href);
});

it('finds no aggregates of an unknown coin, of no coin, and without a list of markets', () => {
  expect(hrefs('all nothing')).toEqual([]);
  expect(hrefs('all')).toEqual([]);
  expect(search('perp:ETH', { ...searched, markets: [] })).toEqual([]);
});

it('has no results only once the lists are there', () => {
  const [there, loading] = [
    { isThere: true, problem: undefined },
    { isThere: false, problem: undefined },
  ];
  expect(searchProgress('binance eth', 0, there, loading)).toBe('Loading markets…');
  expect(searchProgress('binance eth', 1, there, loading)).toBe('Loading markets…');
  expect(searchProgress('', 0, loading, loading)).toBe('Loading…');
  expect(searchProgress('', 9, there, loading)).toBeUndefined();
  expect(searchProgress('eth', 0, there, { isThere: false, problem: 'No answer.' })).toBe('No answer.');
  expect(searchProgress('eth', 1, there, there)).toBeUndefined();
  expect(searchProgress('eth', 0, there, there)).toBe('No results for “eth”.');
});
