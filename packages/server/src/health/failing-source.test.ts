import type { SourceHealth, SourceStatus } from '@crosstape/core';
import { expect, it } from 'vitest';
import { healthOf } from './failing-source.ts';

function health(source: string, status: SourceStatus, gives: readonly string[]): SourceHealth {
  return { source, venue: 'binance', gives, status, sinceMs: 0, messages: 0, refused: 0, reconnects: 0 };
}

it('takes the worst of the sources that supply a table together, wherever it stands', () => {
  const global = health('binance:global', 'ok', ['positioning']);
  const top = health('binance:top', 'limited', ['positioning']);
  const others = health('binance:oi', 'down', ['openInterest']);
  expect(healthOf([global, top, others], 'positioning')).toBe(top);
  expect(healthOf([top, others, global], 'positioning')).toBe(top);
  expect(healthOf([global, others], 'positioning')).toBe(global);
  expect(healthOf([others], 'positioning')).toBeUndefined();
  expect(healthOf(undefined, 'positioning')).toBeUndefined();
});

it('knows that a problem may concern only some of the tables of a source', () => {
  const tickers = {
    ...health('bybit:tickers', 'changed', ['openInterest', 'funding']),
    concerns: ['funding'],
  };
  expect(healthOf([tickers], 'funding')).toBe(tickers);
  expect(healthOf([tickers], 'openInterest')).toMatchObject({ source: 'bybit:tickers', status: 'ok' });
});
