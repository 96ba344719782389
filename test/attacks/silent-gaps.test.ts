import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLong } from '../long.ts';
import { World } from '../world.ts';
import { traded } from '../traded.ts';
import { type Missing, missingTrades } from './missing-trades.ts';

const MINUTE_MS = 60_000;
/** Time for stalled sockets to reconnect, for back-fills, and for the ledger to be written. */
const SETTLE_MS = 20_000;
const COIN = 'BTC';

let world: World;

beforeAll(async () => {
  world = await World.open({ coins: ['BTC', 'ETH'], rate: 10, stepMs: 100 });
  await world.until(() => world.isReady(), 10_000);
  await world.run(2 * MINUTE_MS);
});

afterAll(() => world.close());

/** Strikes the sockets of the primary venue, waits, and compares the tape with the venue's own list. */
async function strike(
  fault: 'freeze' | 'empty',
  forMs: number,
): Promise<Missing & { readonly fromMs: number }> {
  const fromMs = world.clock.now();
  world.simulator.faults.add({ venue: 'hyperliquid', fault, part: 'ws', forMs });
  await world.run(forMs + SETTLE_MS);
  return { fromMs, ...(await missingTrades(world, COIN, fromMs - 5_000, fromMs + forMs + 5_000)) };
}

it.each(isLong ? [8_000, 15_000, 30_000, 50_000, 8_000] : [8_000, 15_000, 8_000])(
  'reports what a freeze of %i ms loses, however many freezes came before',
  async (forMs) => {
    const { lost, unreported, gaps, fromMs } = await strike('freeze', forMs);
    expect(lost).toBeGreaterThan(0);
    expect(unreported).toEqual([]);
    expect(gaps.some(({ from, to }) => from < fromMs + forMs && to > fromMs)).toBe(true);
  },
);

it('reports trades lost in a freeze that ends before stall detection', async () => {
  const { lost, unreported } = await strike('freeze', 3_500);
  expect(lost).toBeGreaterThan(0);
  expect(unreported).toEqual([]);
});

it('refuses and counts frames with an empty list of trades, and reports what they lost', async () => {
  const refused = async (): Promise<number> => {
    const { body } = await world.json('/sources');
    const feeds = body.data.flatMap((source) => source.feeds as { source: string; refused: number }[]);
    return feeds.find(({ source }) => source === 'hyperliquid:trades')?.refused ?? 0;
  };
  const before = await refused();
  const { lost, unreported } = await strike('empty', 12_000);
  expect(lost).toBeGreaterThan(0);
  expect(unreported).toEqual([]);
  expect(await refused()).toBeGreaterThan(before + 10);
});

it('compares with a venue that trades more often than once a second', () => {
  const nowMs = world.clock.now();
  expect(traded(world.simulator.market, COIN, nowMs - MINUTE_MS, nowMs).length).toBeGreaterThan(100);
});
