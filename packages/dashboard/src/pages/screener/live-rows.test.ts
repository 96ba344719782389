import { expect, it } from 'vitest';
import { liveRows } from './live-rows.ts';
import { type ScreenerSources, screenerRows, type Ticker } from './screener-rows.ts';

const ticker = (coin: string, mark: number): Ticker =>
  ({
    coin,
    mark,
    index: 100,
    closes: [50, 80],
    volume24hUsd: 1,
    change24hPct: 25,
    fetchedAt: 1_000,
  }) as unknown as Ticker;
const tickers = [ticker('BTC', 100), ticker('ETH', 10)];
const byCoin = new Map(tickers.map((one) => [one.coin, one]));
const rows = screenerRows({
  tickers,
  oi: [],
  oiChanges: [],
  cvd: [],
  funding: [],
  liquidations: undefined,
  positioning: [],
  whales: undefined,
  venue: '',
} satisfies ScreenerSources);

it('has the price and the changes of the newest trade, and the other figures of the answers', () => {
  const [btc, eth] = liveRows(rows, byCoin, new Map([['BTC', { price: 120, ts: 1_001 }]]), new Map());
  expect(btc).toMatchObject({ coin: 'BTC', price: 120, change1h: 140, basis: rows[0]?.basis });
  expect(btc?.change30m).toBeCloseTo(50);
  // A day ago it was 80.
  expect(btc?.change24h).toBeCloseTo(50);
  expect(eth).toBe(rows[1]);
});

it('keeps the price of an answer that is newer than the trade', () => {
  expect(liveRows(rows, byCoin, new Map([['BTC', { price: 120, ts: 1_000 }]]), new Map())).toEqual(rows);
});

it('keeps rows without a new figure as they are, so that only the others are drawn again', () => {
  const prices = new Map([['BTC', { price: 120, ts: 2_000 }]]);
  const first = liveRows(rows, byCoin, prices, new Map());
  const drawn = new Map(first.map((row) => [row.coin, row]));
  const again = liveRows(
    rows.map((row) => ({ ...row })),
    byCoin,
    prices,
    drawn,
  );
  expect(again.map((row, i) => row === first[i])).toEqual([true, true]);
  const moved = liveRows(rows, byCoin, new Map([['BTC', { price: 121, ts: 3_000 }]]), drawn);
  expect(moved.map((row, i) => row === first[i])).toEqual([false, true]);
});
