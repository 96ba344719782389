import { TradeColumns } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { World } from './world.ts';

const HOUR_MS = 3_600_000;

it('gives a simulated market a past that joins the present without a hole or a double', async () => {
  const world = await World.open({ historyDays: 1 });
  const startMs = world.clock.now();
  try {
    const coverage = (toMs: number) =>
      world.json(`/coverage?coin=BTC&from=${startMs - 20 * HOUR_MS}&to=${toMs}`);
    const isWhole = async (): Promise<boolean> => {
      const { data } = (await coverage(startMs + 30_000)).body;
      return (
        world.clock.now() > startMs + 60_000 &&
        data.length > 0 &&
        data.every(({ state }) => state === 'complete')
      );
    };
    await world.until(isWhole, 30 * 60_000);
    for (const coin of ['BTC', 'WIF']) {
      const [fromMs, toMs] = [startMs - HOUR_MS, startMs + 30_000];
      const rows: Readonly<Record<string, unknown>>[] = [];
      for (let start: number | null = fromMs; start !== null; ) {
        const { body } = await world.json(
          `/perps/trades/history?coin=${coin}&format=json&start=${start}&end=${toMs}`,
        );
        rows.push(...body.data);
        start = body.meta.nextStart as number | null;
      }
      const truth = new TradeColumns(1 << 18);
      expect(world.simulator.market.fill(coin, fromMs, toMs, truth)).toBe(toMs);
      expect(rows.map(({ ts, tid }) => [ts, tid])).toEqual(
        Array.from({ length: truth.length }, (_, i) => [truth.ts[i], truth.tid[i]]),
      );
    }
  } finally {
    await world.close();
  }
}, 120_000);
