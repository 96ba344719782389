import { expect, it } from 'vitest';
import { barSeconds, parseBarSymbol } from './bar-symbol.ts';

it.each([
  ['HYPERLIQUID:BTC.RANGE50', 'HYPERLIQUID:BTC', '.RANGE50', 'range', { rangeTicks: 50 }],
  ['binance:BTCUSDT.P.tick1000', 'binance:BTCUSDT.P', '.TICK1000', 'tick', { trades: 1_000 }],
  ['hyperliquid:BTC.vol0.5', 'hyperliquid:BTC', '.VOL0.5', 'volume', { volume: 0.5 }],
  ['BTC.DELTA', 'BTC', '.DELTA50', 'delta', { delta: 50 }],
])('%s is bars of %s', (text, of, suffix, kind, params) => {
  expect(parseBarSymbol(text)).toEqual({ of, suffix, bars: { kind, params } });
});

it.each(['hyperliquid:BTC', 'binance:BTCUSDT.P', 'x.RANGE5x', '.TICK5'])('%s is a market only', (text) => {
  expect(parseBarSymbol(text)).toBeUndefined();
});

it('gives each bar of a day its own second', () => {
  const dayMs = 86_400_000;
  const at = (...seconds: number[]): number[] =>
    barSeconds(
      seconds.map((second) => dayMs + second * 1_000),
      seconds.length,
      dayMs,
    ).map((second) => second - 86_400);
  expect(at(1.2, 1.4, 1.9, 3, 9)).toEqual([1, 2, 3, 4, 9]);
  // None moves into the next day.
  expect(at(5, 86_398.5, 86_399.1, 86_399.2, 86_399.3)).toEqual([5, 86_396, 86_397, 86_398, 86_399]);
  expect(() => barSeconds(new Float64Array(86_401), 86_401, 0)).toThrow(RangeError);
});
