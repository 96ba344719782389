import { createBuilder, type Trade } from '@crosstape/core';
import { fxPublishers, koreanVenue, spotVenues } from '@crosstape/venues';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Frame, WsClient } from '../packages/server/src/gateway/testing/ws-client.ts';
import { TickBuffer } from '../packages/server/src/features/tape/tick-buffer.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/** What the channels of flows are made of, and a venue that publishes liquidations. */
const worldSources = ['bybit', ...[koreanVenue, ...spotVenues, ...fxPublishers].map(({ id }) => id)];

interface Message {
  readonly payload: object;
}
type Tick = Pick<Trade, 'ts' | 'price' | 'size' | 'side' | 'tid'>;

let world: World;
/** Checks a frame against the description that the service itself gives. */
let isDescribed: (name: string, frame: Frame) => string;

beforeAll(async () => {
  world = await World.open({ coins: ['BTC', 'ETH'], rate: 6, stepMs: 100, sources: worldSources });
  await world.until(() => world.isReady(), 10_000);
  const { components } = (await (await world.get('/api/v1/asyncapi')).json()) as {
    components: { schemas: object; messages: Record<string, Message> };
  };
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ $id: 'doc', components: { schemas: components.schemas } });
  const checks = Object.fromEntries(
    Object.entries(components.messages).map(([name, { payload }]) => [
      name,
      ajv.compile(JSON.parse(JSON.stringify(payload).replaceAll('"#/', '"doc#/')) as object),
    ]),
  );
  isDescribed = (name, frame) => (checks[name]?.(frame) ? '' : ajv.errorsText(checks[name]?.errors ?? null));
});

afterAll(() => world.close());

const port = (): number => Number(new URL(world.service.url).port);

/** Every recorded trade of BTC. */
async function recorded(): Promise<readonly Tick[]> {
  const ticks: Tick[] = [];
  for (let start: number | null = world.clock.now() - 60 * MINUTE_MS; start !== null; ) {
    const end = world.clock.now() + MINUTE_MS;
    const path: string = `/perps/trades/history?coin=BTC&format=json&start=${start}&end=${end}`;
    const { body } = await world.json(path);
    ticks.push(...(body.data as unknown as Tick[]));
    start = body.meta.nextStart as number | null;
  }
  return ticks.map(({ ts, price, size, side, tid }) => ({ price, size, side, ts, tid }));
}

it('carries every channel over one socket, each as described', async () => {
  const client = await WsClient.open(port());
  const channels = [
    'trades',
    'orderbook',
    'liquidations',
    'candles',
    'funding',
    'openInterest',
    'markPrice',
    'footprint',
    'venueSpread',
    'kimchi',
    'etfProxy',
    'flowSignals',
    'flowTape',
    'audit',
  ];
  for (const channel of channels) client.send({ op: 'subscribe', id: channel, channel, symbol: 'BTC' });
  client.send({ op: 'subscribe', id: 'delta', channel: 'orderbook', symbol: 'ETH', mode: 'delta' });
  await world.until(() => client.of('ack').length === channels.length + 1, 5_000);
  const rare = ['liquidations', 'flowSignals', 'audit'];
  const disconnected = (): readonly string[] =>
    channels.filter((channel) => !rare.includes(channel) && client.data(channel).length === 0);
  await world.until(() => disconnected().length === 0, 3 * MINUTE_MS);
  for (const frame of client.frames) {
    const name = frame.type === 'data' ? `data.${String(frame.channel)}` : frame.type;
    expect(isDescribed(name, frame), JSON.stringify(frame)).toBe('');
  }
  expect(client.closed).toBeUndefined();
  await client.end();
});

it('sends trades and bars that equal the record', async () => {
  const client = await WsClient.open(port());
  client.send({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC' });
  client.send({ op: 'subscribe', id: 2, channel: 'candles', symbol: 'BTC', interval: '5s' });
  await world.until(() => client.of('ack').length === 2, 5_000);
  await world.run(MINUTE_MS);
  const answer = client.data('trades').map(({ payload }) => payload);
  const ticks = await recorded();
  expect(answer.length).toBeGreaterThan(100);
  const from = ticks.findIndex(({ tid }) => tid === answer[0]?.tid);
  expect(ticks.slice(from, from + answer.length)).toEqual(answer);
  const closed = client.data('candles').flatMap(({ payload }) => (payload.closed === true ? [payload] : []));
  expect(closed.length).toBeGreaterThan(5);
  const buffer = new TickBuffer();
  for (const tick of ticks) {
    buffer.add({ ...tick, coin: 'BTC', venue: 'hyperliquid', notionalUsd: 0, sameOrder: false });
  }
  const builder = createBuilder({ kind: 'time', params: { intervalMs: 5_000 }, tick: 1 });
  builder.add(buffer.columns);
  const { bars } = builder;
  for (const { openTs, open, high, low, close, volume, buyVolume, trades } of closed) {
    const i = bars.openTs.indexOf(openTs as never);
    expect({ open, high, low, close, volume, buyVolume, trades }).toEqual({
      open: bars.open[i],
      high: bars.high[i],
      low: bars.low[i],
      close: bars.close[i],
      volume: bars.volume[i],
      buyVolume: bars.buyVolume[i],
      trades: bars.trades[i],
    });
  }
  await client.end();
});

it('brings a reader that is cut again and again over every seam', async () => {
  const start = (await recorded()).slice(0, 50);
  const had: Record<string, unknown>[] = [...start];
  const since = (): object => {
    const ts = had.at(-1)?.ts;
    return { ts, count: had.filter((trade) => trade.ts === ts).length };
  };
  for (let round = 0; round < 8; round += 1) {
    const client = await WsClient.open(port());
    client.send({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC', since: since() });
    const least = round * 40;
    await world.until(() => client.data('trades').length > least || client.of('error').length > 0, MINUTE_MS);
    expect(client.of('error')).toEqual([]);
    const frames = client.data('trades');
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => (frames[0]?.seq as number) + n));
    had.push(...frames.map(({ payload }) => payload));
    await client.end();
  }
  const ticks = await recorded();
  expect(had).toEqual(ticks.slice(0, had.length));
  expect(had.length).toBeGreaterThan(300);
});

it('builds bars over the socket that REST then has', async () => {
  const client = await WsClient.open(port());
  client.send({ op: 'build', id: 'b', coin: 'BTC', kind: 'tick', params: { trades: 50 }, days: 0.1 });
  await world.until(
    () => client.of('build:done').length + client.of('build:error').length === 1,
    60 * MINUTE_MS,
  );
  const [done] = client.of('build:done');
  expect(isDescribed('buildDone', done as Frame)).toBe('');
  const { status, body } = await world.json(
    `/perps/rotations/result?format=json&key=${String(done?.resultKey)}`,
  );
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ coin: 'BTC', kind: 'tick' });
  await client.end();
});

it('answers a plain request with a hint that this is a WebSocket', async () => {
  const response = await world.get('/ws/v1');
  expect(response.status).toBe(426);
  expect(response.headers.get('upgrade')).toBe('websocket');
  expect(await response.json()).toMatchObject({ data: [], meta: { code: 'bad_request' } });
});

it('closes with 1001 when the service stops', async () => {
  const client = await WsClient.open(port());
  client.send({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC' });
  await world.until(() => client.of('ack').length === 1, 5_000);
  await world.stopService();
  await client.until(() => client.closed !== undefined);
  expect(client.closed?.code).toBe(1001);
  await world.startService();
});
