import { expect, it } from 'vitest';
import { liquidations } from './liquidations.ts';
import { marketTrades } from './market-trades.ts';
import { tickers } from './tickers.ts';

const known = { instruments: [{ symbol: 'PF_XBTUSD', coin: 'BTC' }] };

it('pays at the next full hour, and on the hour at the one after', () => {
  const body = {
    result: 'success',
    tickers: [
      { symbol: 'PF_XBTUSD', markPrice: 80_000, indexPrice: 80_000, openInterest: 1, fundingRate: 0.8 },
    ],
  };
  const hour = 3_600_000;
  const nextAt = (nowMs: number) => tickers.parse(body, nowMs, known).funding?.[0]?.nextFundingMs;
  expect([10 * hour, 10 * hour + 1, 11 * hour - 1].map(nextAt)).toEqual([11 * hour, 11 * hour, 11 * hour]);
});

it('subscribes to the trades of every contract, since liquidations are among them', () => {
  expect(liquidations.subscribe(liquidations.topics(known.instruments))).toBe(
    '{"event":"subscribe","feed":"trade","product_ids":["PF_XBTUSD"]}',
  );
});

it('cannot read all fills of a millisecond that fills a page, and reports it', () => {
  const gap = {
    market: { symbol: 'PF_XBTUSD' },
    afterMs: 1_000,
    beforeMs: 9_000,
    edges: { after: 1, before: 2 },
  } as Parameters<NonNullable<typeof marketTrades.past>['parse']>[1];
  const path = '/derivatives/api/v3/history?symbol=PF_XBTUSD&lastTime=1970-01-01T00:00:09.001Z';
  const page = (timeOf: (i: number) => number) => ({
    result: 'success',
    history: Array.from({ length: 100 }, (_, i) => ({
      time: new Date(timeOf(i)).toISOString(),
      trade_id: 100 - i,
      price: 80_000,
      size: 1,
      side: 'buy',
      uid: `6c5da0b0-f1a8-483f-921f-4660b0388${100 + i}`,
    })),
  });
  expect(
    marketTrades.past?.parse(
      page(() => 5_000),
      gap,
      path,
    ),
  ).toMatchObject({ isCutWithin: true });
  expect(
    marketTrades.past?.parse(
      page((i) => 5_100 - i),
      gap,
      path,
    ),
  ).not.toHaveProperty('isCutWithin');
});
