import type { MarketList } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinMarkets, marketsOf } from './market-list.ts';

const perps = { kind: 'perp', publisher: 'x', table: 'instruments' } as const;
const pairs = { kind: 'spot', publisher: 'x-spot', table: 'instruments' } as const;

const rowsOf = (symbols: readonly string[]) => symbols.map((symbol) => ({ symbol, coin: 'BTC' }));
const symbolsOf = (
  list: MarketList & { table: 'instruments' },
  symbols: readonly string[],
): readonly string[] => marketsOf(list, rowsOf(symbols)).map(({ symbol }) => symbol);

it('has each market once, in an order that does not depend on how they came', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 })), fc.nat(), (symbols, at) => {
      const turn = at % Math.max(1, symbols.length);
      const ordered = symbolsOf(perps, symbols);
      expect(symbolsOf(perps, [...symbols.slice(turn), ...symbols.slice(0, turn), ...symbols])).toEqual(
        ordered,
      );
      expect(new Set(ordered)).toEqual(new Set(symbols));
      expect(new Set(ordered).size).toBe(ordered.length);
    }),
  );
});

it('has perpetuals before spot pairs, whichever list came first, and the same symbol in both', () => {
  const lists = [marketsOf(pairs, rowsOf(['B', 'A'])), marketsOf(perps, rowsOf(['B']))];
  const reported = joinMarkets(lists, 0).map(({ kind, symbol, label }) => [kind, symbol, label()]);
  expect(reported).toEqual([
    ['perp', 'B', 'B perpetual'],
    ['spot', 'A', 'A spot'],
    ['spot', 'B', 'B spot'],
  ]);
});

it('puts a list in order once, however often it is read', () => {
  const rows = rowsOf(['B', 'A']);
  expect(marketsOf(perps, rows)).toBe(marketsOf(perps, rows));
});

it('leaves out options that have expired', () => {
  const terms = { coin: 'BTC', type: 'C', strike: 90_000, isLinear: false } as const;
  const figures = { openInterest: 0, volume24hCoins: 0, markIvPct: 0, markPrice: 0, forward: 1 };
  const expiryMs = Date.UTC(2026, 11, 27, 8);
  const option = { symbol: 'BTC-27DEC26-90000-C', ...terms, ...figures, expiryMs };
  const list = marketsOf({ kind: 'option', publisher: 'deribit', table: 'btcOptions' }, [option]);
  const [market] = joinMarkets([list], expiryMs - 1);
  expect([market?.symbol, market?.coin, market?.kind, market?.label()]).toEqual([
    option.symbol,
    'BTC',
    'option',
    'BTC 27DEC26 90000 call',
  ]);
  expect(joinMarkets([list], expiryMs)).toEqual([]);
});
