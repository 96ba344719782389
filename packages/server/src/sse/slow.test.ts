import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { fundingTopic, tradeTopic } from '../topics.ts';
import type { SseClient } from '../api/testing/sse-client.ts';
import { START_MS, type StreamService, startStreamService, tradeOf } from '../api/testing/stream-service.ts';

/** Of funding: that of trades keeps sixteen times as many, which take seconds to publish. */
const LOG_ENTRIES_MAX = fundingTopic.keep.entriesMax;
const running: StreamService[] = [];

/** Waits until a check holds; the machine may be busy. */
function soon(check: () => void): Promise<void> {
  return vi.waitFor(check, { interval: 5 });
}

async function start(): Promise<StreamService> {
  const service = await startStreamService();
  running.push(service);
  return service;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

/** Publishes trades numbered from `first`, a few per turn of the event loop. */
async function publish(
  { bus, clock }: StreamService,
  { first, count, bunch }: { first: number; count: number; bunch: number },
): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    if (i % bunch === 0) await nextTurn();
    bus.publish(tradeTopic('BTC'), tradeOf(clock, first + i));
  }
}

/** Publishes changes of funding, numbered from `first` by their rates. */
function publishFunding({ bus, clock }: StreamService, first: number, count: number): void {
  const change = {
    coin: 'BTC',
    venue: 'hyperliquid',
    periodHours: 1,
    prevRate: 0,
    delta: 1,
    ts: clock.now(),
  };
  for (let rate = first; rate < first + count; rate += 1) bus.publish(fundingTopic, { ...change, rate });
}

function tidsOf(client: SseClient): unknown[] {
  return client.named('trade').map(({ data }) => data['tid']);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The first trades, each once and in order. */
function expectFirst(client: SseClient, count = tidsOf(client).length): void {
  const tids = tidsOf(client);
  expect(tids).toHaveLength(count);
  expect(tids.findIndex((tid, i) => tid !== i)).toBe(-1);
}

test('a client that does not read is cut off at the bound, and the others notice nothing', async () => {
  const service = await start();
  const { connect, streams } = service;
  const [slow, fast] = await Promise.all([
    connect('trades?coin=BTC', { paused: true }),
    connect('trades?coin=BTC'),
  ]);
  await publish(service, { first: 0, count: 90_000, bunch: 500 });
  await soon(() => expect(fast.events.length).toBeGreaterThanOrEqual(90_001));
  expect(streams.counts()).toMatchObject({ cut: 1 });
  await soon(() => expect(streams.counts()).toMatchObject({ open: 1 }));
  expectFirst(fast, 90_000);
  slow.read();
  await soon(() => expect(slow.finished).toBeDefined());
  expectFirst(slow);
});

test('a burst reaches every client whole and in order, with more writes than one turn allows', async () => {
  const service = await start();
  const clients = await Promise.all(numbers(40).map(() => service.connect('trades?coin=BTC')));
  await publish(service, { first: 0, count: 500, bunch: 500 });
  await soon(() => {
    for (const client of clients) expect(client.events.length).toBeGreaterThanOrEqual(501);
  });
  for (const client of clients) expectFirst(client, 500);
});

test('clients that catch up during a burst get everything once, also those that pause meanwhile', async () => {
  const service = await start();
  const { connect, streams } = service;
  await publish(service, { first: 0, count: 30_000, bunch: 10_000 });
  const lastEventId = String(START_MS);
  const clients = await Promise.all([
    connect('trades?coin=BTC', { lastEventId }),
    connect('trades?coin=BTC', { lastEventId, paused: true }),
    connect('trades?coin=BTC&minUsd=1000', { lastEventId }),
  ]);
  const published = publish(service, { first: 30_000, count: 6_000, bunch: 300 });
  expect(streams.counts()['catchingUp']).toBe(3);
  await published;
  clients[1]?.read();
  await soon(() => {
    for (const client of clients) expect(client.events.length).toBeGreaterThanOrEqual(36_001);
  });
  for (const client of clients) expectFirst(client, 36_000);
  expect(streams.counts()).toMatchObject({ open: 3, catchingUp: 0, cut: 0 });
});

test('a client that catches up too slowly is cut off when the log drops what it needs', async () => {
  const service = await start();
  const { connect, streams } = service;
  publishFunding(service, 0, LOG_ENTRIES_MAX);
  const client = await connect('funding', { lastEventId: String(START_MS), paused: true });
  await soon(() => expect(streams.counts()['catchingUp']).toBe(1));
  publishFunding(service, LOG_ENTRIES_MAX, LOG_ENTRIES_MAX);
  client.read();
  await soon(() => expect(client.finished).toBeDefined());
  expect(streams.counts()).toMatchObject({ cut: 1 });
  const rates = client.named('funding').map(({ data }) => data['rate']);
  expect(rates.length).toBeLessThan(LOG_ENTRIES_MAX);
  expect(rates).toEqual(numbers(rates.length));
});

test('live followers are cut off when more comes in one turn than the log keeps', async () => {
  const service = await start();
  const { connect, streams } = service;
  const client = await connect('funding');
  publishFunding(service, 0, LOG_ENTRIES_MAX + 1);
  await soon(() => expect(client.finished).toBe('cut'));
  expect(streams.counts()).toMatchObject({ cut: 1 });
  expect(client.named('funding')).toEqual([]);
});

test('a client that catches up is ended at shutdown where it stands', async () => {
  const service = await start();
  const { connect, streams } = service;
  await publish(service, { first: 0, count: 60_000, bunch: 10_000 });
  const client = await connect('trades?coin=BTC', { lastEventId: String(START_MS), paused: true });
  await soon(() => expect(streams.counts()['catchingUp']).toBe(1));
  const closed = streams.close('shutdown');
  client.read();
  await closed;
  await soon(() => expect(client.finished).toBe('end'));
  expectFirst(client);
});

test('a client is cut, and gets a report of its loss on return, when the log has missed something', async () => {
  const service = await start();
  const { bus, clock, connect } = service;
  const client = await connect('trades?coin=BTC');
  await publish(service, { first: 0, count: 3, bunch: 1 });
  await soon(() => expect(tidsOf(client)).toEqual([0, 1, 2]));
  clock.advance(1_000);
  bus.miss((topic) => topic === tradeTopic('BTC').name);
  await publish(service, { first: 5, count: 1, bunch: 1 });
  await soon(() => expect(client.finished).toBeDefined());
  const lastEventId = client.events.findLast(({ id }) => id !== undefined)?.id;
  const again = await connect('trades?coin=BTC', { lastEventId });
  await soon(() => expect(tidsOf(again)).toEqual([5]));
  expect(again.events[0]?.data).toMatchObject({ resumed: false });
});
