import { expect, it } from 'vitest';
import type { Coin } from './coins.ts';
import { createMarket } from './market.ts';
import { HISTORY_MINUTES, MinuteBars } from './minute-bars.ts';

it('remembers a week of every coin at everyday size, and as many minutes as are quickly made at real size', () => {
  const minutesAt = (size: 'everyday' | 'real'): readonly number[] => {
    const market = createMarket({ seed: 1, size });
    const bars = new MinuteBars(market);
    return ['BTC', 'ENA'].map((name) =>
      bars.rememberedMinutes(market.coins.find((coin) => coin.name === name) as Coin),
    );
  };
  expect(minutesAt('everyday')).toEqual([HISTORY_MINUTES, HISTORY_MINUTES]);
  const [busy, quiet] = minutesAt('real');
  expect(busy).toBeGreaterThanOrEqual(240);
  expect(busy).toBeLessThan(360);
  expect(quiet).toBeGreaterThan(busy as number);
});
