import { expect, it } from 'vitest';
import { EVENTS_MAX, isCut, olderPage, withNewest, withOlder } from './liquidation-record.ts';

const event = (ts: number) => ({
  ts,
  venue: 'bybit',
  price: 100,
  size: 1,
  position: 'long' as const,
  notionalUsd: 100,
  inferred: false,
});
/** Newest first, as the service sends them. */
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => event(to - 1 - i));

it('loads older pages until the first bar, and keeps what a later answer no longer has', () => {
  const first = withNewest(undefined, { data: rows(500, 1_000), nextEnd: 500 }, 100);
  expect(olderPage(first, 100)).toEqual({ start: 100, end: 500 });
  const polled = withNewest(first, { data: rows(510, 1_010), nextEnd: 510 }, 100);
  expect(polled.fromMs).toBe(500);
  const second = withOlder(polled, { data: rows(200, 500), nextEnd: 200 }, 100);
  expect(olderPage(second, 100)).toEqual({ start: 100, end: 200 });
  const all = withOlder(second, { data: rows(150, 200), nextEnd: null }, 100);
  expect(all.events.map(({ ts }) => ts)).toEqual(
    rows(150, 1_010)
      .map(({ ts }) => ts)
      .toReversed(),
  );
  expect(olderPage(all, 100)).toBeUndefined();
  // Older bars were loaded.
  expect(olderPage(all, 50)).toEqual({ start: 50, end: 100 });
  expect(isCut(all, 50)).toBe(false);
});

it('stops at a bound, and says that older ones are left out', () => {
  const record = withNewest(undefined, { data: rows(0, EVENTS_MAX), nextEnd: -5 }, -10);
  expect(isCut(record, -10)).toBe(true);
  expect(olderPage(record, -10)).toBeUndefined();
  expect(isCut(record, -5)).toBe(false);
});
