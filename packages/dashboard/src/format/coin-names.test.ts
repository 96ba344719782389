import { describe, expect, it } from 'vitest';
import { coinName, coinRank, likelyCoins } from './coin-names.ts';

const coins = ['BTC', 'ETH', 'SOL', 'HYPE', 'DOGE', 'kPEPE', 'ETC', 'BCH'];

describe('names of coins', () => {
  it('finds coins by ticker and by name, the closest first', () => {
    const found = (typed: string): readonly string[] =>
      coins
        .filter((coin) => coinRank(coin, typed) !== undefined)
        .toSorted((a, b) => coinRank(a, typed)! - coinRank(b, typed)!);
    expect(found('bitcoin')).toEqual(['BTC', 'BCH']);
    expect(found('eth')).toEqual(['ETH', 'ETC']);
    expect(found('pepe')).toEqual(['kPEPE']);
    expect(found('xyz')).toEqual([]);
    expect(coinName('kPEPE')).toBe('Pepe');
    expect(coinName('UNLISTED')).toBeUndefined();
  });

  it('suggests what may have been meant, then the largest', () => {
    expect(likelyCoins('DOGGE', coins)[0]).toBe('DOGE');
    expect(likelyCoins('bitcoin', coins)[0]).toBe('BTC');
    expect(likelyCoins('NOPE', coins).slice(0, 2)).toEqual(['HYPE', 'DOGE']);
    expect(likelyCoins('ZZZZZZZZ', coins)).toEqual(coins.slice(0, 6));
  });
});
