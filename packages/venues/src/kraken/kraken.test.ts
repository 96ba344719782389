import { expect, it } from 'vitest';
import { liquidations } from './liquidations.ts';
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
