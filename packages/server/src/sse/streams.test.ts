import type { FundingChange } from '@crosstape/core';
import { afterEach, expect, test, vi } from 'vitest';
import { fundingTopic, printTopic, tradeTopic } from '../topics.ts';
import type { SseClient } from '../api/testing/sse-client.ts';
import {
  printOf,
  START_MS,
  type StreamService,
  type StreamServiceOptions,
  startStreamService,
  tradeOf,
} from '../api/testing/stream-service.ts';
import { HEARTBEAT_EVERY_MS } from './reader.ts';

const running: StreamService[] = [];

/** Waits until a check holds; the machine may be busy. */
function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 5 });
}

async function start(options?: StreamServiceOptions): Promise<StreamService> {
  const service = await startStreamService(options);
  running.push(service);
  return service;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

async function eventsOf(client: SseClient, count: number): Promise<SseClient['events']> {
  await soon(() => expect(client.events.length).toBeGreaterThanOrEqual(count));
  return client.events;
}

async function finish(client: SseClient): Promise<SseClient['finished']> {
  await soon(() => expect(client.finished).toBeDefined());
  return client.finished;
}

function whaleTids(client: SseClient): unknown[] {
  return client.named('whale').map(({ data }) => data['tid']);
}

function fundingMoves(client: SseClient): unknown[] {
  return client.named('funding').map(({ id, data }) => `${String(data['coin'])} ${id}`);
}

function changeOf(coin: string, delta: number, ts: number): FundingChange {
  return { coin, venue: 'hyperliquid', rate: 0.0001 + delta, periodHours: 1, prevRate: 0.0001, delta, ts };
}

test('a stream is sent unbuffered, uncached, open to every origin, and ends with its connection', async () => {
  const { connect } = await start();
  const { status, headers } = await connect('trades?coin=BTC');
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
    connection: 'close',
  });
  expect(headers['transfer-encoding']).toBeUndefined();
  expect(headers['content-encoding']).toBeUndefined();
});

test.each(['whales', 'trades?coin=BTC', 'funding'])(
  'the first event of %s is a heartbeat, with the clock for lack of an event',
  async (path) => {
    const { connect } = await start();
    const [first] = await eventsOf(await connect(path), 1);
    expect(first).toEqual({ name: 'heartbeat', id: String(START_MS), data: { ts: START_MS, now: START_MS } });
  },
);

test.each(['whales', 'trades?coin=BTC', 'funding'])('%s has a heartbeat every 15 seconds', async (path) => {
  const { connect, clock } = await start();
  const client = await connect(path);
  clock.advance(HEARTBEAT_EVERY_MS - 1);
  clock.advance(1);
  await eventsOf(client, 2);
  clock.advance(HEARTBEAT_EVERY_MS);
  const events = await eventsOf(client, 3);
  expect(events.map(({ name, data }) => [name, data['now']])).toEqual([
    ['heartbeat', START_MS],
    ['heartbeat', START_MS + 15_000],
    ['heartbeat', START_MS + 30_000],
  ]);
});

test('a heartbeat carries the time of the newest event published, also of one that was filtered out', async () => {
  const { connect, clock, bus } = await start();
  const client = await connect('trades?coin=BTC&minUsd=5000');
  clock.advance(1_000);
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 1, { ts: START_MS + 700 }));
  clock.advance(14_000);
  const events = await eventsOf(client, 2);
  expect(events[1]).toEqual({
    name: 'heartbeat',
    id: String(START_MS + 700),
    data: { ts: START_MS + 700, now: START_MS + 15_000 },
  });
});

test('a heartbeat comes after every event up to its id', async () => {
  const { connect, clock, bus } = await start();
  const client = await connect('trades?coin=BTC');
  clock.advance(HEARTBEAT_EVERY_MS - 1);
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 1));
  clock.advance(1);
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 2));
  const events = await eventsOf(client, 4);
  expect(events.map(({ name, id }) => `${name} ${id}`)).toEqual([
    `heartbeat ${START_MS}`,
    `trade ${START_MS + 14_999}`,
    `trade ${START_MS + 15_000}`,
    `heartbeat ${START_MS + 15_000}`,
  ]);
});

test('a trade is sent with every field of the contract and the extras', async () => {
  const { connect, clock, bus } = await start();
  const client = await connect('trades?coin=btc');
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 7, { venueTs: START_MS - 5, sameOrder: true }));
  bus.publish(tradeTopic('ETH'), tradeOf(clock, 8, { coin: 'ETH' }));
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 9));
  const [, first, second] = await eventsOf(client, 3);
  expect(first).toEqual({
    name: 'trade',
    id: String(START_MS),
    data: {
      coin: 'BTC',
      side: 'sell',
      price: 100_000,
      size: 0.01,
      notionalUsd: 1_000,
      ts: START_MS,
      venue: 'hyperliquid',
      tid: 7,
      venueTs: START_MS - 5,
    },
  });
  expect(second?.data).not.toHaveProperty('venueTs');
});

test('trades can be requested by the bare coin', async () => {
  const { connect, clock, bus } = await start();
  const client = await connect('trades?coin=pepe');
  bus.publish(tradeTopic('kPEPE'), tradeOf(clock, 1, { coin: 'kPEPE' }));
  const events = await eventsOf(client, 2);
  expect(events[1]?.data).toMatchObject({ coin: 'kPEPE', tid: 1 });
});

test('whales are prints of at least minUsd, 100,000 by default, of all coins or one', async () => {
  const { connect, clock, bus } = await start();
  const [all, ethOnly, small] = await Promise.all([
    connect('whales'),
    connect('whales?coin=eth&minUsd=0'),
    connect('whales?minUsd=99999'),
  ]);
  bus.publish(printTopic, printOf(clock, 1, { notionalUsd: 100_000 }));
  bus.publish(printTopic, printOf(clock, 2, { notionalUsd: 99_999 }));
  bus.publish(printTopic, printOf(clock, 3, { notionalUsd: 5, coin: 'ETH' }));
  bus.publish(printTopic, printOf(clock, 4, { notionalUsd: 300_000, coin: 'ETH' }));
  await Promise.all([eventsOf(all, 3), eventsOf(ethOnly, 3), eventsOf(small, 4)]);
  expect([whaleTids(all), whaleTids(ethOnly), whaleTids(small)]).toEqual([
    [1, 4],
    [3, 4],
    [1, 2, 4],
  ]);
  expect(all.named('whale')[0]?.data).toEqual({
    coin: 'BTC',
    side: 'buy',
    notionalUsd: 100_000,
    price: 100_000,
    ts: START_MS,
    venue: 'hyperliquid',
    size: 2,
    fills: 3,
    tid: 1,
  });
});

test('funding changes are sent from minDeltaBps on, up or down, without the noise of floats', async () => {
  const { connect, bus } = await start();
  const [standard, fine, one] = await Promise.all([
    connect('funding'),
    connect('funding?minDeltaBps=0'),
    connect('funding?minDeltaBps=3&coins=eth'),
  ]);
  // 0.0004 − 0.0001 is 0.00030000000000000003 in floats, and 0.0001 − 0.0004 likewise.
  bus.publish(fundingTopic, changeOf('BTC', 0.00005, 1));
  bus.publish(fundingTopic, changeOf('ETH', -(0.0004 - 0.0001), 1));
  bus.publish(fundingTopic, changeOf('ETH', 0.7 - 0.6997, 2));
  bus.publish(fundingTopic, changeOf('BTC', 0.000049, 2));
  await Promise.all([eventsOf(standard, 4), eventsOf(fine, 5), eventsOf(one, 3)]);
  expect(fundingMoves(standard)).toEqual(['BTC 1', 'ETH 1', 'ETH 2']);
  expect(fundingMoves(fine)).toEqual(['BTC 1', 'ETH 1', 'ETH 2', 'BTC 2']);
  expect(fundingMoves(one)).toEqual(['ETH 1', 'ETH 2']);
  expect(standard.named('funding')[0]?.data).toEqual(changeOf('BTC', 0.00005, 1));
});

test('unknown coins of a funding stream are named in the first heartbeat', async () => {
  const { connect } = await start();
  const [first] = await eventsOf(await connect('funding?coins=BTC,NOPE,nix'), 1);
  expect(first?.data).toMatchObject({ unknown: ['NOPE', 'nix'] });
});

test.each([
  ['trades', 400, 'coin'],
  ['trades?coin=', 400, 'coin'],
  ['trades?coin=BTC&coin=ETH', 400, 'coin'],
  ['trades?coin=BTC,ETH', 400, 'coin'],
  ['trades?coin=NOPE', 404, 'NOPE'],
  ['trades?coin=BTC&minUsd=-1', 400, 'minUsd'],
  ['trades?coin=BTC&minUsd=abc', 400, 'minUsd'],
  ['trades?coin=BTC&minUsd=Infinity', 400, 'minUsd'],
  ['trades?coin=BTC&minusd=1', 400, 'minusd'],
  ['trades?coin=BTC&lastEventId=1.5', 400, 'lastEventId'],
  ['trades?coin=BTC&Last-Event-ID=1', 400, 'Last-Event-ID'],
  ['whales?minUsd=', 400, 'minUsd'],
  ['whales?minUsd=1e', 400, 'minUsd'],
  ['whales?coin=NOPE', 404, 'NOPE'],
  ['whales?coins=BTC', 400, 'coins'],
  ['funding?coins=NOPE,NIX', 404, 'coins'],
  ['funding?coins=BTC,,ETH', 400, 'coins'],
  ['funding?minDeltaBps=-0.5', 400, 'minDeltaBps'],
  ['funding?minDeltaBps=x', 400, 'minDeltaBps'],
  ['funding?coin=BTC', 400, 'coin'],
])('%s is refused with %i and names %s', async (path, status, named) => {
  const { connect, streams } = await start();
  const client = await connect(path);
  expect(client.status).toBe(status);
  await finish(client);
  expect(client.body).toContain(named);
  expect(streams.counts()).toMatchObject({ open: 0, opened: 0 });
});

test.each(['', 'abc', '-1', '1.5', '1e3', '0x10', '99999999999999999999', '1, 2'])(
  'the Last-Event-ID `%s` is refused with 400',
  async (lastEventId) => {
    const { connect } = await start();
    expect((await connect('whales', { lastEventId })).status).toBe(400);
  },
);

test('a coin cannot be looked up before the coins are known', async () => {
  const { connect } = await start({ coins: undefined });
  const client = await connect('trades?coin=BTC');
  expect(client.status).toBe(503);
  await finish(client);
  expect(client.body).toContain('"retryAfterSeconds":1');
  expect((await connect('whales')).status).toBe(200);
});

test('after the longest duration whales say bye and every stream ends', async () => {
  const { connect, clock, streams } = await start({ sseMaxMinutes: 1 });
  const clients = await Promise.all([connect('whales'), connect('trades?coin=BTC'), connect('funding')]);
  clock.advance(59_999);
  await Promise.all(clients.map((client) => eventsOf(client, 1)));
  expect(clients.map(({ finished }) => finished)).toEqual([undefined, undefined, undefined]);
  clock.advance(1);
  expect(await Promise.all(clients.map(finish))).toEqual(['end', 'end', 'end']);
  expect(clients.map((client) => client.named('bye').map(({ data }) => data['reason']))).toEqual([
    ['max-duration'],
    [],
    [],
  ]);
  await soon(() => expect(streams.counts()).toMatchObject({ open: 0, opened: 3, cut: 0 }));
});

test('on shutdown everything published is sent, whales say bye, and no stream is opened any more', async () => {
  const { connect, bus, clock, streams } = await start();
  const [whales, trades] = await Promise.all([connect('whales'), connect('trades?coin=BTC')]);
  bus.publish(printTopic, printOf(clock, 1));
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 1));
  await streams.close('shutdown');
  expect(await Promise.all([finish(whales), finish(trades)])).toEqual(['end', 'end']);
  expect(whales.events.map(({ name }) => name)).toEqual(['heartbeat', 'whale', 'bye']);
  expect(whales.events.at(-1)).toMatchObject({ id: String(START_MS), data: { reason: 'shutdown' } });
  expect(trades.events.map(({ name }) => name)).toEqual(['heartbeat', 'trade']);
  expect((await connect('whales')).status).toBe(503);
});

test('shutdown does not wait for a client that leaves its last words unread', async () => {
  const { connect, bus, clock, streams } = await start();
  const client = await connect('trades?coin=BTC', { paused: true });
  // More than the kernel buffers, less than the limit of a slow client.
  for (let tid = 0; tid < 30_000; tid += 1) bus.publish(tradeTopic('BTC'), tradeOf(clock, tid));
  await soon(() => expect(streams.counts()['delivered']).toBe(30_000));
  expect(streams.counts()).toMatchObject({ open: 1, cut: 0 });
  const closed = streams.close('shutdown');
  await soon(() => {
    clock.advance(1_000);
    expect(streams.counts()['open']).toBe(0);
  });
  await closed;
  client.hangUp();
});

test('a stream that its client leaves is no longer counted as open', async () => {
  const { streams, connect } = await start();
  const client = await connect('whales');
  expect(streams.counts()).toMatchObject({ open: 1, opened: 1 });
  client.hangUp();
  await soon(() => expect(streams.counts()).toMatchObject({ open: 0, opened: 1, cut: 0 }));
});

test('a client that joins others gets what they get from then on', async () => {
  const { connect, bus, clock } = await start();
  const first = await connect('trades?coin=BTC');
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 1));
  await eventsOf(first, 2);
  const second = await connect('trades?coin=btc&minUsd=0');
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 2));
  await Promise.all([eventsOf(first, 3), eventsOf(second, 2)]);
  expect([first, second].map((client) => client.events.map(({ data }) => data['tid']))).toEqual([
    [undefined, 1, 2],
    [undefined, 2],
  ]);
});

test('a topic is listened to once for all its clients, and no more when the last has left', async () => {
  const { connect, bus, clock, streams } = await start();
  const subscribe = bus.subscribe.bind(bus);
  let listeners = 0;
  vi.spyOn(bus, 'subscribe').mockImplementation((topic, listener) => {
    const unsubscribe = subscribe(topic, listener);
    listeners += 1;
    return () => {
      listeners -= 1;
      unsubscribe();
    };
  });
  const clients = await Promise.all([connect('trades?coin=BTC'), connect('trades?coin=BTC&minUsd=5')]);
  // One for the trades, one for the health of their source.
  expect(listeners).toBe(2);
  for (const client of clients) client.hangUp();
  await soon(() => expect(streams.counts()['open']).toBe(0));
  expect(listeners).toBe(0);
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 1));
  const again = await connect('trades?coin=BTC');
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 2));
  const events = await eventsOf(again, 2);
  expect(events.map(({ data }) => data['tid'])).toEqual([undefined, 2]);
});
