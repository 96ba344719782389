import { describe, expect, it } from 'vitest';
import { cellText, daysOf, sumOf } from './etf-days.ts';

const rows = [
  { dateLabel: '19 Sep 2026', dateMs: 1, values: { IBIT: 10, FBTC: 0 }, total: 10 },
  { dateLabel: '20 Sep 2026', dateMs: 2, values: { IBIT: -4 }, total: -4, partial: true },
];
const days = daysOf({
  asset: 'bitcoin',
  tickers: ['IBIT', 'FBTC', 'BITB'],
  rows,
  latestTotalUsdm: 10,
  cumulativeUsdm: 106,
  fetchedAt: 3,
});

describe('the days of the ETFs', () => {
  it('end with the sum of the source, each with its running total', () => {
    expect(days.map(({ cumulativeUsdm }) => cumulativeUsdm)).toEqual([110, 106]);
    expect(days.map(({ isPartial }) => isPartial)).toEqual([false, true]);
  });

  it('show a dash for funds that have not reported: a zero is a value', () => {
    expect(['IBIT', 'FBTC', 'BITB'].map((ticker) => sumOf(days, ticker))).toEqual([6, 0, undefined]);
    expect([days[0]?.values['FBTC'], days[1]?.values['FBTC']].map(cellText)).toEqual(['0', '–']);
  });
});
