import { ManualClock, MINUTE_MS, type Print, type Trade } from '@crosstape/core';
import { afterEach, expect, test, vi } from 'vitest';
import type { WhaleReader } from '../features/whales/whales.ts';
import { printTopic, tradeTopic } from '../topics.ts';
import type { SseClient } from '../api/testing/sse-client.ts';
import {
  printOf,
  START_MS,
  silentLog,
  type StreamService,
  type StreamServiceOptions,
  startStreamService,
  tradeOf,
} from '../api/testing/stream-service.ts';
import { TestTape } from '../api/testing/test-tape.ts';

let service: StreamService;
let tape: TestTape;

afterEach(async () => {
  await service.close();
  await tape.close();
});

/** A service that has just started with the record of a previous one. */
async function start(
  whales: WhaleReader['newest'] = async () => expect.fail('not asked'),
  options: Pick<StreamServiceOptions, 'isRecorded'> = {},
): Promise<void> {
  service = await startStreamService({
    ...options,
    record: async ({ clock, bus }) => {
      tape = await TestTape.open({ clock, bus, log: silentLog });
      const { tape: reader, coverage } = tape;
      const reading = { newest: whales, ofMarkets: () => expect.fail('not asked') };
      return { clock, bus, tape: reader, coverage, whales: reading, primaryVenue: 'hyperliquid' };
    },
  });
}

/** One trade a second, identified by its number, up to a time before the start. */
function tradesBefore(count: number, agoMs: number): Trade[] {
  return Array.from({ length: count }, (_, i) => {
    const ts = START_MS - agoMs - (count - 1 - i) * 1_000;
    return tradeOf(new ManualClock(ts), i + 1, { ts });
  });
}

async function tidsOf(client: SseClient, count: number): Promise<unknown[]> {
  await vi.waitFor(() => expect(client.events.length).toBeGreaterThan(count), { timeout: 15_000 });
  return client.events.slice(1).map(({ data }) => data['tid']);
}

test('a resume after a restart brings the recorded trades, once and in order, then the live ones', async () => {
  await start();
  const recorded = tradesBefore(3_000, 10_000);
  await tape.record(recorded.slice(0, 2_000), 'sealed');
  await tape.record(recorded.slice(2_000), 'tail');
  await tape.connected(START_MS - 60 * MINUTE_MS, START_MS + MINUTE_MS);
  const { bus, clock, connect } = service;
  for (const tid of [3_001, 3_002]) bus.publish(tradeTopic('BTC'), tradeOf(clock, tid));
  const from = recorded[499] as Trade;
  const client = await connect('trades?coin=BTC', { lastEventId: String(from.ts) });
  const tids = await tidsOf(client, 2_503);
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 3_003));
  expect(tids).toEqual(Array.from({ length: 2_503 }, (_, i) => 500 + i));
  expect(await tidsOf(client, 2_504)).toEqual([...tids, 3_003]);
  expect(client.events[0]?.data).toEqual({ ts: from.ts, now: START_MS, resumed: true });
  const { sameOrder: _, ...sent } = from;
  expect(client.events[1]).toEqual({ name: 'trade', id: String(from.ts), data: sent });
});

test('only what the tape reports as a gap is called lost, and the filter holds', async () => {
  await start();
  const recorded = tradesBefore(100, 60_000).map((trade) => ({ ...trade, size: trade.tid / 1_000 }));
  await tape.record(recorded, 'tail');
  const gap = { from: START_MS - 59_000, to: START_MS - 1_000, state: 'missing', reason: 'test' } as const;
  await tape.connected(START_MS - 60 * MINUTE_MS, START_MS + MINUTE_MS, { coin: 'BTC', ...gap });
  const minUsd = (recorded[79]?.price ?? 0) * 0.08;
  const lastEventId = String(recorded[0]?.ts);
  const client = await service.connect(`trades?coin=BTC&minUsd=${minUsd}`, { lastEventId });
  expect(await tidsOf(client, 21)).toEqual(Array.from({ length: 21 }, (_, i) => 80 + i));
  expect(client.events[0]?.data).toMatchObject({ resumed: true, lostFrom: gap.from, lostTo: gap.to - 1 });
});

test('what is more than an hour ago is not read: the verdict says what is lost', async () => {
  await start();
  const lastEventId = String(START_MS - 61 * MINUTE_MS);
  const client = await service.connect('trades?coin=BTC', { lastEventId });
  await vi.waitFor(() => expect(client.events).toHaveLength(1));
  expect(client.events[0]?.data).toMatchObject({ resumed: false, lostTo: START_MS - 1 });
});

test('recorded prints come before those of the log, each once', async () => {
  const asked: unknown[] = [];
  let prints: Print[] = [];
  await start(async (query) => {
    asked.push(query);
    return { prints, recordedSinceMs: 0 };
  });
  await tape.connected(START_MS - 60 * MINUTE_MS, START_MS + MINUTE_MS);
  const { bus, clock, connect } = service;
  const before = [1, 2].map((tid) => printOf(clock, tid, { ts: START_MS - 10_000 + tid }));
  const logged = printOf(clock, 3);
  bus.publish(printTopic, logged);
  prints = [logged, ...before.toReversed()];
  const sinceMs = START_MS - 20_000;
  const client = await connect('whales?minUsd=1&coin=BTC', { lastEventId: String(sinceMs) });
  expect(await tidsOf(client, 3)).toEqual([1, 2, 3]);
  expect(client.events[0]?.data).toMatchObject({ resumed: true });
  expect(asked).toEqual([{ minUsd: 1, coin: 'BTC', sinceMs: sinceMs - 1_000, limit: 10_000 }]);
});

test('what a busy log of recorded trades has dropped is read from the tape', async () => {
  await start(undefined, { isRecorded: true });
  const { bus, clock, connect } = service;
  await tape.connected(START_MS - MINUTE_MS, START_MS + 10 * MINUTE_MS);
  const old = Array.from({ length: 5_000 }, (_, i) => tradeOf(clock, i + 1, { ts: START_MS + i }));
  await tape.record(old, 'tail');
  for (const trade of old) bus.publish(tradeTopic('BTC'), trade);
  clock.advance(2 * MINUTE_MS + 1);
  bus.publish(tradeTopic('BTC'), tradeOf(clock, 5_001));
  const log = bus.log(tradeTopic('BTC'));
  expect(log.end - log.start).toBe(256);
  const client = await connect('trades?coin=BTC', { lastEventId: String(START_MS + 99) });
  expect(await tidsOf(client, 4_902)).toEqual(Array.from({ length: 4_902 }, (_, i) => 100 + i));
  expect(client.events[0]?.data).toMatchObject({ resumed: true });
});
