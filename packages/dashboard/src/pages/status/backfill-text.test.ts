import { expect, it } from 'vitest';
import { candlesText, historiesText } from './backfill-text.ts';

const backfill = (isDone: boolean, histories: { isDone: boolean; seriesLeft: number }) => ({
  isDone,
  marketsLeft: isDone ? 0 : 3,
  histories,
});

it('says what is left of candles and histories', () => {
  const some = backfill(false, { isDone: false, seriesLeft: 12 });
  expect([candlesText(some), historiesText(some)]).toEqual(['3 markets left', '12 series left']);
  const all = backfill(true, { isDone: true, seriesLeft: 0 });
  expect([candlesText(all), historiesText(all)]).toEqual(['fetched', 'fetched']);
});

it('has no number of series before they are counted: they wait for the candles', () => {
  expect(historiesText(backfill(false, { isDone: false, seriesLeft: 0 }))).toBe('wait for the candles');
  expect(historiesText(backfill(true, { isDone: false, seriesLeft: 0 }))).toBe('not counted yet');
});
