import { afterAll, beforeAll, expect, it } from 'vitest';
import { fewCoins } from '../world-coins.ts';
import { World } from '../world.ts';

const MINUTE_MS = 60_000;
const AHEAD_MS = 3 * 60 * MINUTE_MS;
/** Longer than any of these is cached or waits for its next poll. */
const OLD_MS = 90_000;

const paths = [
  '/candles?market=hyperliquid:BTC&interval=1m&limit=2',
  '/coverage?coin=BTC',
  '/perps/oi?coins=BTC',
  '/perps/funding?coins=BTC',
  '/perps/whales?limit=3',
  '/perps/liquidations',
  '/markets/spot?coins=BTC',
  '/flows/signals',
];

let world: World;

beforeAll(async () => {
  world = await World.open({ coins: fewCoins, rate: 4, stepMs: 500, sources: ['coinbase', 'kraken'] });
  await world.until(() => world.isReady(), 20_000);
  await world.stopService();
});

afterAll(() => world.close());

it('a clock that was hours ahead at the start is set right: nothing of before is served as new', async () => {
  world.setWallClock(AHEAD_MS);
  await world.startService();
  await world.until(() => world.isReady(), 40_000);
  await world.run(2 * MINUTE_MS);
  const fetchedAt = async (path: string): Promise<number> => {
    const headers = { connection: 'close' };
    const response = await world.meanwhile(world.get(`/api/v1${path}`, { headers }));
    const { meta } = (await response.json()) as { meta: { fetchedAt: number } };
    return meta.fetchedAt;
  };
  for (const path of paths) await fetchedAt(path);
  world.setWallClock(0);
  await world.run(2 * MINUTE_MS);
  for (const path of paths) {
    const ageMs = world.clock.now() - (await fetchedAt(path));
    expect(ageMs, path).toBeGreaterThanOrEqual(-1_000);
    expect(ageMs, path).toBeLessThan(OLD_MS);
  }
});
