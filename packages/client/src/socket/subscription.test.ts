import { ManualClock } from '@crosstape/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Client } from '../client.ts';
import { ack, Reading, trade } from '../testing/reading.ts';
import { type Frame, ScriptedGateway } from '../testing/scripted-gateway.ts';

const START_MS = 1_790_000_000_000;

let gateway: ScriptedGateway;
let clock: ManualClock;

afterEach(() => {
  Reading.stopAll();
  gateway.close();
});

async function clientOf(answer: (frame: Frame) => readonly Frame[]): Promise<Client> {
  clock = new ManualClock(START_MS);
  gateway = await ScriptedGateway.open(answer);
  return new Client({ url: gateway.url, clock, random: () => 0, WebSocket });
}

const until = (holds: () => boolean): Promise<boolean> =>
  vi.waitUntil(holds, { timeout: 10_000, interval: 2 });
const subscribes = (): readonly Frame[] => gateway.asked.filter(({ op }) => op === 'subscribe');

describe('topics of one channel and symbol', () => {
  it('are requested again where a frame is missing, and each gets its own lag', async () => {
    const client = await clientOf((frame) => (frame.op === 'subscribe' ? [ack(frame)] : []));
    const [full, delta] = [
      new Reading(client, 'orderbook'),
      new Reading(client, 'orderbook', { mode: 'delta' }),
    ];
    await until(() => full.of('joined').length === 1 && delta.of('joined').length === 1);
    const book = (seq: number, kind?: string): Frame => {
      const payload = { ...(kind !== undefined && { kind }), bids: [], asks: [], ts: seq };
      return { type: 'data', channel: 'orderbook', symbol: 'BTC', seq, ts: seq, payload };
    };
    gateway.send(book(5, 'snapshot'), book(6, 'delta'), book(9));
    gateway.send(
      { type: 'lagged', channel: 'orderbook', symbol: 'BTC', mode: 'full', skipped: 3 },
      book(13),
      book(8, 'delta'),
    );
    await until(() => delta.of('joined').length === 2);
    expect(full.items.map(({ type }) => type)).toEqual(['joined', 'data', 'lagged', 'data']);
    expect(delta.items.map(({ type }) => type)).toEqual(['joined', 'data', 'data', 'joined']);
    expect(gateway.asked.slice(-2)).toMatchObject([
      { op: 'unsubscribe', mode: 'delta' },
      { op: 'subscribe', mode: 'delta' },
    ]);
  });
});

describe('two spellings of one topic', () => {
  const named = (frame: Frame): Frame => ack(frame, { symbol: 'kPEPE' });
  const state = (seq: number): Frame => {
    const payload = { mark: 1, index: 1, mid: 1, premium: 0, ts: seq };
    return { type: 'data', channel: 'markPrice', symbol: 'kPEPE', seq, ts: seq, payload };
  };

  it('become one subscription, which is requested again for what is missing', async () => {
    const client = await clientOf((frame) => {
      if (frame.op === 'auth') return [];
      return frame.op === 'subscribe' ? [named(frame), state(7)] : [named(frame)];
    });
    const bare = new Reading(client, 'markPrice', {}, 'PEPE');
    const whole = new Reading(client, 'markPrice', {}, 'kPEPE');
    await until(() => bare.of('data').length > 0 && whole.of('data').length > 0);
    gateway.send(state(8));
    await until(() => [bare, whole].every((one) => (one.of('data').at(-1) as { ts: number }).ts === 8));
    expect(subscribes()).toHaveLength(3);
    // By now both names are known.
    bare.stop();
    const again = new Reading(client, 'markPrice', {}, 'pepe');
    await until(() => again.of('data').length > 0);
    expect(subscribes()).toHaveLength(4);
    gateway.sockets[0]?.terminate();
    await until(() => {
      clock.advance(200);
      return again.of('joined').length === 2;
    });
    expect(subscribes()).toHaveLength(5);
  });

  it('still receive when one is left before the gateway has named it', async () => {
    const client = await clientOf((frame) => (frame.op === 'auth' ? [] : [named(frame)]));
    const other = new Reading(client, 'funding');
    await until(() => other.of('joined').length === 1);
    const bare = new Reading(client, 'markPrice', {}, 'PEPE');
    const whole = new Reading(client, 'markPrice', {}, 'kPEPE');
    bare.stop();
    await until(() => whole.of('joined').length === 2);
    expect(gateway.asked.slice(1).map(({ op }) => op)).toEqual([
      'subscribe',
      'subscribe',
      'unsubscribe',
      'subscribe',
    ]);
  });

  it('are one where a cursor is refused because the topic is followed already', async () => {
    let isFollowed = false;
    const client = await clientOf((frame) => {
      if (frame.op === 'auth') return [];
      const isTwice = isFollowed && frame.op === 'subscribe' && frame.since !== undefined;
      isFollowed = frame.op === 'subscribe';
      const refusal = { type: 'error', id: frame.id, code: 'bad_request', message: 'x', symbol: 'kPEPE' };
      return [isTwice ? refusal : named(frame)];
    });
    const now = new Reading(client, 'trades', {}, 'kPEPE');
    await until(() => now.of('joined').length === 1);
    const since = { ts: START_MS - 10, count: 1 };
    const past = new Reading(client, 'trades', { since }, 'PEPE');
    await until(() => past.of('joined').length === 1);
    gateway.send({ ...trade(5, START_MS - 9), symbol: 'kPEPE' });
    gateway.send({ type: 'caughtUp', channel: 'trades', symbol: 'kPEPE', seq: 5, gaps: [] });
    await until(() => now.of('joined').length === 2);
    expect(past.of('data')).toHaveLength(1);
    expect(now.of('data')).toEqual([]);
    expect(gateway.requests).toEqual([]);
  });
});

it('of a market names no symbol, and takes only the frames of that market', async () => {
  const market = 'binance:BTCUSDT';
  const client = await clientOf((frame) => {
    const { op, id, channel } = frame;
    return op === 'auth'
      ? []
      : [{ type: 'ack', id, op, channel, symbol: 'BTC', ...(frame.market !== undefined && { market }) }];
  });
  const own = new Reading(client, 'trades', { market: 'BN:btcusdt' }, 'btc');
  await until(() => own.of('joined').length === 1);
  const coin = new Reading(client, 'trades', {}, 'BTC');
  await until(() => coin.of('joined').length === 1);
  expect(subscribes()).toMatchObject([{ market: 'BN:btcusdt' }, { symbol: 'BTC' }]);
  expect(subscribes()[0]).not.toHaveProperty('symbol');
  gateway.send(trade(5, START_MS));
  gateway.send({ ...trade(9, START_MS + 1), market });
  await until(() => own.of('data').length === 1 && coin.of('data').length === 1);
  expect(own.of('data')).toMatchObject([{ ts: START_MS + 1 }]);
  own.stop();
  await until(() => gateway.asked.at(-1)?.op === 'unsubscribe');
  expect(gateway.asked.at(-1)).toMatchObject({ market });
});
