import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket as UndiciWebSocket } from 'undici';
import { WebSocket } from 'ws';
import { GatewayService, type GatewayServiceOptions, START_MS } from './testing/gateway-service.ts';
import { WsClient } from './testing/ws-client.ts';

let service: GatewayService;
const start = async (options: GatewayServiceOptions = {}): Promise<void> => {
  service = await GatewayService.start(options);
};
const trades = { op: 'subscribe', channel: 'trades', symbol: 'BTC' };

afterEach(() => service.close());

describe('a socket', () => {
  beforeEach(() => start());

  it('receives a heartbeat and a ping every 15 seconds', async () => {
    const client = await service.connect();
    for (let n = 1; n <= 3; n += 1) {
      service.clock.advance(15_000);
      await client.until(() => client.of('heartbeat').length === n && client.pings === n);
      expect(client.of('heartbeat').at(-1)).toEqual({ type: 'heartbeat', ts: START_MS + n * 15_000 });
      // The pong is on its way.
      await client.ask({ op: 'auth', id: n });
    }
  });

  it('is dropped when nothing is received from it for 45 seconds', async () => {
    const client = await service.connect();
    client.ws.pause();
    await client.until(() => service.gateway.counts().open === 1);
    service.clock.advance(45_000);
    await client.until(() => service.gateway.counts().open === 0);
    expect(service.gateway.counts()).toMatchObject({ dead: 1 });
  });

  it('is not called dead while its input is paused, and is read again afterwards', async () => {
    const [pause, resume] = [vi.spyOn(WebSocket.prototype, 'pause'), vi.spyOn(WebSocket.prototype, 'resume')];
    const slow = await GatewayService.start({ coins: [] });
    try {
      const client = await slow.connect();
      // The first waits for the list of coins, and the others for the first.
      for (let n = 0; n < 65; n += 1) client.send({ ...trades, id: n });
      await client.until(() => pause.mock.calls.length === 1);
      client.ws.pause();
      slow.clock.advance(45_000);
      expect(slow.gateway.counts()).toMatchObject({ open: 1, dead: 0 });
      slow.table('instruments', [{ symbol: 'BTC', coin: 'BTC', sizeDecimals: 5 }]);
      await client.until(() => resume.mock.calls.length === 1);
      slow.clock.advance(30_000);
      expect(slow.gateway.counts()).toMatchObject({ dead: 0 });
      slow.clock.advance(15_000);
      expect(slow.gateway.counts()).toMatchObject({ dead: 1 });
    } finally {
      await slow.close();
      vi.restoreAllMocks();
    }
  });

  it('is answered with a pong', async () => {
    const client = await service.connect();
    const pongs: string[] = [];
    client.ws.on('pong', (data) => pongs.push(data.toString()));
    client.ws.ping('hello');
    await client.until(() => pongs.length === 1);
    expect(pongs).toEqual(['hello']);
  });

  it('is closed with 1001 when the service stops, after what was on its way', async () => {
    const client = await service.connect();
    await client.ask({ ...trades, id: 1 });
    service.release(service.trade());
    const closing = service.gateway.close();
    await client.until(() => client.closed !== undefined);
    await closing;
    expect(client.closed?.code).toBe(1001);
    const refused = await WsClient.open(service.port).catch((error: Error) => error.message);
    expect(refused).toContain('503');
  });

  it('can be opened by another client', async () => {
    const ws = new UndiciWebSocket(`ws://127.0.0.1:${service.port}/ws/v1`);
    const frames: unknown[] = [];
    ws.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data))));
    await new Promise((resolve) => ws.addEventListener('open', resolve));
    ws.send(JSON.stringify({ ...trades, id: 1 }));
    const client = await service.connect();
    await client.until(() => frames.length === 1);
    service.release(service.trade());
    await client.until(() => frames.length === 2);
    expect(frames).toMatchObject([{ type: 'ack' }, { type: 'data', channel: 'trades' }]);
    ws.close();
  });
});

describe('a handshake', () => {
  beforeEach(() => start());

  it('anywhere else is a 404 that names the address', async () => {
    const refused = await WsClient.open(service.port, '/ws/v2').catch((error: Error) => error.message);
    expect(refused).toContain('404');
  });

  it('of another protocol is answered as a plain request', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
      const sent = request({ port: service.port, path: '/ws/v1', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(status).toBe(404);
  });

  it.each([
    ['version', { 'Sec-WebSocket-Version': '7' }, 400],
    ['key', { 'Sec-WebSocket-Key': 'x' }, 400],
  ])('with a bad %s is refused and leaves nothing behind', async (_, headers, expected) => {
    const status = await new Promise((resolve, reject) => {
      const good = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      };
      const sent = request(
        { port: service.port, path: '/ws/v1', headers: { ...good, ...headers } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject);
      sent.end();
    });
    expect(status).toBe(expected);
    await expect.poll(() => service.gateway.counts().open).toBe(0);
  });
});
