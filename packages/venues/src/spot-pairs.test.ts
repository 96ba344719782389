import { expect, it } from 'vitest';
import { changePct, readSide, splitPair } from './spot-pairs.ts';
import { Malformed } from './venue.ts';

it('takes a pair apart where it is in USDT or USDC, and leaves others alone', () => {
  expect(splitPair('1000SATSUSDT')).toEqual({ coin: '1000SATS', quote: 'USDT' });
  expect(splitPair('USDCUSDT')).toEqual({ coin: 'USDC', quote: 'USDT' });
  expect(['BTCEUR', 'USDT', 'ETHBTC', 'BTCFDUSD'].map(splitPair)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('knows the ways in which venues say that a side of the book is empty', () => {
  expect([undefined, null, '', '0', '0.00000000', '1.5'].map((one) => readSide(one, 'bid'))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    1.5,
  ]);
  expect(() => readSide('none', 'bid')).toThrow(Malformed);
});

it('tells a change in percent', () => {
  expect([changePct(102, 100), changePct(1, 3)]).toEqual([2, -66.666667]);
});
