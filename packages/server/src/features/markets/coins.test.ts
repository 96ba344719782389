import { expect, it } from 'vitest';
import { findCoins, indexCoins } from './coins.ts';

const index = indexCoins(['BTC', 'kPEPE', 'PEPE2', 'S', 's', 'kSHIB', 'SHIB', '币安人生']);

it.each([
  ['BTC', 'BTC'],
  ['btc', 'BTC'],
  ['kPEPE', 'kPEPE'],
  ['KPEPE', 'kPEPE'],
  ['pepe', 'kPEPE'],
  ['s', 's'],
  ['S', 'S'],
  ['SHIB', 'SHIB'],
  ['币安人生', '币安人生'],
  ['nope', undefined],
  ['', undefined],
])('finds %s as %s', (text, coin) => {
  expect(index.find(text)).toBe(coin);
});

it('takes only a small k for thousands', () => {
  expect(indexCoins(['KAS']).find('AS')).toBeUndefined();
});

it('gives each coin of a list once, and the unknown ones as written', () => {
  expect(findCoins(index, ['pepe', 'NOPE', 'btc', 'kPEPE'])).toEqual({
    coins: ['kPEPE', 'BTC'],
    unknown: ['NOPE'],
  });
});
