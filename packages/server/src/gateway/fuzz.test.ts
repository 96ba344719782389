import { once } from 'node:events';
import { connect } from 'node:net';
import { encode } from '@msgpack/msgpack';
import { type Random, seededRandom } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { gatewayChannels } from '../features/channels.ts';
import { errorCodes } from './server-frames.ts';
import { GatewayService } from './testing/gateway-service.ts';
import { WsClient } from './testing/ws-client.ts';

const FRAMES = process.env.LONG === '1' ? 100_000 : 2_000;
/** Frames per socket; fewer than the invalid frames that close one. */
const FRAMES_PER_SOCKET = 25;

let service: GatewayService;
beforeEach(async () => {
  service = await GatewayService.start({ hasTape: true });
});
afterEach(() => service.close());

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  'BTC',
  'ct_pro_wrong',
  '__proto__',
  '\u0000',
  'x'.repeat(2_000),
  [],
  {},
  { ts: 1, count: 1 },
  { ts: -1, count: 'x' },
  [[[[[[[[[[]]]]]]]]]],
];
const ops = ['auth', 'subscribe', 'unsubscribe', 'build', 'follow', '', 'constructor'];
const fields = [
  'id',
  'channel',
  'symbol',
  'interval',
  'mode',
  'since',
  'apiKey',
  'format',
  'coin',
  'kind',
  'params',
  'days',
  '__proto__',
  'toString',
];

/** A plausible frame with some invalid fields. */
function someFrame(random: Random): Record<string, unknown> {
  const frame: Record<string, unknown> = {
    op: pick(random, ops),
    channel: pick(random, [...gatewayChannels.map(({ name }) => name), 'nope']),
    symbol: pick(random, ['BTC', 'eth', 'PEPE', 'NOPE']),
    id: Math.floor(random() * 1e6),
  };
  for (let n = Math.floor(random() * 4); n > 0; n -= 1) {
    const field = pick(random, fields);
    if (random() < 0.2) Reflect.deleteProperty(frame, field);
    else
      Object.defineProperty(frame, field, {
        value: pick(random, values),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  // An unknown key closes the socket, which is tested elsewhere.
  if (frame.op === 'auth' && random() < 0.95) Reflect.deleteProperty(frame, 'apiKey');
  return frame;
}

function mutate(random: Random, bytes: Buffer): Buffer {
  const mutated = Buffer.from(bytes);
  for (let n = 1 + Math.floor(random() * 4); n > 0; n -= 1) {
    mutated[Math.floor(random() * mutated.length)] = Math.floor(random() * 256);
  }
  return random() < 0.3 ? mutated.subarray(0, Math.floor(random() * mutated.length)) : mutated;
}

/** Invalid UTF-8 closes a socket by the protocol; anything else may be sent. */
function send(client: WsClient, random: Random): void {
  const kind = random();
  const frame = someFrame(random);
  if (kind < 0.4) client.ws.send(JSON.stringify(frame));
  else if (kind < 0.6) client.ws.send(encode(frame));
  else if (kind < 0.75) client.ws.send(mutate(random, Buffer.from(encode(frame))));
  else if (kind < 0.9) client.ws.send(mutate(random, Buffer.from(JSON.stringify(frame))).toString('latin1'));
  else
    client.ws.send(
      Buffer.from(Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256))),
    );
}

it(
  `answers ${FRAMES} random and mutated frames, each with what it deserves, and keeps nothing`,
  async () => {
    const random = seededRandom(20_261_115);
    const known = new Set<string>([
      'ack',
      'error',
      'data',
      'heartbeat',
      'lagged',
      'caughtUp',
      'build:accepted',
      'build:progress',
      'build:done',
      'build:error',
    ]);
    const codes = new Set<string>();
    let answers = 0;
    for (let sent = 0; sent < FRAMES; ) {
      const client = await WsClient.open(service.port);
      for (let n = 0; n < FRAMES_PER_SOCKET && !client.closed; n += 1, sent += 1) {
        send(client, random);
        if (n % 25 === 0) service.release(service.trade());
      }
      // Once this is answered, everything before it has been handled.
      if (!client.closed) await client.ask({ op: 'unsubscribe', id: 'last', channel: 'nope', symbol: 'x' });
      for (const frame of client.frames) {
        expect(known).toContain(frame.type);
        if (frame.type === 'error') codes.add(String(frame.code));
        expect(frame.code).not.toBe('internal');
      }
      if (client.closed) expect([1007, 4401]).toContain(client.closed.code);
      answers += client.frames.length;
      await client.end();
    }
    expect([...codes].filter((code) => !errorCodes.includes(code as never))).toEqual([]);
    expect(codes).toContain('bad_request');
    expect(codes).toContain('unknown_channel');
    expect(codes).toContain('unknown_symbol');
    expect(answers).toBeGreaterThan(FRAMES / 2);
    await expect
      .poll(() => service.gateway.counts())
      .toMatchObject({ open: 0, topics: 0, subscriptions: 0, faults: 0 });
    expect(service.errors).toEqual([]);
    const client = await service.connect();
    expect(await client.ask({ op: 'subscribe', id: 1, channel: 'trades', symbol: 'BTC' })).toMatchObject({
      type: 'ack',
    });
  },
  Math.max(600_000, FRAMES * 20),
);

const HANDSHAKE =
  'GET /ws/v1 HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

it(
  'closes sockets that break the protocol itself, and continues',
  async () => {
    const random = seededRandom(7);
    for (let n = 0; n < FRAMES / 100; n += 1) {
      // Not a WebSocket: it never answers.
      const socket = connect(service.port, '127.0.0.1');
      let isClosed = false;
      socket.on('error', () => undefined);
      socket.on('close', () => {
        isClosed = true;
      });
      socket.write(HANDSHAKE);
      await once(socket, 'data');
      socket.resume();
      socket.write(Buffer.from(Array.from({ length: 64 }, () => Math.floor(random() * 256))));
      await vi.waitUntil(
        () => {
          service.clock.advance(1_000);
          return isClosed;
        },
        { timeout: 5_000, interval: 2 },
      );
    }
    await expect.poll(() => service.gateway.counts().open).toBe(0);
    expect(service.errors).toEqual([]);
  },
  Math.max(600_000, FRAMES * 20),
);
