import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatewayChannels } from '../packages/server/src/features/channels.ts';
import { WsClient } from '../packages/server/src/gateway/testing/ws-client.ts';
import { isLong } from './long.ts';
import { SseTail } from './sse-tail.ts';
import { coinsOfVenues } from './world-coins.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/** Channels made of the primary venue only, and those that include it. */
const ofPrimary = [
  'trades',
  'orderbook',
  'candles',
  'funding',
  'openInterest',
  'markPrice',
  'footprint',
  'audit',
] as const;
const alsoOfPrimary = ['liquidations', 'flowSignals', 'flowTape'] as const;
const ofOthers = ['venueSpread', 'kimchi', 'etfProxy'] as const;
const channels = [...ofPrimary, ...alsoOfPrimary, ...ofOthers];

interface Feed {
  readonly source: string;
  readonly status: string | null;
}

let world: World;
let client: WsClient;

beforeAll(async () => {
  world = await World.open({ coins: coinsOfVenues, rate: 2, stepMs: 250, sources: 'all' });
  await world.until(() => world.isReady(), 10_000);
  client = await WsClient.open(Number(new URL(world.service.url).port));
  for (const channel of channels) client.send({ op: 'subscribe', id: channel, channel, symbol: 'BTC' });
  await world.until(() => client.of('ack').length === channels.length, 5_000);
  await world.until(areLive, 2 * MINUTE_MS);
});

afterAll(() => world.close());

/** The state of a channel as its subscriber knows it. */
function stateOf(name: string): unknown {
  const statuses = client.of('status').filter(({ channel }) => channel === name);
  return statuses.at(-1)?.state ?? 'live';
}

function areLive(): boolean {
  return channels.every((channel) => stateOf(channel) === 'live');
}

/** Every feed over a socket, of all venues. */
async function feeds(): Promise<readonly Feed[]> {
  const { body } = await world.json('/sources');
  const all = body.data.flatMap((source) => source.feeds as readonly Feed[]);
  return all.filter(({ source }) => /:(trades|books|liquidations)$/.test(source));
}

it('covers every channel', () => {
  expect(channels.toSorted()).toEqual(gatewayChannels.map(({ name }) => name).toSorted());
});

it('reports within 60 s on every door that a primary venue with frozen sockets and failing REST is dead', async () => {
  const tail = await SseTail.open(`${world.service.url}/api/v1/streams/trades?coin=BTC`);
  const lastBeat = (): Record<string, unknown> | undefined => tail.named('heartbeat').at(-1)?.data;
  await world.until(() => lastBeat() !== undefined, 5_000);
  expect(lastBeat()).not.toHaveProperty('state');
  const struckMs = world.clock.now();
  world.simulator.faults.add({ venue: 'hyperliquid', fault: 'freeze', part: 'ws' });
  world.simulator.faults.add({ venue: 'hyperliquid', fault: 'status', status: 500, part: 'rest' });

  const isReported = (): boolean =>
    [...ofPrimary, ...alsoOfPrimary].every((channel) => stateOf(channel) !== 'live') &&
    lastBeat()?.state !== undefined;
  await world.until(isReported, MINUTE_MS);
  expect(ofOthers.map(stateOf)).toEqual(['live', 'live', 'live']);
  for (const { channel, sinceTs, reason, partial } of client.of('status').slice(-ofPrimary.length)) {
    expect(sinceTs, String(channel)).toBeGreaterThanOrEqual(struckMs);
    expect(reason, String(channel)).toContain('hyperliquid');
    expect(partial, String(channel)).toBe(alsoOfPrimary.some((name) => name === channel) ? true : undefined);
  }
  expect(await world.isReady()).toBe(false);
  for (const path of ['/perps/oi?coins=BTC', '/perps/funding?coins=BTC', '/perps/whales']) {
    expect((await world.json(path)).body.meta, path).toMatchObject({ stale: true });
  }

  world.simulator.faults.clear();
  await world.until(() => areLive() && lastBeat()?.state === undefined, 3 * MINUTE_MS);
  tail.close();
});

// Of one venue: ingest/feed-stall.test.ts of the server.
if (isLong) {
  it('calls no feed of any venue ok for longer than 45 s after its socket froze', async () => {
    const before = await feeds();
    expect(before.length).toBeGreaterThan(8);
    expect(before.filter(({ status }) => status !== 'ok')).toEqual([]);
    for (const venue of new Set(before.map(({ source }) => source.split(':')[0] as string)))
      world.simulator.faults.add({ venue, fault: 'freeze', part: 'ws' });
    await world.until(async () => (await feeds()).every(({ status }) => status !== 'ok'), 45_000);
    expect(client.of('status').findLast(({ channel }) => channel === 'liquidations')).toMatchObject({
      state: expect.stringMatching(/stale|down/),
    });
    world.simulator.faults.clear();
    await world.until(areLive, 3 * MINUTE_MS);
  });
}
