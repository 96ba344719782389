import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../world.ts';
import { missingTrades } from './missing-trades.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const COIN = 'BTC';

let world: World;
let startMs: number;

beforeAll(async () => {
  world = await World.open({ coins: ['BTC', 'ETH'], rate: 2, stepMs: 500 });
  startMs = world.clock.now() + 30_000;
  await world.until(() => world.isReady(), 10_000);
  await world.run(3 * MINUTE_MS);
});

afterAll(() => world.close());

const health = async () => (await (await world.get('/healthz')).json()) as { clock?: object };
const skewSeconds = async (): Promise<number> => {
  const text = await (await world.get('/metrics')).text();
  return Number(/^crosstape_clock_skew_seconds (\S+)$/m.exec(text)?.[1]);
};
const whales = async () => (await world.json('/perps/whales?limit=200')).body.data.length;

it('a clock that is eight days ahead for eleven minutes removes no trade and no whale, and is reported', async () => {
  const before = await whales();
  world.setWallClock(8 * DAY_MS);
  await world.run(10_000);
  expect(await health()).toMatchObject({ clock: { status: 'wrong' } });
  expect(await skewSeconds()).toBeCloseTo(8 * 86_400, -1);
  // Old rows are looked for every ten minutes.
  await world.run(11 * MINUTE_MS);
  expect(await whales()).toBeGreaterThanOrEqual(before);
  expect(await missingTrades(world, COIN, startMs, world.clock.now() - 5_000)).toEqual({
    lost: 0,
    unreported: [],
    gaps: [],
  });
  world.setWallClock(0);
  await world.run(10_000);
  expect(await health()).toMatchObject({ clock: { status: 'ok' } });
});

it('a clock that is half an hour behind puts no two blocks of trades into one millisecond', async () => {
  const fromMs = world.clock.now();
  world.setWallClock(-30 * MINUTE_MS);
  await world.run(MINUTE_MS);
  const toMs = world.clock.now() - 5_000;
  const { body } = await world.json(
    `/perps/trades/history?coin=${COIN}&start=${fromMs}&end=${toMs}&format=json`,
  );
  const times = body.data.map(({ ts }) => ts);
  expect(new Set(times).size).toBeGreaterThan(20);
  expect(await missingTrades(world, COIN, fromMs, toMs)).toEqual({ lost: 0, unreported: [], gaps: [] });
  expect(await skewSeconds()).toBeCloseTo(-1_800, -1);
});
