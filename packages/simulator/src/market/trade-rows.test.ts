import { describe, expect, it } from 'vitest';
import { createMarket } from './market.ts';
import { TradeRows } from './trade-rows.ts';

const T0 = Date.UTC(2026, 10, 12, 12);
const HOUR_MS = 3_600_000;
const COUNT = 10;
// So few trades that the look-back spans hours, and for some coins finds fewer than requested.
const market = createMarket({ seed: 7, rate: 0.02 });
const coins = [market.coins[0]!, market.coins.at(-1)!];

describe.each(coins.map((coin) => [coin.name, coin] as const))('recent trades of %s', (_, coin) => {
  const naive = (rows: TradeRows, atMs: number, count: number) =>
    rows.read(coin, atMs + 1 - 24 * HOUR_MS, atMs + 1).slice(-count);

  it('are the newest of a day, whatever was asked before', () => {
    const rows = new TradeRows(market);
    for (const [afterMs, count] of [
      [0, COUNT],
      [0, COUNT],
      [1_000, 3],
      [20_000, COUNT],
      [20 * HOUR_MS, COUNT],
      [45 * HOUR_MS, COUNT],
      [45 * HOUR_MS, 2 * COUNT],
      [-HOUR_MS, COUNT],
      [HOUR_MS, COUNT],
    ] as const)
      expect(rows.recent(coin, T0 + afterMs, count), `${afterMs} ${count}`).toEqual(
        naive(rows, T0 + afterMs, count),
      );
  });

  it('have those among them that were requested on top of the market', () => {
    const rows = new TradeRows(market);
    rows.recent(coin, T0, COUNT);
    rows.extra.add(coin, 4, T0 - 60_000);
    const found = rows.recent(coin, T0 + 1_000, COUNT);
    expect(found).toEqual(naive(rows, T0 + 1_000, COUNT));
    expect(found.filter(({ ts }) => ts >= T0 - 60_000).length).toBeGreaterThanOrEqual(4);
  });
});
