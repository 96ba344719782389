import { ManualClock } from '@crosstape/core';
import { afterEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Client } from '../client.ts';
import { followBook } from '../local-book.ts';
import { ack, Reading, trade } from '../testing/reading.ts';
import { type Frame, ScriptedGateway } from '../testing/scripted-gateway.ts';
import type { FeedStatus } from './frame-types.ts';

const START_MS = 1_790_000_000_000;
const REASON = 'hyperliquid trades: No data for 7 s.';

let gateway: ScriptedGateway;
let clock: ManualClock;
let ending = new AbortController();

afterEach(() => {
  ending.abort();
  ending = new AbortController();
  Reading.stopAll();
  gateway.close();
});

async function clientOf(answer: (frame: Frame, socket: number) => readonly Frame[]): Promise<Client> {
  clock = new ManualClock(START_MS);
  gateway = await ScriptedGateway.open(answer);
  return new Client({ url: gateway.url, clock, random: () => 0, WebSocket });
}

const until = (holds: () => boolean): Promise<boolean> =>
  vi.waitUntil(holds, { timeout: 10_000, interval: 2 });
const joins = (frame: Frame): readonly Frame[] => (frame.op === 'subscribe' ? [ack(frame)] : []);
const status = (state: FeedStatus['state'], more: Frame = {}): Frame => ({
  type: 'status',
  channel: 'trades',
  symbol: 'BTC',
  state,
  sinceTs: START_MS,
  reason: REASON,
  ...more,
});

/** Follows a channel and records the reported status of its sources. */
function follow(client: Client, channel: 'trades' | 'candles', params = {}): FeedStatus[] {
  const statuses: FeedStatus[] = [];
  const read = async (): Promise<void> => {
    const options = { signal: ending.signal, onStatus: (one: FeedStatus) => statuses.push(one) };
    for await (const _ of client.follow(channel, 'BTC', params, options)) continue;
  };
  void read().catch(() => {});
  return statuses;
}

it('is reported to callers that ask for it, and never among the items', async () => {
  const client = await clientOf(joins);
  const reading = new Reading(client);
  const statuses = follow(client, 'trades');
  await until(() => reading.of('joined').length === 1);
  gateway.send(trade(1, START_MS), status('stale'), trade(2, START_MS), status('down'), status('live'));
  await until(() => statuses.length === 3);
  expect(statuses).toEqual([
    { state: 'stale', sinceTs: START_MS, reason: REASON },
    { state: 'down', sinceTs: START_MS, reason: REASON },
    { state: 'live', sinceTs: START_MS, reason: REASON },
  ]);
  expect(reading.items.map(({ type }) => type)).toEqual(['joined', 'data', 'data']);
});

it('is reported once of the same state, and at once to a reader that comes later', async () => {
  const client = await clientOf(joins);
  const statuses = follow(client, 'trades');
  await until(() => gateway.asked.length === 1);
  gateway.send(status('stale', { partial: true }), status('stale', { partial: true }), status('stale'));
  await until(() => statuses.length === 2);
  expect(statuses.map(({ partial }) => partial)).toEqual([true, undefined]);
  const late = follow(client, 'trades');
  await until(() => late.length === 1);
  expect(late[0]?.state).toBe('stale');
});

it('is that of the topic with the same parameters', async () => {
  const client = await clientOf(joins);
  const minutes = follow(client, 'candles', { interval: '1m' });
  const hours = follow(client, 'candles', { interval: '1h' });
  await until(() => gateway.asked.length === 2);
  gateway.send(status('down', { channel: 'candles', interval: '1h' }));
  await until(() => hours.length === 1);
  expect(minutes).toEqual([]);
});

it('stays as it was over a lost connection until the next one says otherwise, or nothing for a second', async () => {
  let isDown = true;
  const client = await clientOf((frame) =>
    frame.op === 'subscribe' ? [ack(frame), ...(isDown ? [status('down')] : [])] : [],
  );
  const reading = new Reading(client);
  const statuses = follow(client, 'trades');
  await until(() => statuses.length === 1);
  const reconnect = async (count: number): Promise<void> => {
    gateway.sockets.at(-1)?.terminate();
    await vi.waitUntil(() => {
      const isBack = reading.of('joined').length === count;
      if (!isBack) clock.advance(200);
      return isBack;
    });
  };
  await reconnect(2);
  clock.advance(5_000);
  expect(statuses.map(({ state }) => state)).toEqual(['down']);
  isDown = false;
  await reconnect(3);
  clock.advance(1_000);
  await until(() => statuses.length === 2);
  expect(statuses.map(({ state }) => state)).toEqual(['down', 'live']);
});

it('does not disturb a book that is kept by deltas', async () => {
  const client = await clientOf(joins);
  const statuses: FeedStatus[] = [];
  const stale: boolean[] = [];
  const read = async (): Promise<void> => {
    const options = { signal: ending.signal, onStatus: (one: FeedStatus) => statuses.push(one) };
    for await (const book of followBook(client, 'BTC', options)) stale.push(book.isStale);
  };
  void read().catch(() => {});
  await until(() => gateway.asked.length === 1);
  const payload = { kind: 'snapshot', bids: [], asks: [], ts: START_MS };
  const frame = { type: 'data', channel: 'orderbook', symbol: 'BTC', ts: START_MS, payload };
  const books = status('stale', { channel: 'orderbook', mode: 'delta' });
  gateway.send({ ...frame, seq: 1 }, books, { ...frame, seq: 2 });
  await until(() => stale.length === 2);
  expect(stale).toEqual([false, false]);
  expect(statuses).toHaveLength(1);
});

it('and other frames of a type that is not known are ignored', async () => {
  const client = await clientOf(joins);
  const reading = new Reading(client);
  await until(() => reading.of('joined').length === 1);
  gateway.send(trade(1, START_MS), { type: 'later', channel: 'trades', symbol: 'BTC' }, trade(2, START_MS));
  await until(() => reading.of('data').length === 2);
  expect(reading.items.map(({ type }) => type)).toEqual(['joined', 'data', 'data']);
  expect(gateway.asked).toHaveLength(1);
});
