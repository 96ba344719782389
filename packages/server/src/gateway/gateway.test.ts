import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayService, type GatewayServiceOptions } from './testing/gateway-service.ts';
import type { WsClient } from './testing/ws-client.ts';

let service: GatewayService;
const start = async (options: GatewayServiceOptions = {}): Promise<void> => {
  service = await GatewayService.start(options);
};
const trades = { op: 'subscribe', channel: 'trades', symbol: 'BTC' };

afterEach(() => service.close());

describe('a topic', () => {
  beforeEach(() => start());

  it('is sent to every subscriber, with the same seqs and only new messages', async () => {
    const early = await service.connect();
    await early.ask({ ...trades, id: 1 });
    service.release(service.trade(), service.trade());
    await early.until(() => early.data('trades').length === 2);
    const late = await service.connect();
    await late.ask({ ...trades, id: 1 });
    const third = service.trade();
    service.release(third);
    await late.until(() => late.data('trades').length === 1);
    await early.until(() => early.data('trades').length === 3);
    expect(late.data('trades')).toEqual(early.data('trades').slice(-1));
    const { price, size, side, ts, tid } = third;
    expect(late.data('trades')[0]).toMatchObject({
      symbol: 'BTC',
      ts,
      payload: { price, size, side, ts, tid },
    });
    const seqs = early.data('trades').map(({ seq }) => seq);
    expect(seqs).toEqual([0, 1, 2].map((n) => (seqs[0] as number) + n));
  });

  it('has the same shapes in msgpack, by any library', async () => {
    const json = await service.connect();
    const binary = await service.connect();
    binary.sendBinary({ op: 'auth', id: 'a', format: 'msgpack' });
    await binary.until(() => binary.frames.length === 1);
    expect(binary.frames[0]).toEqual({ type: 'ack', id: 'a', op: 'auth', tier: 'free' });
    for (const client of [json, binary]) await client.ask({ ...trades, id: 2 });
    service.release(...Array.from({ length: 20 }, () => service.trade()));
    for (const client of [json, binary]) await client.until(() => client.data('trades').length === 20);
    expect(binary.frames.slice(1)).toEqual(json.frames);
    expect(new Set(binary.binaries)).toEqual(new Set([true]));
    expect(new Set(json.binaries)).toEqual(new Set([false]));
    // Times are 64-bit integers, not floats, so that any integer type can hold them.
    const { ts } = binary.data('trades').at(-1) as { ts?: number };
    const written = (time: string): Buffer =>
      Buffer.concat([Buffer.from('\xa2ts', 'latin1'), Buffer.from(time, 'hex')]);
    const hex = BigInt(ts ?? 0)
      .toString(16)
      .padStart(16, '0');
    expect(binary.bytes.at(-1)?.includes(written(`d3${hex}`))).toBe(true);
    expect(binary.bytes.at(-1)?.includes(written('cb'))).toBe(false);
  });

  it('costs nothing once all clients have left, and continues its count when one returns', async () => {
    const client = await service.connect();
    await client.ask({ ...trades, id: 1 });
    service.release(service.trade());
    await client.until(() => client.data('trades').length === 1);
    expect(service.gateway.counts()).toMatchObject({ topics: 1, subscriptions: 1, frames: 2 });
    expect(await client.ask({ ...trades, op: 'unsubscribe', id: 2 })).toMatchObject({
      type: 'ack',
      op: 'unsubscribe',
    });
    expect(service.gateway.counts()).toMatchObject({ topics: 0, subscriptions: 0 });
    service.release(service.trade());
    await client.ask({ ...trades, id: 3 });
    service.release(service.trade());
    await client.until(() => client.data('trades').length === 2);
    const [before, after] = client.data('trades');
    expect(after?.seq).toBe((before?.seq as number) + 2);
  });

  it('is sent in one write, however many messages a turn of the event loop brings', async () => {
    const client = await service.connect();
    await client.ask({ ...trades, id: 1 });
    const before = service.gateway.counts();
    service.release(...Array.from({ length: 50 }, () => service.trade()));
    await client.until(() => client.data('trades').length === 50);
    const after = service.gateway.counts();
    expect((after.writes ?? 0) - (before.writes ?? 0)).toBe(1);
    expect((after.frames ?? 0) - (before.frames ?? 0)).toBe(50);
  });

  it('continues for the others when a client leaves', async () => {
    const [stays, leaves] = [await service.connect(), await service.connect()];
    for (const client of [stays, leaves]) await client.ask({ ...trades, id: 1 });
    await leaves.ask({ ...trades, op: 'unsubscribe', id: 2 });
    service.release(service.trade());
    await stays.until(() => stays.data('trades').length === 1);
    expect(leaves.data('trades')).toEqual([]);
    expect(service.gateway.counts()).toMatchObject({ topics: 1, subscriptions: 1 });
  });

  it('can be requested twice, which changes nothing', async () => {
    const client = await service.connect();
    await client.ask({ ...trades, id: 1 });
    expect(await client.ask({ ...trades, id: 2 })).toMatchObject({ type: 'ack', id: 2 });
    service.release(service.trade());
    await client.ask({ op: 'auth', id: 3 });
    expect(client.data('trades')).toHaveLength(1);
  });

  it('is left without its parameters where no other of the channel and symbol is followed', async () => {
    const client = await service.connect();
    const book = { channel: 'orderbook', symbol: 'BTC' };
    await client.ask({ op: 'subscribe', id: 1, ...book, mode: 'delta' });
    const other = await client.ask({ op: 'unsubscribe', id: 2, ...book, mode: 'full' });
    expect(other).toMatchObject({ type: 'error', code: 'bad_request' });
    expect(other.message).toBe(
      'There is no subscription to orderbook of BTC, `mode` full; there are: `mode` delta.',
    );
    const elsewhere = await client.ask({ op: 'unsubscribe', id: 3, ...book, symbol: 'ETH' });
    expect(elsewhere.message).toBe('There is no subscription to orderbook of ETH, `mode` full.');
    const left = await client.ask({ op: 'unsubscribe', id: 4, ...book });
    expect(left).toEqual({ type: 'ack', id: 4, op: 'unsubscribe', ...book, mode: 'delta' });
    expect(service.gateway.counts()).toMatchObject({ topics: 0, subscriptions: 0 });
  });

  it('leaves with its socket', async () => {
    const client = await service.connect();
    await client.ask({ ...trades, id: 1 });
    await client.end();
    await client.until(() => service.gateway.counts().topics === 0);
    expect(service.gateway.counts()).toMatchObject({ open: 0, subscriptions: 0 });
  });
});

describe('an error', () => {
  beforeEach(() => start());

  const refused: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
    [
      'of an unknown op',
      { op: 'follow' },
      'bad_request',
      /`op` must be one of auth, subscribe, unsubscribe, build/,
    ],
    ['without an op', {}, 'bad_request', /`op`/],
    ['of a missing channel', { op: 'subscribe', symbol: 'BTC' }, 'bad_request', /`channel`/],
    ['of a missing symbol', { op: 'subscribe', channel: 'trades' }, 'bad_request', /`symbol` is missing/],
    ['of a wrong type', { ...trades, symbol: 7 }, 'bad_request', /`symbol` must be a ticker/],
    ['of an unknown field', { ...trades, interval: '1m' }, 'bad_request', /Unknown field `interval`/],
    [
      'of an unknown interval',
      { op: 'subscribe', channel: 'candles', symbol: 'BTC', interval: '2m' },
      'bad_request',
      /`interval` must be one of 1s, 5s/,
    ],
    ['of a bad cursor', { ...trades, since: { ts: 1 } }, 'bad_request', /`since`/],
    [
      'of a bad format',
      { op: 'auth', format: 'cbor' },
      'bad_request',
      /`format` must be one of json, msgpack/,
    ],
    [
      'of an unknown channel',
      { ...trades, channel: 'trade' },
      'unknown_channel',
      /`trade`; there are: trades, /,
    ],
    ['of an unknown symbol', { ...trades, symbol: 'NOPE' }, 'unknown_symbol', /`NOPE`/],
    [
      'of what is not followed',
      { ...trades, op: 'unsubscribe' },
      'bad_request',
      /no subscription to trades of BTC/,
    ],
  ];
  it.each(refused)('%s names what is wrong, and the socket continues', async (_, frame, code, message) => {
    const client = await service.connect();
    const answer = await client.ask({ ...frame, id: 'x' });
    expect(answer).toMatchObject({ type: 'error', id: 'x', code });
    expect(answer.message).toMatch(message);
    expect(await client.ask({ ...trades, id: 'y' })).toMatchObject({ type: 'ack' });
  });

  it.each([
    ['text that is no JSON', '{"op":', /must be JSON/],
    ['JSON that is no object', '[1]', /must be an object/],
    ['bytes that are no msgpack', Buffer.from([0xc1]), /must be msgpack/],
    ['bytes that claim more than there is', Buffer.from([0xdd, 0x01, 0xff, 0xff, 0xff]), /ends too early/],
  ])('follows %s', async (_, data, message) => {
    const client = await service.connect();
    client.ws.send(data);
    await client.until(() => client.frames.length === 1);
    expect(client.frames[0]).toMatchObject({ type: 'error', code: 'bad_request' });
    expect(client.frames[0]?.message).toMatch(message);
    expect(client.closed).toBeUndefined();
  });

  it('of ours carries an id that is in the log', async () => {
    const broken = await GatewayService.start({ coins: [] });
    try {
      const client = await broken.connect();
      client.send({ ...trades, id: 1 });
      await client.until(() => broken.gateway.counts().open === 1);
      await client.until(() => {
        broken.clock.advance(1_000);
        return client.frames.some(({ type }) => type === 'error');
      });
      const [error] = client.of('error');
      expect(error).toMatchObject({ code: 'internal', id: 1 });
      const id = /Error id: (\S+)\.$/.exec(String(error?.message))?.[1];
      expect(broken.errors).toContainEqual(expect.objectContaining({ id }));
    } finally {
      await broken.close();
    }
  });

  it('of a frame that is too large closes the socket', async () => {
    const client = await service.connect();
    client.ws.send('x'.repeat(20_000));
    await client.until(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(1009);
  });

  it.each([
    ['a frame that is too large', 1009, (client: WsClient) => client.ws.send('x'.repeat(20_000))],
    ['a close frame', 1000, (client: WsClient) => client.ws.close(1000)],
  ])('or whatever ends a socket is the last word, also in the midst of trades: %s', async (_, code, end) => {
    const [client, other] = [await service.connect(), await service.connect()];
    for (const one of [client, other]) await one.ask({ ...trades, id: 1 });
    end(client);
    client.ws.pause();
    const reported = async (): Promise<number> => {
      const before = service.gateway.counts().frames ?? 0;
      const had = other.data('trades').length;
      service.release(service.trade());
      await other.until(() => other.data('trades').length > had);
      return (service.gateway.counts().frames ?? 0) - before;
    };
    while ((await reported()) > 1);
    // The connection stays open until the client has read the reason.
    expect(service.gateway.counts().open).toBe(2);
    if (code === 1009) expect(service.gateway.counts().subscriptions).toBe(1);
    client.ws.resume();
    await client.until(() => client.closed !== undefined);
    expect(client.closed?.code).toBe(code);
    const closeFrame = Buffer.from([0x88, 2, code >> 8, code & 0xff]);
    expect(client.lastBytes).toEqual(closeFrame);
    await client.until(() => service.gateway.counts().subscriptions === 1);
  });
});
