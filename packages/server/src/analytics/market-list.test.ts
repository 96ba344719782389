import { type MarketKind, marketKinds } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder, type ListedMarket, marketsOf } from './market-list.ts';

const market = (kind: MarketKind, symbol: string): ListedMarket => ({ kind, symbol, coin: '', label: '' });

it('has each market once, in an order that does not depend on how they came', () => {
  const some = fc.array(
    fc.record({ kind: fc.constantFrom(...marketKinds), symbol: fc.string({ maxLength: 3 }) }),
  );
  fc.assert(
    fc.property(some, fc.nat(), (pairs, at) => {
      const markets = pairs.map(({ kind, symbol }) => market(kind, symbol));
      const turn = at % Math.max(1, markets.length);
      const ordered = inOrder(markets);
      expect(inOrder([...markets.slice(turn), ...markets.slice(0, turn), ...markets])).toEqual(ordered);
      const keys = ordered.map(({ kind, symbol }) => `${kind} ${symbol}`);
      expect(new Set(keys)).toEqual(new Set(pairs.map(({ kind, symbol }) => `${kind} ${symbol}`)));
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

it('has the same symbol once for each kind', () => {
  expect(inOrder([market('spot', 'BTCUSDT'), market('perp', 'BTCUSDT'), market('spot', 'A')])).toEqual([
    market('perp', 'BTCUSDT'),
    market('spot', 'A'),
    market('spot', 'BTCUSDT'),
  ]);
});

it('leaves out options that have expired', () => {
  const terms = { coin: 'BTC', type: 'C', strike: 90_000, isLinear: false } as const;
  const figures = { openInterest: 0, volume24hCoins: 0, markIvPct: 0, markPrice: 0, forward: 1 };
  const expiryMs = Date.UTC(2026, 11, 27, 8);
  const option = { symbol: 'BTC-27DEC26-90000-C', ...terms, ...figures, expiryMs };
  const list = { kind: 'option', publisher: 'deribit', table: 'options' } as const;
  expect(marketsOf(list, [option], expiryMs - 1)).toEqual([
    { symbol: option.symbol, coin: 'BTC', kind: 'option', label: 'BTC 27DEC26 90000 call' },
  ]);
  expect(marketsOf(list, [option], expiryMs)).toEqual([]);
});
