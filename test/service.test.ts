import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isLong } from './long.ts';
import { SseTail } from './sse-tail.ts';
import { coinsOfVenues, fewCoins } from './world-coins.ts';
import { World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open({ coins: fewCoins, rate: 8, stepMs: 100 });
});

beforeEach(() => world.until(() => world.isReady(), 60_000));

afterEach(() => {
  world.simulator.faults.clear();
});

afterAll(() => world.close());

it('serves the whole universe of the primary venue as the market has it, labelled as simulated', async () => {
  const { status, body } = await world.json('/perps/oi');
  expect(status).toBe(200);
  expect(body.meta.source).toBe('sim:hyperliquid');
  expect(new Set(body.data.map(({ coin }) => coin))).toEqual(new Set(fewCoins));
  expect(body.data).toHaveLength(fewCoins.length);
});

it('keeps whales over a restart', async () => {
  const query = '/perps/whales?limit=1000';
  await world.until(async () => (await world.json(query)).body.data.length >= 2, 300_000);
  const before = (await world.json(query)).body.data;
  await world.stopService();
  await world.startService();
  // Before it is ready, a gateway on Redis may not have read them yet.
  await world.until(() => world.isReady(), 60_000);
  await world.until(async () => (await world.json(query)).body.data.length >= before.length, 60_000);
  const after = (await world.json(query)).body.data;
  expect(after).toEqual(expect.arrayContaining([...before]));
});

it('streams every trade of the venue once, in order, although two sockets bring each of them', async () => {
  const tail = await SseTail.open(`${world.service.url}/api/v1/streams/trades?coin=BTC`);
  await world.until(() => tail.named('trade').length >= 200, 120_000);
  const tids = tail.named('trade').map(({ data }) => data.tid);
  expect(new Set(tids).size).toBe(tids.length);
  const times = tail.named('trade').map(({ data }) => data.ts as number);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  tail.close();
});

it('answers for venues by id, alias and neutral code, in any case, and says who it asked', async () => {
  const several = await World.open({ coins: coinsOfVenues, rate: 0.2, sources: ['bybit', 'okx'] });
  const path = '/perps/funding?coins=BTC&venues=hl,venue_b,OKX';
  await several.until(async () => (await several.json(path)).body.data.length === 3, 60_000);
  const { body } = await several.json(path);
  expect(body.data).toMatchObject([
    { coin: 'BTC', venue: 'hyperliquid', periodHours: 1 },
    { coin: 'BTC', venue: 'bybit', periodHours: 8 },
    { coin: 'BTC', venue: 'okx', periodHours: 8 },
  ]);
  expect(body.meta.source).toBe('sim:hyperliquid+sim:bybit+sim:okx');
  await several.close();
});

describe('a failing venue never crashes the service, is reported, and recovers by itself', () => {
  const problems = [
    { name: 'cuts its sockets', fault: { fault: 'cut', part: 'ws' } },
    { name: 'freezes its sockets', fault: { fault: 'freeze', part: 'ws' } },
    { name: 'changes the type of its fields', fault: { fault: 'retype' } },
    { name: 'answers with HTTP 451', fault: { fault: 'status', status: 451 } },
    // Without a service: those of ingest and of the recorder.
    { name: 'sends garbage', fault: { fault: 'garbage' } },
    { name: 'sends truncated frames', fault: { fault: 'truncate' } },
    { name: 'refuses connections', fault: { fault: 'refuse' } },
    { name: 'answers with HTTP 429', fault: { fault: 'status', status: 429, retryAfterS: 10 } },
    { name: 'hangs', fault: { fault: 'hang' } },
  ] as const;
  it.each(isLong ? problems : problems.slice(0, 4))('$name', async ({ fault }) => {
    const tail = await SseTail.open(`${world.service.url}/api/v1/streams/trades?coin=BTC`);
    await world.until(() => tail.named('trade').length > 0, 60_000);
    world.simulator.faults.add({ venue: 'hyperliquid', ...fault });
    // What is established already may live on under some faults; a new connection then has to be made.
    if (!('part' in fault))
      world.simulator.faults.add({ venue: 'hyperliquid', fault: 'cut', part: 'ws', forMs: 5_000 });
    await world.until(async () => !(await world.isReady()), 90_000);
    await world.run(60_000);
    expect((await world.get('/healthz')).status).toBe(200);
    expect(await world.isReady()).toBe(false);
    world.simulator.faults.clear();
    await world.until(() => world.isReady(), 180_000);
    const seen = tail.named('trade').length;
    await world.until(() => tail.named('trade').length > seen, 60_000);
    expect(tail.isOpen).toBe(true);
    tail.close();
  });

  it('calls time partial when no socket could be read, though none was cut', async () => {
    await world.run(10_000);
    const from = world.clock.now();
    world.simulator.faults.add({ venue: 'hyperliquid', fault: 'garbage', part: 'ws', forMs: 2_000 });
    await world.run(10_000);
    const { body } = await world.json(`/coverage?coin=BTC&from=${from}&to=${from + 2_000}`);
    expect(body.data.map(({ state }) => state)).toContain('partial');
  });

  it('keeps the limits of the venue through it all', async () => {
    world.simulator.faults.add({ venue: 'hyperliquid', fault: 'cut', part: 'ws', forMs: 120_000 });
    await world.run(180_000);
    for (const broken of Object.values(world.simulator.violations)) expect(broken).toEqual({});
  });
});

it('serves the last good value, labelled stale, while the venue is down', async () => {
  world.simulator.faults.add({ venue: 'hyperliquid', fault: 'status', status: 500, part: 'rest' });
  await world.until(async () => (await world.json('/perps/oi?coins=BTC')).body.meta.stale === true, 120_000);
  const { status, body } = await world.json('/perps/oi?coins=BTC');
  expect(status).toBe(200);
  expect(body.data).toHaveLength(1);
  expect(body.meta.ageMs).toBeGreaterThan(0);
  world.simulator.faults.clear();
  await world.until(
    async () => (await world.json('/perps/oi?coins=BTC')).body.meta.stale === undefined,
    180_000,
  );
});
