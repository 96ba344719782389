import type { SpotTicker } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { chosenRow, pairRow } from './pair-rows.ts';

const row = (coin: string, quote: string): SpotTicker => ({ coin, quote, symbol: coin + quote, last: 1 });
const table = [
  row('BTC', 'EUR'),
  row('ETH', 'USDC'),
  row('BTC', 'USDT'),
  row('BTC', 'USD'),
  row('ETH', 'USDT'),
];

describe('the row of a pair', () => {
  it('is found by coin and quote', () => {
    expect(pairRow(table, 'BTC', 'USDT')).toBe(2);
    expect(pairRow(table, 'ETH', 'USD')).toBe(-1);
    expect(pairRow(table, 'SOL', 'USD')).toBe(-1);
  });

  it('is chosen by the currencies in their order, and none in another currency', () => {
    expect(chosenRow(table, 'BTC')).toBe(3);
    expect(chosenRow(table, 'ETH')).toBe(4);
    expect(chosenRow([row('BTC', 'EUR')], 'BTC')).toBe(-1);
    expect(chosenRow(table, 'SOL')).toBe(-1);
  });

  it('is that of the table that is searched', () => {
    expect(pairRow(table.toReversed(), 'BTC', 'USDT')).toBe(2);
    expect(pairRow(table.slice(1), 'BTC', 'USDT')).toBe(1);
  });
});
