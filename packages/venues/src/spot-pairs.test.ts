import { expect, it } from 'vitest';
import { changePct, readPrice, splitPair } from './spot-pairs.ts';

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

it('knows how venues mark an empty side of the book', () => {
  const odd: string[] = [];
  const read = (value: unknown): number | undefined => readPrice(value, 'bid', (why) => odd.push(why));
  expect([undefined, null, '', '0', '0.00000000', '1.5'].map(read)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    1.5,
  ]);
  expect(odd).toEqual([]);
});

it('does without a price that is malformed, and reports it', () => {
  const odd: string[] = [];
  expect(readPrice('none', 'bid', (why) => odd.push(why))).toBeUndefined();
  expect(odd).toEqual(['bid is not a decimal text: "none"']);
});

it('returns a change in percent', () => {
  expect([changePct(102, 100), changePct(1, 3)]).toEqual([2, -66.666667]);
});
