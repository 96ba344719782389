import { describe, expect, it } from 'vitest';
import { expiriesOf, gammaText, pairOptions, sortChain, strikesOf, wallsOf } from './chain-rows.ts';

const option = (strike: number, type: 'C' | 'P', oi: number, expiryMs = 1_794_816_000_000) => ({
  instrument: `BTC-16NOV26-${strike}-${type}`,
  underlying: 'BTC' as const,
  strike,
  expiryMs,
  type,
  oi,
  volume24h: 0,
  markIv: oi,
  markPrice: 0,
  underlyingPrice: 100,
});

describe('the chain', () => {
  const rows = pairOptions([
    option(120, 'P', 3),
    option(100, 'C', 5),
    option(120, 'C', 1),
    option(90, 'C', 0, 1_794_900_000_000),
  ]);

  it('has calls and puts side by side, by expiry and strike, and a side that is missing is missing', () => {
    expect(rows.map(({ strike, call, put }) => [strike, call?.oi, put?.oi])).toEqual([
      [100, 5, undefined],
      [120, 1, 3],
      [90, 0, undefined],
    ]);
  });

  it('is sorted by any figure of either side, what is not known last', () => {
    const strikes = (order: string): number[] => sortChain(rows, order).map(({ strike }) => strike);
    expect(strikes('-callOi')).toEqual([100, 120, 90]);
    expect(strikes('callOi')).toEqual([90, 120, 100]);
    expect(strikes('putOi')[0]).toBe(120);
    expect(strikes('callIv')).toEqual([120, 100, 90]);
    expect(strikes('-strike')).toEqual([90, 120, 100]);
  });
});

it('sums the exposure of an expiry by strike, calls above zero and puts below', () => {
  const strikes = strikesOf(
    [
      { ...option(120, 'P', 3), gamma: 0.01 },
      { ...option(120, 'C', 1), gamma: 0.01 },
      { ...option(100, 'C', 5), gamma: 0.02 },
      option(90, 'C', 4),
    ],
    100,
  );
  expect(strikes).toEqual([
    { strike: 100, callOi: 5, putOi: 0, gex: 10, callGex: 10, putGex: 0 },
    { strike: 120, callOi: 1, putOi: 3, gex: -2, callGex: 1, putGex: -3 },
  ]);
  expect(wallsOf(strikes)).toEqual({ call: 100, put: 120 });
  expect(wallsOf(strikes.slice(0, 1))).toEqual({ call: 100, put: undefined });
});

it('sums open interest and exposure of each expiry, the next one first', () => {
  const [near, far] = [1_794_816_000_000, 1_794_902_400_000];
  expect(
    expiriesOf(
      [
        { ...option(120, 'P', 3, far), gamma: 0.01 },
        { ...option(120, 'C', 1, far), gamma: 0.01 },
        { ...option(100, 'C', 5, near), gamma: 0.02 },
        { ...option(90, 'C', 2, near), gamma: 0.01 },
        option(90, 'C', 4, near + 1),
      ],
      100,
    ),
  ).toEqual([
    { expiryMs: near, callOi: 7, putOi: 0, gex: 12, callGex: 12, putGex: 0 },
    { expiryMs: far, callOi: 1, putOi: 3, gex: -2, callGex: 1, putGex: -3 },
  ]);
});

it('prints gamma in one format, whatever its size', () => {
  expect([2.4e-7, 0.00000132, 0.0123, 0].map(gammaText)).toEqual(['2.40e-7', '1.32e-6', '1.23e-2', '0']);
});
