import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  connectRedis,
  disconnect,
  isConnected,
  type RedisLink,
} from '../../packages/server/src/platform/redis.ts';
import { hasRedis } from '../../packages/server/src/platform/testing/redis-server.ts';
import { World } from '../world.ts';
import { missingTrades } from './missing-trades.ts';

const MINUTE_MS = 60_000;
const COIN = 'BTC';

let world: World;
let link: RedisLink;

beforeAll(async () => {
  if (!hasRedis) return;
  world = await World.open({ rate: 10, stepMs: 100, isOnRedis: true });
  await world.until(() => world.isReady(), MINUTE_MS);
  link = connectRedis(world.redisUrl);
  await isConnected(link);
}, 120_000);

afterAll(async () => {
  if (!hasRedis) return;
  disconnect(link);
  await world.close();
});

const coverage = async (fromMs: number, toMs: number) =>
  (await world.json(`/coverage?coin=${COIN}&from=${fromMs}&to=${toMs}`)).body.data;

it.runIf(hasRedis)(
  'a Redis that is wiped is no complete record: what it lost is a gap',
  async () => {
    const startMs = world.clock.now();
    await world.run(MINUTE_MS);
    const settledMs = world.clock.now() - 10_000;
    expect(await missingTrades(world, COIN, startMs, settledMs)).toMatchObject({ lost: 0, unreported: [] });
    await link.flushall();
    const wipedMs = world.clock.now();
    // The tape goes on: some time after the wipe is recorded and complete.
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
    // Without it no gateway can start: the leader writes it again, in real time.
    const upstream = async () => expect(await link.get('{crosstape}:upstream')).not.toBeNull();
    await vi.waitFor(upstream, { timeout: 20_000, interval: 100 });
  },
  180_000,
);
