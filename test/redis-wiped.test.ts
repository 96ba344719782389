import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectRedis,
  disconnect,
  isConnected,
  type RedisLink,
} from '../packages/server/src/cluster/redis.ts';
import { fewCoins } from './world-coins.ts';
import { World } from './world.ts';
import { missingTrades } from './attacks/missing-trades.ts';

const MINUTE_MS = 60_000;
const COIN = 'BTC';

describe('a Redis that is wiped while the service runs', () => {
  let world: World;
  let link: RedisLink;

  beforeAll(async () => {
    world = await World.open({ coins: fewCoins, rate: 10, stepMs: 100 });
    await world.until(() => world.isReady(), MINUTE_MS);
    link = connectRedis(world.redisUrl);
    await isConnected(link);
  });

  afterAll(async () => {
    disconnect(link);
    await world.close();
  });

  const coverage = async (fromMs: number, toMs: number) =>
    (await world.json(`/coverage?coin=${COIN}&from=${fromMs}&to=${toMs}`)).body.data;

  it('is no complete record: what it lost is a gap, and the tape continues', async () => {
    const startMs = world.clock.now();
    await world.run(MINUTE_MS);
    const settledMs = world.clock.now() - 10_000;
    expect(await missingTrades(world, COIN, startMs, settledMs)).toMatchObject({ lost: 0, unreported: [] });
    await link.flushall();
    const wipedMs = world.clock.now();
    // Without this key no gateway can start; the leader writes it again.
    await world.until(async () => (await link.get('{crosstape}:upstream')) !== null, 10 * MINUTE_MS);
    await world.until(async () => {
      const stretches = await coverage(wipedMs, world.clock.now());
      return stretches.some(
        ({ state, from, to }) => state === 'complete' && Number(to) - Number(from) > 5_000,
      );
    }, 10 * MINUTE_MS);
    await world.run(10_000);
    const { lost, unreported } = await missingTrades(world, COIN, startMs, world.clock.now() - 10_000);
    expect(lost).toBeGreaterThan(20);
    expect(unreported).toEqual([]);
  });
});
