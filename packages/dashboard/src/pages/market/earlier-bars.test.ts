import { expect, it } from 'vitest';
import { earlierRequests } from './earlier-bars.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A Thursday, 10:30. */
const FIRST_TS = Date.UTC(2026, 9, 8, 10, 30);
const MIDNIGHT = Date.UTC(2026, 9, 8);

it('needs the minutes since midnight for a VWAP or a profile of the day', () => {
  const minutes = [{ interval: '1m', start: MIDNIGHT, end: FIRST_TS, limit: 630 }];
  expect(earlierRequests(['ema', 'vwap'], FIRST_TS, 0)).toEqual(minutes);
  expect(earlierRequests(['session'], FIRST_TS, 0)).toEqual(minutes);
});

it('needs the hours since Monday, the 1st or the anchor, and the minutes of the last one', () => {
  const last = {
    interval: '1m',
    start: FIRST_TS - 30 * MINUTE_MS,
    end: FIRST_TS,
    limit: 30,
  };
  const since = (start: number) => [
    { interval: '1h', start, end: last.start, limit: (last.start - start) / HOUR_MS },
    last,
  ];
  const monday = Date.UTC(2026, 9, 5);
  expect(earlierRequests(['avwap'], FIRST_TS, 0)).toEqual(since(monday));
  expect(earlierRequests(['vwap_week'], FIRST_TS, 0)).toEqual(since(monday));
  expect(earlierRequests(['vwap', 'vwap_month'], FIRST_TS, 0)).toEqual(since(Date.UTC(2026, 9, 1)));
  expect(earlierRequests(['avwap'], FIRST_TS, monday - 5 * HOUR_MS)).toEqual(since(monday - 5 * HOUR_MS));
});

it('needs nothing where bars begin in time, before there are bars, or for other indicators', () => {
  expect(earlierRequests(['vwap'], MIDNIGHT, 0)).toEqual([]);
  expect(earlierRequests(['avwap'], FIRST_TS, FIRST_TS + 1)).toEqual([]);
  expect(earlierRequests(['vwap'], 0, 0)).toEqual([]);
  expect(earlierRequests(['ema', 'cvd'], FIRST_TS, 0)).toEqual([]);
});
