import { expect, it } from 'vitest';
import { recordStart, secondsBefore } from './older-bars.ts';

const SECOND_MS = 1_000;
const PAGE_MS = 7_200 * SECOND_MS;

it('pages back by time to where the record begins, first with the bar that the build has cut', () => {
  const place = { firstTs: 90_000_000, intervalMs: SECOND_MS, recordTs: 80_000_000, nextEnd: undefined };
  const to = place.firstTs + SECOND_MS;
  expect(secondsBefore(place)).toEqual({ from: to - PAGE_MS, to, isLast: false });
  expect(secondsBefore({ ...place, nextEnd: to - PAGE_MS })).toEqual({
    from: to - 2 * PAGE_MS,
    to: to - PAGE_MS,
    isLast: true,
  });
  expect(secondsBefore({ ...place, nextEnd: 80_000_000 })).toBeUndefined();
  // The first bar has the first trade on record.
  expect(secondsBefore({ ...place, recordTs: place.firstTs + 1 })).toBeUndefined();
  expect(secondsBefore({ ...place, recordTs: Infinity })).toBeUndefined();
});

it('begins with the first trade of a market, or of those that are together', () => {
  const recorded = [
    { market: 'hyperliquid:BTC', kind: 'perp', firstTs: 300 },
    { market: 'binance:BTCUSDT', kind: 'perp', firstTs: 200 },
    { market: 'coinbase-spot:BTC-USD', kind: 'spot', firstTs: 100 },
    { market: 'okx-spot:BTC-USDT', kind: 'spot', firstTs: null },
  ] as const;
  const starts = ['hyperliquid:BTC', 'perp:BTC', 'all:BTC', 'spot:BTC', 'okx-spot:BTC-USDT', 'gate:BTC_USDT'];
  expect(starts.map((id) => recordStart(id, recorded))).toEqual([300, 200, 100, 100, Infinity, Infinity]);
});
