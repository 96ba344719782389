import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { topScreen, type TopView } from './top-screen.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const view: TopView = {
  url: 'http://127.0.0.1:8080',
  source: 'sim:hyperliquid',
  nowMs: NOW_MS,
  minUsd: 250_000,
  coins: [
    {
      coin: 'BTC',
      last: 84_010.5,
      ts: NOW_MS - 1_500,
      mark: 84_000,
      index: 83_958,
      change24hPct: -0.85,
      fundingHourly: 0.0000125,
      oiUsd: 2_430_000_000,
    },
    { coin: 'kPEPE' },
  ],
  prints: [{ ts: NOW_MS - 900, coin: 'BTC', side: 'buy', price: 84_059.515626, notionalUsd: 312_890 }],
};
const wide = { columns: 200, rows: 50, hasColours: false };

describe('the screen of top', () => {
  it('shows every figure with its unit, and a dash for those not received yet', () => {
    expect(topScreen(view, wide)).toEqual([
      'crosstape top  http://127.0.0.1:8080  sim:hyperliquid  2026-01-02 03:04:05 UTC',
      '',
      'COIN       LAST    AGE    MARK      24H     BASIS  FUNDING/H   A YEAR  OPEN INTEREST',
      'BTC    84,010.5  1.5 s  84,000  -0.85 %  +5.0 bps  +0.0013 %  +10.9 %     2.43bn USD',
      'kPEPE         –      –       –        –         –          –        –              –',
      '',
      'Orders of 250.00k USD and more',
      'TIME (UTC)    COIN  SIDE      PRICE          USD',
      '03:04:04.100  BTC   buy   84,059.52  312.89k USD',
    ]);
  });

  it('shows what is wrong right below the title', () => {
    const [, line] = topScreen({ ...view, problem: 'price of BTC: gone' }, wide);
    expect(line).toBe('! price of BTC: gone');
  });

  it('never writes past the edges of the terminal, colours aside', () => {
    const lines = topScreen(view, { columns: 20, rows: 4, hasColours: true });
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(20);
    expect(lines[3]).toContain('\u001B[31m');
  });

  it('has no colours where none are wanted', () => {
    expect(topScreen(view, wide).join('')).not.toContain('\u001B');
  });
});
