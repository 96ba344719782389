import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyOwner } from '../platform/key-store.ts';
import { FREE_KEY, GatewayService, type GatewayServiceOptions, PRO_KEY } from './testing/gateway-service.ts';
import type { WsClient } from './testing/ws-client.ts';

let service: GatewayService;
const start = async (options: GatewayServiceOptions = {}): Promise<void> => {
  service = await GatewayService.start(options);
};
const noKeys = { recall: () => undefined, count: () => undefined };
const trades = { op: 'subscribe', channel: 'trades', symbol: 'BTC' };

afterEach(() => service.close());

describe('a key', () => {
  it('gives the limits of its tier', async () => {
    await start();
    for (const [apiKey, tier] of [
      [FREE_KEY, 'free'],
      [PRO_KEY, 'pro'],
    ] as const) {
      const client = await service.connect();
      expect(await client.ask({ op: 'auth', id: 1, apiKey })).toEqual({
        type: 'ack',
        id: 1,
        op: 'auth',
        tier,
      });
      expect(await client.ask({ op: 'auth', id: 2, apiKey })).toMatchObject({
        type: 'error',
        code: 'bad_request',
      });
    }
  });

  it('that is unknown closes the socket with 4401', async () => {
    await start();
    const client = await service.connect();
    expect(await client.ask({ op: 'auth', id: 1, apiKey: 'ct_pro_wrong' })).toMatchObject({
      type: 'error',
      code: 'unauthorized',
    });
    await client.until(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(4401);
  });

  it('that cannot be checked leaves the socket anonymous', async () => {
    await start({ keys: { ...noKeys, find: () => Promise.reject(new Error('away')) } });
    const client = await service.connect();
    expect(await client.ask({ op: 'auth', id: 1, apiKey: PRO_KEY })).toMatchObject({
      type: 'error',
      code: 'validator_unavailable',
    });
    expect(await client.ask({ ...trades, id: 2 })).toMatchObject({ type: 'ack' });
  });

  it('is not waited for forever', async () => {
    await start({ keys: { ...noKeys, find: () => new Promise(() => undefined) } });
    const client = await service.connect();
    client.send({ op: 'auth', id: 1, apiKey: PRO_KEY });
    client.send({ ...trades, id: 2 });
    await client.until(() => {
      service.clock.advance(1_000);
      return client.frames.length === 2;
    });
    expect(client.frames).toMatchObject([{ code: 'validator_unavailable' }, { type: 'ack', id: 2 }]);
  });

  it('that is revoked ends its sockets within ten seconds; one with another tier has other limits', async () => {
    let owner: KeyOwner | undefined = { id: 'k', tier: 'free' };
    await start({ keys: { ...noKeys, find: async () => owner }, settings: { quota: 'report' } });
    service.table(
      'instruments',
      Array.from({ length: 30 }, (_, n) => ({ symbol: `C${n}`, coin: `C${n}` })),
    );
    const client = await service.connect();
    await client.ask({ op: 'auth', id: 'a', apiKey: FREE_KEY });
    owner = { id: 'k', tier: 'pro' };
    service.clock.advance(5_000);
    for (let n = 0; n < 30; n += 1) {
      expect(await client.ask({ ...trades, symbol: `C${n}`, id: n })).toMatchObject({ type: 'ack' });
    }
    owner = undefined;
    service.clock.advance(5_000);
    await client.until(() => client.closed !== undefined);
    expect(client.of('error')).toMatchObject([{ code: 'unauthorized' }]);
    expect(client.closed?.code).toBe(4401);
  });

  it('is needed where the settings say so: by the first frame, and within ten seconds', async () => {
    await start({ settings: { wsRequireKey: true } });
    const [hasty, silent, keyed] = [
      await service.connect(),
      await service.connect(),
      await service.connect(),
    ];
    expect(await hasty.ask({ ...trades, id: 1 })).toMatchObject({ type: 'error', code: 'unauthorized' });
    expect(await keyed.ask({ op: 'auth', id: 1, apiKey: FREE_KEY })).toMatchObject({ type: 'ack' });
    service.clock.advance(10_000);
    for (const client of [hasty, silent]) {
      await client.until(() => client.closed !== undefined);
      expect(client.closed?.code).toBe(4401);
    }
    expect(keyed.closed).toBeUndefined();
  });
});

const unreadable: readonly (readonly [string, string | Buffer])[] = [
  ['is no JSON', '{"op":'],
  ['is no msgpack', Buffer.from([0xc1])],
  ['has an unknown op', '{"op":"follow"}'],
];
describe.each(unreadable)('a first frame that %s', (_, data) => {
  it('is one without a key where a key is needed', async () => {
    await start({ settings: { wsRequireKey: true } });
    const client = await service.connect();
    client.ws.send(data);
    await client.until(() => client.closed !== undefined);
    expect(client.frames).toMatchObject([{ type: 'error', code: 'unauthorized' }]);
    expect(client.closed?.code).toBe(4401);
  });

  it('takes a slot', async () => {
    await start({ settings: { quota: 'report' } });
    for (let n = 0; n < 3; n += 1) {
      const client = await service.connect();
      client.ws.send(data);
      await client.until(() => client.frames.length === 1);
      expect(client.frames).toMatchObject([{ type: 'error', code: 'bad_request' }]);
    }
    const over = await service.connect();
    expect(await over.ask({ op: 'auth', id: 1 })).toMatchObject({ type: 'error', code: 'rate_limited' });
  });
});

describe('a limit', () => {
  beforeEach(() => start({ settings: { quota: 'report' } }));

  it('holds for sockets of one address, and of one key', async () => {
    const open = async (auth: object, count: number): Promise<readonly WsClient[]> => {
      const clients: WsClient[] = [];
      for (let n = 0; n < count; n += 1) {
        const client = await service.connect();
        clients.push(client);
        await client.ask({ op: 'auth', id: n, ...auth });
      }
      return clients;
    };
    for (const [auth, allowed] of [
      [{}, 3],
      [{ apiKey: FREE_KEY }, 3],
      [{ apiKey: PRO_KEY }, 20],
    ] as const) {
      const clients = await open(auth, allowed + 1);
      const over = clients.at(-1) as WsClient;
      await over.until(() => over.closed !== undefined);
      expect(over.frames).toMatchObject([{ type: 'error', code: 'rate_limited' }]);
      expect(over.closed?.code).toBe(4429);
      expect(clients.slice(0, -1).every(({ closed }) => closed === undefined)).toBe(true);
    }
  });

  it('of sockets that have not signed in is enforced before the handshake, with a retry time', async () => {
    for (let n = 0; n < 100; n += 1) await service.connect();
    const refused = await new Promise<IncomingMessage>((resolve) => {
      const ws = new WebSocket(`ws://127.0.0.1:${service.port}/ws/v1`);
      ws.on('error', () => undefined);
      ws.once('unexpected-response', (_request, answer) => {
        answer.resume();
        resolve(answer);
      });
    });
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
  });

  it('is given back with the socket', async () => {
    for (let n = 0; n < 10; n += 1) {
      const client = await service.connect();
      expect(await client.ask({ op: 'auth', id: n })).toMatchObject({ type: 'ack' });
      await client.end();
      await client.until(() => service.gateway.counts().open === 0);
    }
  });

  it('gives a silent socket a slot of its address after ten seconds', async () => {
    const clients: WsClient[] = [];
    for (let n = 0; n < 4; n += 1) clients.push(await service.connect());
    service.clock.advance(10_000);
    await clients[3]?.until(() => clients.some(({ closed }) => closed !== undefined));
    expect(clients.filter(({ closed }) => closed?.code === 4429)).toHaveLength(1);
  });

  it('holds for subscriptions of one socket, each topic counting once', async () => {
    service.table(
      'instruments',
      Array.from({ length: 30 }, (_, n) => ({ symbol: `C${n}`, coin: `C${n}` })),
    );
    const client = await service.connect();
    const ask = (n: number) => client.ask({ op: 'subscribe', id: n, channel: 'trades', symbol: `C${n}` });
    for (let n = 0; n < 20; n += 1) expect(await ask(n)).toMatchObject({ type: 'ack' });
    const refused = await ask(20);
    expect(refused).toMatchObject({ type: 'error', code: 'rate_limited' });
    expect(refused.retryAfterMs).toBeUndefined();
    expect(await ask(3)).toMatchObject({ type: 'ack' });
    await client.ask({ op: 'unsubscribe', id: 'u', channel: 'trades', symbol: 'C0' });
    expect(await ask(20)).toMatchObject({ type: 'ack' });
  });

  it('of a pro key is 200 subscriptions of one socket and 600 subscribe operations in a minute', async () => {
    service.table(
      'instruments',
      Array.from({ length: 201 }, (_, n) => ({ symbol: `C${n}`, coin: `C${n}` })),
    );
    const client = await service.connect();
    await client.ask({ op: 'auth', id: 'a', apiKey: PRO_KEY });
    for (let n = 0; n < 599; n += 1) client.send({ ...trades, symbol: `C${Math.min(n, 200)}`, id: n });
    await client.until(() => client.frames.length === 600);
    const answers = client.frames.slice(1);
    expect(answers.slice(0, 200).every(({ type }) => type === 'ack')).toBe(true);
    expect(new Set(answers.slice(200).map(({ message }) => message))).toEqual(
      new Set(['One socket may have 200 subscriptions.']),
    );
    const last = await client.ask({ ...trades, symbol: 'C0', id: 'last' });
    expect(last).toMatchObject({ type: 'ack' });
    const over = await client.ask({ ...trades, symbol: 'C0', id: 'over' });
    expect(over).toMatchObject({ type: 'error', code: 'rate_limited' });
    expect(over.message).toMatch(/^More than 600 subscribe operations in a minute/);
  });

  it('holds for subscribe operations of one address in a minute, refused ones included', async () => {
    const client = await service.connect();
    for (let n = 0; n < 60; n += 1) {
      await client.ask(n % 2 === 0 ? { ...trades, id: n } : { ...trades, id: n, channel: 'nope' });
      await client.ask({ op: 'unsubscribe', id: `u${n}`, channel: 'trades', symbol: 'BTC' });
    }
    const { retryAfterMs, ...over } = await client.ask({ ...trades, id: 'over' });
    expect(over).toMatchObject({ type: 'error', code: 'rate_limited' });
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    const other = await service.connect();
    expect(await other.ask({ ...trades, id: 'over' })).toMatchObject({ type: 'error', code: 'rate_limited' });
    service.clock.advance(60_000);
    const later = await service.connect();
    expect(await later.ask({ ...trades, id: 'again' })).toMatchObject({ type: 'ack' });
  });
});

it('counts callers by the address that a trusted proxy gives', async () => {
  await start({ settings: { quota: 'report', trustProxy: 1 } });
  const openSlot = async (address: string, n: number) =>
    (await service.connect({ 'X-Forwarded-For': address })).ask({ op: 'auth', id: n });
  for (let n = 0; n < 3; n += 1) expect(await openSlot('203.0.113.7', n)).toMatchObject({ type: 'ack' });
  expect(await openSlot('203.0.113.7', 3)).toMatchObject({ type: 'error', code: 'rate_limited' });
  expect(await openSlot('203.0.113.8', 4)).toMatchObject({ type: 'ack' });
});
