import { expect, it } from 'vitest';
import { sampleTrade } from '../../../api/testing/sample-option-trades.ts';
import { OptionFlow, premiumUsdOf } from './option-flow.ts';

it('has premiums in dollars: at the index where the option is quoted in the coin', () => {
  expect(premiumUsdOf(sampleTrade())).toBe(0.02 * 100_000 * 25);
  expect(premiumUsdOf(sampleTrade({ isLinear: true, price: 2.5, size: 120, index: 77 }))).toBe(300);
});

it('sums what takers bought and sold, calls and puts, by expiry and strike, and blocks also apart', () => {
  const flow = new OptionFlow();
  const laterMs = sampleTrade().expiryMs + 86_400_000;
  for (const trade of [
    sampleTrade(),
    sampleTrade({ side: 'sell', size: 10, expiryMs: laterMs, block: 'BLOCK-1' }),
    sampleTrade({ type: 'P', strike: 90_000, side: 'sell', size: 5, price: 0.01, delta: -0.3, vega: 30 }),
  ])
    flow.add(trade);
  const { calls, puts } = flow.total;
  expect(calls).toEqual({
    trades: 2,
    boughtUsd: 50_000,
    soldUsd: 20_000,
    netUsd: 30_000,
    boughtCoins: 25,
    soldCoins: 10,
    deltaCoins: 0.5 * 15,
    vegaUsd: 40 * 15,
  });
  // Sold puts: the takers' delta is positive, and their vega negative.
  expect(puts).toMatchObject({ trades: 1, netUsd: -5_000, deltaCoins: 1.5, vegaUsd: -150 });
  expect(flow.blocks.calls).toMatchObject({ trades: 1, soldUsd: 20_000, boughtUsd: 0 });
  expect(flow.blocks.puts.trades).toBe(0);
  expect(flow.byExpiry.map(({ expiryMs, calls: { netUsd } }) => [expiryMs - laterMs, netUsd])).toEqual([
    [-86_400_000, 50_000],
    [0, -20_000],
  ]);
  expect(flow.byStrike.map(({ strike, puts: { trades } }) => [strike, trades])).toEqual([
    [90_000, 1],
    [100_000, 0],
  ]);
});

it('ranks the twenty largest by premium, the newer of two equal ones first', () => {
  const flow = new OptionFlow();
  for (let i = 1; i <= 30; i += 1) flow.add(sampleTrade({ id: `${i}`, size: i % 15, ts: i }));
  const ids = flow.largest.map(({ id }) => Number(id));
  expect(ids).toHaveLength(20);
  expect(ids.slice(0, 4)).toEqual([29, 14, 28, 13]);
  const equal = new OptionFlow();
  for (let i = 1; i <= 22; i += 1) equal.add(sampleTrade({ id: `${i}`, ts: i }));
  expect(equal.largest.map(({ ts }) => ts)).toEqual(Array.from({ length: 20 }, (_, i) => 22 - i));
});
