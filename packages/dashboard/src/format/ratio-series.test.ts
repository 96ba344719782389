import { expect, it } from 'vitest';
import { ratioName, ratioPoints, ratioSeries } from './ratio-series.ts';

it('names every recorded ratio differently, the largest traders as such', () => {
  const names = ratioSeries.map(ratioName);
  expect(new Set(names).size).toBe(ratioSeries.length);
  expect(names).toEqual(expect.arrayContaining(['Binance', 'Binance top', 'OKX top']));
});

it('has no point where none is short', () => {
  const points = [
    { t: 1, longShortRatio: 1.5 },
    { t: 2, longShortRatio: null },
    { t: 3, longShortRatio: 0 },
  ];
  expect(ratioPoints({ points })).toEqual([
    { x: 1, y: 1.5 },
    { x: 3, y: 0 },
  ]);
});
