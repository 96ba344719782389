import { expect, it } from 'vitest';
import { search, type Searched } from './search.ts';

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
  expect(hrefs(text)).toEqual(['/perps?coin=ETH', '/m/ETH?market=binance:ETHUSDT']);
});

it('finds a coin on a venue that has no recorded market of it', () => {
  expect(search('bybit sol', searched)).toEqual([
    { name: 'SOL on Bybit', note: 'funding and open interest', href: '/perps?coin=SOL' },
  ]);
});

it('finds pages by what they are about, and venues and coins by name, each place once', () => {
  expect(hrefs('deribit')).toEqual(['/options/BTC']);
  expect(hrefs('eth')).toEqual(['/m/ETH', '/m/ETH?market=binance:ETHUSDT']);
  expect(hrefs('binance')).toEqual(['/screener?venue=binance', '/m/ETH?market=binance:ETHUSDT']);
  expect(hrefs('')).toEqual(['/m/ETH', '/m/SOL']);
  expect(hrefs('nothing of this name')).toEqual([]);
});
