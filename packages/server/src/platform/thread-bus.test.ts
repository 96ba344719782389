import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { ManualClock } from '@crosstape/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LatestTopic, LogTopic } from './bus.ts';
import type { ToGateway } from './thread-bus-wire.ts';
import { ThreadGatewayBus } from './thread-gateway-bus.ts';
import { ThreadIngestBus } from './thread-ingest-bus.ts';

interface Event {
  readonly ts: number;
  readonly n: number;
  readonly text?: string;
}

const trades: LogTopic<Event> = {
  name: 'trades:BTC',
  keep: { kind: 'log', keepMs: 60_000, entriesMax: 100_000 },
};
const packed: LogTopic<Event> = {
  name: 'trades:ETH',
  keep: { kind: 'log', keepMs: 60_000, entriesMax: 100_000, isPacked: true },
};
const price: LatestTopic<{ readonly usd: number }> = { name: 'price', keep: { kind: 'latest' } };
const demand: LatestTopic<string> = { name: 'demand', keep: { kind: 'latest' }, by: 'gateway' };
const until = (holds: () => boolean): Promise<unknown> => vi.waitUntil(holds, { timeout: 10_000 });

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).toReversed()) close();
});

function gatewayBus(silentMs = 5_000): ThreadGatewayBus {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const bus = new ThreadGatewayBus({ clock: new ManualClock(1_000), log, silentMs });
  closers.push(() => bus.stop());
  return bus;
}

function ingestBus(gateway: ThreadGatewayBus, waitingMax = 100_000) {
  const { port1, port2 } = new MessageChannel();
  const lost: number[] = [];
  const bus = new ThreadIngestBus({
    clock: new ManualClock(2_000),
    port: port2,
    waitingMax,
    onLost: (count) => lost.push(count),
  });
  gateway.attach(port1);
  closers.push(() => {
    bus.close();
    port2.close();
  });
  return { bus, lost };
}

const publishMany = (bus: ThreadIngestBus, from: number, count: number): void => {
  for (let n = from; n < from + count; n += 1) bus.publish(trades, { ts: n, n });
};

describe('the bus between the ingest thread and the gateway', () => {
  it('delivers every message once, in order of publication over all topics', async () => {
    const gateway = gatewayBus();
    const received: (number | string)[] = [];
    gateway.subscribe(trades, ({ n }) => received.push(n));
    gateway.subscribe(price, ({ usd }) => received.push(`$${usd}`));
    const { bus } = ingestBus(gateway);
    const expected: (number | string)[] = [];
    for (let n = 0; n < 5_000; n += 1) {
      bus.publish(trades, { ts: n, n });
      expected.push(n);
      if (n % 700 !== 0) continue;
      bus.publish(price, { usd: n });
      expected.push(`$${n}`);
    }
    await until(() => received.length === expected.length);
    expect(received).toEqual(expected);
    expect(gateway.latest(price)?.message).toEqual({ usd: 4_900 });
    expect(gateway.log(trades).end).toBe(5_000);
  });

  it('keeps the order where messages go as columns, also of those that cannot', async () => {
    const gateway = gatewayBus();
    const received: unknown[] = [];
    gateway.subscribe(packed, (event) => received.push(event));
    gateway.subscribe(trades, (event) => received.push(event));
    const { bus } = ingestBus(gateway);
    const sent: unknown[] = [];
    for (let n = 0; n < 3_000; n += 1) {
      const event = { ts: n, n, ...(n % 500 === 7 && { text: `at ${n}` }) };
      bus.publish(n % 100 === 3 ? trades : packed, event);
      sent.push(event);
    }
    await until(() => received.length === sent.length);
    expect(received).toEqual(sent);
    expect(gateway.log(packed).end).toBe(2_970);
  });

  it('keeps the same log of a topic with and without a subscriber', async () => {
    const gateway = gatewayBus();
    const { bus } = ingestBus(gateway);
    const received: Event[] = [];
    const sent: Event[] = [];
    for (let n = 0; n < 600; n += 1) {
      if (n === 200) {
        await gateway.settled(packed);
        const leave = gateway.subscribe(packed, (event) => received.push(event));
        closers.push(leave);
      }
      const event = {
        // Some are late.
        ts: n % 9 === 0 ? Math.max(0, n - 20) : n,
        n: n / 8,
        ...(n % 5 === 0 && { text: `text ${n % 7}` }),
        ...(n % 11 === 0 && { isLast: n % 2 === 0 }),
      };
      sent.push(event);
      bus.publish(packed, event);
    }
    await gateway.settled(packed);
    const log = gateway.log(packed);
    expect(log.read(0, 1_000)).toEqual(sent);
    expect(received).toEqual(sent.slice(200));
    expect(log.idAt(191)).toBe(190);
    expect(log.resume(199)).toMatchObject({ position: 199 });
    expect(log.since(0)).toHaveLength(600);
  });

  it('settles once everything published before is in the log, however much waits', async () => {
    const gateway = gatewayBus();
    const { bus } = ingestBus(gateway);
    publishMany(bus, 0, 20_000);
    await gateway.settled(trades);
    expect(gateway.log(trades).end).toBe(20_000);
  });

  it('carries what the gateway asks for to the ingest thread, and nothing of it back', async () => {
    const gateway = gatewayBus();
    const { bus } = ingestBus(gateway);
    const asked: string[] = [];
    bus.subscribe(demand, (message) => asked.push(message));
    gateway.publish(demand, 'options');
    await until(() => asked.length > 0);
    await gateway.settled(trades);
    expect(asked).toEqual(['options']);
    expect(() => gateway.publish(price, { usd: 1 })).toThrow('not for a gateway');
  });

  it('bounds what waits for a slow gateway, and reports the loss', async () => {
    const gateway = gatewayBus();
    let misses = 0;
    gateway.onMissed(() => {
      misses += 1;
    });
    const { bus, lost } = ingestBus(gateway, 1_000);
    bus.publish(price, { usd: 7 });
    publishMany(bus, 0, 1_500);
    await gateway.settled(trades);
    expect(lost).toEqual([1_000]);
    expect(misses).toBe(1);
    expect(gateway.latest(price)?.message).toEqual({ usd: 7 });
    expect(
      gateway
        .log(trades)
        .read(0, 1_000)
        .map(({ n }) => n),
    ).toEqual(Array.from({ length: 500 }, (_, i) => 1_000 + i));
    expect(gateway.log(trades).resume(0).resumed).toBe(false);
  });

  it('reads packed messages of a topic whose first were dropped', async () => {
    const gateway = gatewayBus();
    const { bus, lost } = ingestBus(gateway, 1_000);
    for (let n = 0; n < 1_400; n += 1) bus.publish(packed, { ts: n, n, text: `text ${n % 3}` });
    await gateway.settled(packed);
    expect(lost).toEqual([1_001]);
    const read = gateway.log(packed).read(0, 1_000);
    expect(read[0]).toEqual({ ts: 1_001, n: 1_001, text: 'text 2' });
    expect(read).toHaveLength(399);
  });

  it('sends the first message at once, and what follows within a few milliseconds together', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const { port1, port2 } = new MessageChannel();
    const bus = new ThreadIngestBus({ clock: new ManualClock(0), port: port2, onLost: () => {} });
    const batches: ToGateway[] = [];
    await once(port1, 'message');
    port1.on('message', (message: ToGateway) => batches.push(message));
    try {
      publishMany(bus, 0, 1);
      await once(port1, 'message');
      for (let n = 1; n <= 10; n += 1) {
        publishMany(bus, n, 1);
        await new Promise((resolve) => setImmediate(resolve));
      }
      vi.advanceTimersByTime(10);
      await once(port1, 'message');
      const sent = batches.map((batch) => ('runs' in batch ? batch.runs : []));
      const numbers = sent.map((runs) =>
        runs.flatMap((run) => (typeof run === 'object' ? run.messages : [])),
      );
      expect(numbers.map((messages) => messages.length)).toEqual([1, 10]);
    } finally {
      vi.useRealTimers();
      bus.close();
      port1.close();
      port2.close();
    }
  });

  it('has four batches in flight at most, and sends more as they are taken', async () => {
    const { port1, port2 } = new MessageChannel();
    const bus = new ThreadIngestBus({ clock: new ManualClock(7_000), port: port2, onLost: () => {} });
    const [opened] = (await once(port1, 'message')) as [ToGateway];
    if (!('taken' in opened)) throw new Error('the first message does not open the bus');
    const batches: ToGateway[] = [];
    port1.on('message', (message: ToGateway) => batches.push(message));
    // The first names topic and shape; the others are numbers alone: time, count, and the messages.
    for (let n = 0; n < 20 * 512; n += 1) bus.publish(packed, { ts: n, n });
    await until(() => batches.length >= 4);
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches.map((batch) => batch instanceof Float64Array)).toEqual([false, true, true, true]);
    expect([...(batches[1] as Float64Array)].slice(0, 6)).toEqual([7_000, 512, 0, 0, 512, 512]);
    Atomics.add(opened.taken, 0, 3);
    await until(() => batches.length >= 7);
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toHaveLength(7);
    bus.close();
    port1.close();
    port2.close();
  });

  it('holds a burst of 50,000 trades a second for 5 s while the gateway takes nothing', () => {
    const { port1, port2 } = new MessageChannel();
    let lost = 0;
    const clock = new ManualClock(2_000);
    const bus = new ThreadIngestBus({ clock, port: port2, onLost: (count) => (lost += count) });
    publishMany(bus, 0, 250_000);
    expect(lost).toBe(0);
    // Beyond the bound it is reported.
    publishMany(bus, 250_000, 100_000);
    expect(lost).toBeGreaterThan(250_000);
    bus.close();
    port1.close();
    port2.close();
  });

  it('is silent at once without its thread, and misses what lies between two threads', async () => {
    const gateway = gatewayBus();
    gateway.markStaleWhileSilent(price, ({ usd }) => ({ usd: -usd }));
    const first = ingestBus(gateway).bus;
    first.publish(price, { usd: 5 });
    publishMany(first, 0, 10);
    await gateway.settled(trades);
    let misses = 0;
    gateway.onMissed(() => {
      misses += 1;
    });
    gateway.detach();
    expect(gateway.isSilent).toBe(true);
    expect(gateway.latest(price)?.message).toEqual({ usd: -5 });
    await gateway.settled(trades);
    const second = ingestBus(gateway).bus;
    expect(misses).toBe(1);
    second.publish(price, { usd: 6 });
    await until(() => !gateway.isSilent);
    await gateway.republish();
    await until(() => gateway.latest(price)?.message.usd === 6);
    expect(gateway.log(trades).resume(0).resumed).toBe(false);
  });

  it('waits ten seconds for a busy ingest thread', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      const gateway = gatewayBus();
      const { port1, port2 } = new MessageChannel();
      closers.push(() => port2.close());
      gateway.attach(port1);
      const late = gateway.settled(trades);
      await vi.advanceTimersByTimeAsync(9_000);
      port2.postMessage({ kind: 'settled', id: 1 });
      await late;
      const stuck = expect(gateway.settled(trades)).rejects.toMatchObject({ code: 'upstream_unavailable' });
      await vi.advanceTimersByTimeAsync(10_000);
      await stuck;
    } finally {
      vi.useRealTimers();
    }
  });

  it('rejects calls that wait for a thread that ends', async () => {
    const gateway = gatewayBus();
    ingestBus(gateway);
    const settled = gateway.settled(trades);
    gateway.detach();
    await expect(settled).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});
