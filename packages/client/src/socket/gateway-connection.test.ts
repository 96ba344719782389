import { HOUR_MS, ManualClock } from '@crosstape/core';
import { decode, encode } from '@msgpack/msgpack';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Client, type ClientOptions } from '../client.ts';
import { ack, Reading, trade } from '../testing/reading.ts';
import { type Frame, ScriptedGateway } from '../testing/scripted-gateway.ts';
import { json, type Script } from '../testing/scripted-server.ts';
import { Mailbox, TooSlow } from './mailbox.ts';

const START_MS = 1_790_000_000_000;

let gateway: ScriptedGateway;
let clock: ManualClock;

afterEach(() => {
  Reading.stopAll();
  gateway.close();
});

async function clientOf(
  answer: (frame: Frame, socket: number) => readonly Frame[],
  options: Partial<ClientOptions> & { readonly request?: Script } = {},
): Promise<Client> {
  clock = new ManualClock(START_MS);
  gateway = await ScriptedGateway.open(answer, options.request);
  return new Client({ url: gateway.url, clock, random: () => 0, WebSocket, ...options });
}

const wait = { timeout: 10_000, interval: 2 };
/** Waits without advancing the clock. */
const until = (holds: () => boolean): Promise<boolean> => vi.waitUntil(holds, wait);
/** Advances the clock until a condition is met. */
const pass = (holds: () => boolean): Promise<boolean> =>
  vi.waitUntil(() => {
    const isSo = holds();
    if (!isSo) clock.advance(200);
    return isSo;
  }, wait);
const subscribes = (): readonly Frame[] => gateway.asked.filter(({ op }) => op === 'subscribe');

describe('a limit', () => {
  const limited = { type: 'error', code: 'rate_limited', message: 'Too often.' };

  it('that passes is waited for, and not again after another connection delivered it', async () => {
    const client = await clientOf((frame, socket) => {
      if (frame.op !== 'subscribe') return [];
      return [socket === 0 ? { ...limited, id: frame.id, retryAfterMs: 60_000 } : ack(frame)];
    });
    const reading = new Reading(client);
    await until(() => subscribes().length === 1);
    gateway.sockets[0]?.terminate();
    await pass(() => reading.of('joined').length === 1);
    for (const seq of [1, 2, 3]) {
      clock.advance(40_000);
      gateway.send(trade(seq, START_MS));
      await until(() => reading.of('data').length === seq);
    }
    expect(subscribes()).toHaveLength(2);
    expect(reading.error).toBeUndefined();
  });

  it('that passes is over after as long as the gateway says', async () => {
    const client = await clientOf((frame) => {
      if (frame.op !== 'subscribe') return [];
      return [subscribes().length > 1 ? ack(frame) : { ...limited, id: frame.id, retryAfterMs: 7_000 }];
    });
    const reading = new Reading(client);
    await until(() => reading.limits.length === 1);
    expect(reading.limits).toEqual([START_MS + 7_000]);
    await pass(() => reading.of('joined').length === 1);
    expect(clock.now() - START_MS).toBeGreaterThanOrEqual(7_000);
    expect(clock.now() - START_MS).toBeLessThan(30_000);
  });

  it('that does not pass ends the reading with its reason', async () => {
    const client = await clientOf((frame) =>
      frame.op === 'subscribe' ? [{ ...limited, id: frame.id }] : [],
    );
    const reading = new Reading(client);
    await until(() => reading.error !== undefined);
    expect(reading.error).toMatchObject({
      name: 'GatewayError',
      code: 'rate_limited',
      message: 'Too often.',
    });
    expect(subscribes()).toHaveLength(1);
  });

  it('of sockets ends a reader that never had one, after one try', async () => {
    const client = await clientOf((frame) => (frame.op === 'auth' ? [limited, { close: 4_429 }] : []));
    const reading = new Reading(client);
    await until(() => reading.error !== undefined);
    expect(reading.error).toMatchObject({ code: 'rate_limited', message: 'Too often.' });
    for (let n = 0; n < 100; n += 1) clock.advance(1_000);
    expect(gateway.sockets).toHaveLength(1);
  });

  it('of sockets is waited out by a client that had one, but not forever', async () => {
    const client = await clientOf((frame, socket) => {
      if (frame.op === 'auth') return socket === 0 || socket === 2 ? [] : [limited, { close: 4_429 }];
      return [ack(frame)];
    });
    const reading = new Reading(client);
    await until(() => reading.of('joined').length === 1);
    gateway.sockets[0]?.terminate();
    await pass(() => gateway.sockets.length === 2);
    const refusedAtMs = clock.now();
    await pass(() => reading.of('joined').length === 2);
    expect(clock.now() - refusedAtMs).toBeGreaterThanOrEqual(20_000);
    gateway.sockets[2]?.terminate();
    await pass(() => reading.error !== undefined);
    expect(reading.error).toMatchObject({ code: 'rate_limited' });
    expect(gateway.sockets).toHaveLength(8);
  });
});

it('ends with the reason where the key does not hold', async () => {
  const client = await clientOf(
    (frame) =>
      frame.op === 'auth' && frame.apiKey === 'ct_pro_x'
        ? [{ type: 'error', code: 'unauthorized', message: 'The key is not known.' }, { close: 4_401 }]
        : [],
    { apiKey: 'ct_pro_x' },
  );
  const reading = new Reading(client);
  await until(() => reading.error !== undefined);
  expect(reading.error).toMatchObject({ code: 'unauthorized', message: 'The key is not known.' });
});

it('connects again, later and later, while its key cannot be looked up', async () => {
  const client = await clientOf(
    (frame, socket) => {
      if (frame.op !== 'auth') return [ack(frame)];
      const unavailable = { type: 'error', code: 'validator_unavailable', message: 'Not now.' };
      return [socket < 3 ? unavailable : { type: 'ack', op: 'auth', tier: 'pro' }];
    },
    { apiKey: 'ct_pro_x' },
  );
  const reading = new Reading(client);
  await pass(() => reading.of('joined').length === 1);
  expect(gateway.sockets).toHaveLength(4);
  // Half of 500, 1,000 and 2,000 ms.
  expect(clock.now() - START_MS).toBeGreaterThanOrEqual(1_750);
  expect(reading.error).toBeUndefined();
});

describe('trades', () => {
  const cursor = { ts: START_MS - 10, count: 3 };

  it('continue from where the subscription began when the connection is lost before the first', async () => {
    const client = await clientOf((frame) => (frame.op === 'subscribe' ? [ack(frame, { cursor })] : []));
    const reading = new Reading(client);
    await until(() => reading.of('joined').length === 1);
    gateway.sockets[0]?.terminate();
    await pass(() => subscribes().length === 2);
    expect(subscribes()[1]).toMatchObject({ since: cursor });
    gateway.send(trade(5, START_MS - 10));
    await until(() => reading.of('data').length === 1);
    gateway.sockets[1]?.terminate();
    await pass(() => subscribes().length === 3);
    expect(subscribes()[2]).toMatchObject({ since: { ts: START_MS - 10, count: 4 } });
  });

  it('of a reader that joins while another catches up begin with the present', async () => {
    const client = await clientOf((frame) => (frame.op === 'subscribe' ? [ack(frame)] : []));
    const past = new Reading(client, 'trades', { since: cursor });
    await until(() => past.of('joined').length === 1);
    const present = new Reading(client);
    // It joins only after it has received everything.
    gateway.send(trade(6, START_MS - 5));
    await until(() => past.of('data').length === 1);
    expect(present.items).toEqual([]);
    const caughtUp = { type: 'caughtUp', channel: 'trades', symbol: 'BTC', seq: 6, gaps: [] };
    gateway.send(caughtUp, trade(7, START_MS));
    await until(() => present.of('data').length > 0 && past.of('data').length === 2);
    expect(present.items.map(({ type }) => type)).toEqual(['joined', 'data']);
    expect(present.of('data')).toMatchObject([{ ts: START_MS }]);
    expect(subscribes()).toHaveLength(1);
  });

  it('are whole numbers, and a gap among them is reported, whatever library reads msgpack', async () => {
    const client = await clientOf((frame) => (frame.op === 'subscribe' ? [ack(frame)] : []), {
      msgpack: (bytes) => decode(bytes, { useBigInt64: true }),
    });
    const reading = new Reading(client);
    await until(() => reading.of('joined').length === 1);
    const gap = { from: START_MS - 9, to: START_MS - 5, state: 'missing', reason: 'none was up' };
    for (const frame of [trade(1, START_MS), { type: 'gap', channel: 'trades', symbol: 'BTC', ...gap }])
      gateway.sockets[0]?.send(encode(frame, { useBigInt64: true }));
    gateway.sockets[0]?.send(encode({ ...trade(2, START_MS), ts: BigInt(START_MS) }, { useBigInt64: true }));
    await until(() => reading.of('data').length === 2);
    expect(reading.items.slice(1)).toMatchObject([
      { ts: START_MS },
      { type: 'gap', ...gap },
      { ts: START_MS },
    ]);
  });
});

describe('a cursor that the gateway does not take', () => {
  const since = { ts: START_MS - 5 * HOUR_MS, count: 1 };
  const refuseOld = (frame: Frame): readonly Frame[] => {
    if (frame.op !== 'subscribe') return [];
    const isOld = ((frame.since as typeof since | undefined)?.ts ?? START_MS) < START_MS - HOUR_MS;
    return [isOld ? { type: 'error', id: frame.id, code: 'bad_request', message: 'Too old.' } : ack(frame)];
  };
  const page = (data: readonly object[], gaps: readonly object[] = []): Script =>
    json(200, { data, meta: { fetchedAt: START_MS, source: 'x', nextStart: null, gaps } });
  const recorded = (ts: number, tid: number) => ({ ts, tid, price: 1, size: 1, side: 'buy', coin: 'BTC' });

  it('is brought forward by the record, without a repeat', async () => {
    const trades = [
      recorded(since.ts, 1),
      recorded(since.ts, 2),
      recorded(START_MS - 9, 3),
      recorded(START_MS - 9, 4),
    ];
    const client = await clientOf(refuseOld, { request: page(trades) });
    const reading = new Reading(client, 'trades', { since });
    await until(() => reading.of('joined').length === 1);
    expect(subscribes()[1]).toMatchObject({ since: { ts: START_MS - 9, count: 2 } });
    expect(
      reading.of('data').map((item) => item.type === 'data' && (item.payload as { tid?: number }).tid),
    ).toEqual([2, 3, 4]);
  });

  it('gets an error where the tape has no such position', async () => {
    const client = await clientOf(refuseOld, { request: page([]) });
    const reading = new Reading(client, 'trades', { since });
    await until(() => reading.error !== undefined);
    expect(reading.error).toMatchObject({ code: 'bad_request', message: 'Too old.' });
  });

  it('is not requested twice when the connection is lost meanwhile', async () => {
    const answers: (() => void)[] = [];
    const trades = page([recorded(since.ts, 1), recorded(START_MS - 9, 2)]);
    const client = await clientOf(refuseOld, {
      request: (request, response) => void answers.push(() => trades(request, response)),
    });
    const reading = new Reading(client, 'trades', { since });
    const other = new Reading(client, 'markPrice');
    await until(() => answers.length === 1 && other.of('joined').length === 1);
    gateway.sockets[0]?.terminate();
    await pass(() => other.of('joined').length === 2);
    for (const answer of answers) answer();
    await pass(() => reading.of('joined').length === 1);
    expect(reading.of('data')).toHaveLength(1);
    expect(gateway.requests).toHaveLength(1);
  });
});

it('notifies a reader that is too slow, after the earlier items', async () => {
  gateway = await ScriptedGateway.open(() => []);
  const mailbox = new Mailbox<number>();
  for (let n = 0; n <= 100_001; n += 1) mailbox.put(n);
  expect((await mailbox.take())?.length).toBe(100_001);
  await expect(mailbox.take()).rejects.toThrow(TooSlow);
});
