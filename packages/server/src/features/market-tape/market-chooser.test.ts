import type { Market } from '@crosstape/core';
import { marketVenues } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { isPrimaryOnly, type MarketChoice, readMarketChoice } from '../../platform/market-choice.ts';
import { chooseMarkets } from './market-chooser.ts';

const market = (id: string, coin: string, quote = 'USDT'): Market => {
  const [venue = '', symbol = ''] = id.split(':');
  const kind = venue.endsWith('-spot') ? 'spot' : 'perp';
  return { id, venue: venue.replace(/-spot$/, ''), kind, symbol, coin, quote, contractSize: 1, scale: 1 };
};
const choice = (text: string): MarketChoice => readMarketChoice(text, marketVenues)!;
const ids = (markets: readonly Market[]): readonly string[] => markets.map(({ id }) => id);

it.each([
  '',
  'all',
  'top:0',
  'top:501',
  'top:x',
  'binance',
  'binance:',
  ':BTC',
  'a:b,',
  'nowhere:*',
  'perp:BTC',
])('refuses %j', (text) => {
  expect(readMarketChoice(text, marketVenues)).toBeUndefined();
});

it('records no secondary venue with `primary`', () => {
  expect(isPrimaryOnly(choice('primary'))).toBe(true);
  expect(isPrimaryOnly(choice('top:1'))).toBe(false);
});

it('takes the contract with the most open interest of each of the top coins', () => {
  const markets = [
    market('binance:BTCUSDT', 'BTC'),
    market('binance:BTCUSDC', 'BTC', 'USDC'),
    market('binance:ETHUSDT', 'ETH'),
    market('binance:SOLUSDT', 'SOL'),
  ];
  const openInterest = (symbol: string): number => (symbol === 'BTCUSDC' ? 2 : 1);
  const found = chooseMarkets(choice('top:2'), markets, { coins: ['ETH', 'BTC', 'SOL'], openInterest });
  expect(ids(found)).toEqual(['binance:ETHUSDT', 'binance:BTCUSDC']);
});

it('takes the dollar pair of a spot venue, or else that in USDT', () => {
  const markets = [
    market('kraken-spot:BTC/USDT', 'BTC'),
    market('kraken-spot:BTC/USD', 'BTC', 'USD'),
    market('kraken-spot:ETH/USDT', 'ETH'),
    market('kraken-spot:SOL/EUR', 'SOL', 'EUR'),
  ];
  const ranking = { coins: ['BTC', 'ETH', 'SOL'], openInterest: () => 0 };
  expect(ids(chooseMarkets(choice('top:20'), markets, ranking))).toEqual([
    'kraken-spot:BTC/USD',
    'kraken-spot:ETH/USDT',
  ]);
});

it('takes every market whose id fits a glob, in any case', () => {
  const markets = [
    market('binance:BTCUSDT', 'BTC'),
    market('okx-spot:BTC-USDT', 'BTC'),
    market('gate:X_USDT', 'X'),
  ];
  const ranking = { coins: [], openInterest: () => 0 };
  expect(ids(chooseMarkets(choice('Binance:*,*:btc-*'), markets, ranking))).toEqual([
    'binance:BTCUSDT',
    'okx-spot:BTC-USDT',
  ]);
});

it('takes venues as market ids spell them: by aliases, and without `-spot` where there are no perpetuals', () => {
  const markets = [
    market('coinbase-spot:BTC-USD', 'BTC', 'USD'),
    market('okx:BTC-USDT-SWAP', 'BTC'),
    market('gate:BTC_USDT', 'BTC'),
    market('gate:ETH_USDT', 'ETH'),
    market('mexc:币安人生_USDT', '币安人生'),
  ];
  const ranking = { coins: [], openInterest: () => 0 };
  const found = chooseMarkets(
    choice('coinbase:*,okex:*,gateio:btc_usdt,mexc:币安人生_USDT'),
    markets,
    ranking,
  );
  expect(ids(found)).toEqual(ids(markets).filter((id) => id !== 'gate:ETH_USDT'));
});
