import { createCoinMatcher, ManualClock, sizeInUnit } from '@crosstape/core';
import { startSimulator, viewOfVenue } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { watchOurLiquidations } from './our-liquidations.ts';
import { ourTables } from './our-tables.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const MINUTES = 15;
/** Gate counts whole contracts of about 5 $, of positions of 200 $ and more. */
const SIZE_ERROR_MAX = 0.03;

// Binance tells at most one of a contract in a second; more do not fall into one here.
it.each(['binance', 'bitget', 'gate', 'kraken'])(
  'tells on %s every position that the market closed by force: side and coins',
  async (id) => {
    const clock = new ManualClock(T0);
    const simulator = await startSimulator({ port: 0, seed: 77, clock });
    const known = await ourTables(simulator.url, id, clock.now());
    const watch = await watchOurLiquidations(simulator.url, id, known);
    for (let minute = 0; minute < MINUTES; minute += 1) {
      clock.advance(60_000);
      await watch.settle();
    }
    const view = viewOfVenue(simulator.market, id);
    const forced = new Map<string, number>();
    for (const coin of view?.coins ?? []) {
      for (const { side, size } of view?.liquidations(coin, T0, clock.now()) ?? [])
        add(forced, `${coin.name} ${side}`, size);
    }
    const { match } = createCoinMatcher(simulator.market.coins.map(({ name }) => name));
    const told = new Map<string, number>();
    for (const { coin: base, side, size, venueTs } of watch.liquidations) {
      const { coin, unit } = match(base);
      add(told, `${coin} ${side}`, sizeInUnit(size, unit));
      expect(venueTs).toBeGreaterThanOrEqual(T0);
      expect(venueTs).toBeLessThanOrEqual(clock.now());
    }
    expect(forced.size).toBeGreaterThan(3);
    expect(new Set(told.keys())).toEqual(new Set(forced.keys()));
    for (const [key, size] of forced)
      expect(Math.abs(Number(told.get(key)) / size - 1), key).toBeLessThan(SIZE_ERROR_MAX);
    expect(simulator.violations[id]).toEqual({});
    watch.close();
    await simulator.close();
  },
);

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}
