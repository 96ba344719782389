import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { CaptureLine, InLine } from '../capture/format.ts';
import { CaptureReader } from '../capture/read-capture.ts';
import { indexCapture } from './capture-index.ts';
import { type ReplayServer, type ReplayServerOptions, startReplayServer } from './replay-server.ts';

const T = Date.UTC(2026, 10, 16);
const clock = new ManualClock(5_000);
let folder: string;
let server: ReplayServer;
const clients: WebSocket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-replay-test-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.terminate();
  await server.close();
  rmSync(folder, { recursive: true });
});

async function serve(
  lines: readonly CaptureLine[],
  options: Partial<ReplayServerOptions> = {},
): Promise<void> {
  const header = { capture: 1, crosstape: '0', upstream: 'live', startedAtMs: T, startedAt: '', venues: [] };
  const path = join(folder, 'capture.ndjson');
  writeFileSync(path, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
  const capture = await indexCapture(await CaptureReader.open(path));
  server = await startReplayServer({ capture, clock, port: 0, id: 'test', ...options });
}

function exchange(id: number, atMs: number, text: string, headers = {}): readonly CaptureLine[] {
  const request = { type: 'request', id, venue: 'fake', source: 'oi', key: '', method: 'GET' } as const;
  return [
    { t: T + atMs - 10, ...request, origin: '', path: '/oi?x=1', headers: {} },
    { t: T + atMs, type: 'answer', id, status: 200, headers, body: { text } },
  ];
}

const end = (atMs: number): CaptureLine => ({ t: T + atMs, type: 'end', reason: '' });

describe('a request', () => {
  const ask = () => fetch(`${server.url}/fake/oi?x=1`);
  const answers = [...exchange(1, 1_000, 'one', { age: '7' }), ...exchange(2, 10_000, 'two'), end(20_000)];

  it('gets the newest answer of the time of the replay, as old as it is by then', async () => {
    await serve(answers);
    expect(await (await ask()).text()).toBe('one');
    clock.advance(5_000);
    const later = await ask();
    expect(await later.text()).toBe('one');
    expect(later.headers.get('age')).toBe('11');
    clock.advance(6_000);
    const second = await ask();
    expect(await second.text()).toBe('two');
    expect(second.headers.get('age')).toBe('1');
  });

  it('gets the last answer after the end, ever older', async () => {
    await serve(answers);
    await ask();
    clock.advance(60_000);
    const late = await ask();
    expect(await late.text()).toBe('two');
    expect(late.headers.get('age')).toBe('50');
  });

  it('gets answers faster at a higher speed, and from the beginning again in a loop', async () => {
    await serve(answers, { speed: 10, isLooping: true });
    await ask();
    clock.advance(1_100);
    expect(await (await ask()).text()).toBe('two');
    clock.advance(1_000);
    const again = await ask();
    expect(await again.text()).toBe('one');
    // On the service's clock, which does not go back.
    expect(again.headers.get('age')).toBe('27');
  });

  it('that was never made gets 404, and is counted', async () => {
    await serve(answers);
    const response = await fetch(`${server.url}/fake/other`);
    expect(response.status).toBe(404);
    expect([...server.unanswered]).toEqual([['fake GET /other', 1]]);
  });

  it('that was never answered gets no answer', async () => {
    const [request] = exchange(1, 1_000, '');
    await serve([request as CaptureLine, { t: T + 9, type: 'failure', id: 1, reason: 'gone' }, end(100)]);
    await expect(ask()).rejects.toThrow('fetch failed');
  });

  it('for the replay itself describes it, and starts it', async () => {
    await serve(answers);
    const firstMs = T + 990;
    const describeReplay = async (path: string, method = 'GET') =>
      ((await (await fetch(`${server.url}${path}`, { method })).json()) as { replay: object }).replay;
    expect(await describeReplay('/sim')).toMatchObject({
      id: 'test',
      nowMs: firstMs,
      speed: 1,
      isRunning: false,
    });
    clock.advance(1_000);
    expect(await describeReplay('/sim/start', 'POST')).toMatchObject({ nowMs: firstMs, isRunning: true });
    clock.advance(1_000);
    expect(await describeReplay('/sim')).toMatchObject({
      nowMs: firstMs + 1_000,
      fromMs: firstMs,
      toMs: T + 20_000,
    });
  });
});

describe('a socket', () => {
  type ServerFrame = readonly [atMs: number, text: string, parts?: Partial<InLine>];

  function captured(
    socket: number,
    parts: {
      readonly openedMs?: number;
      readonly sent: readonly (readonly [string, readonly string[]])[];
      readonly frames: readonly ServerFrame[];
      readonly closed?: { readonly atMs: number; readonly by: 'venue' | 'us' };
    },
  ): readonly CaptureLine[] {
    const { openedMs = 100, sent, frames, closed } = parts;
    const t = T + openedMs;
    return [
      { t, type: 'connect', socket, venue: 'fake', feed: 'trades', origin: '', path: '/ws', headers: {} },
      { t, type: 'open', socket },
      ...sent.map(([text, topics]) => ({ t, type: 'out', socket, topics, body: { text } }) as const),
      { t, type: 'out', socket, ping: true, body: { text: 'ping' } },
      ...frames.map(
        ([atMs, text, more]) =>
          ({ t: T + atMs, type: 'in', socket, as: 'trades', ...more, body: { text } }) as const,
      ),
      ...(closed
        ? [{ t: T + closed.atMs, type: 'close', socket, by: closed.by, code: 4_001, reason: 'x' } as const]
        : []),
    ];
  }

  async function connect(): Promise<{ readonly socket: WebSocket; readonly received: string[] }> {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/fake/ws`);
    clients.push(socket);
    const received: string[] = [];
    socket.on('message', (data, isBinary) =>
      received.push(`${(data as Buffer).toString()}${isBinary ? ' (binary)' : ''}`),
    );
    await once(socket, 'open');
    return { socket, received };
  }

  /** Sends a text and waits until the server has received it: a pong follows it. */
  async function say(socket: WebSocket, text: string): Promise<void> {
    socket.send(text);
    socket.ping();
    await once(socket, 'pong');
  }

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(Math.min(100, left));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const btc = { sent: [['sub BTC', ['BTC']]] as const };

  it('is sent what came on the captured one with the same subscription, when it came', async () => {
    await serve([
      ...captured(1, {
        ...btc,
        frames: [
          [200, 'ack BTC', { as: 'subscribed', topics: ['BTC'] }],
          [1_000, 'b1'],
          [2_000, 'b2', { binary: true }],
        ],
      }),
      ...captured(2, { sent: [['sub ETH', ['ETH']]], frames: [[1_000, 'e1']] }),
      end(9_000),
    ]);
    const { socket, received } = await connect();
    await say(socket, 'sub BTC');
    await pass(1_000);
    await vi.waitFor(() => expect(received).toEqual(['ack BTC', 'b1']));
    await pass(1_500);
    await vi.waitFor(() => expect(received).toEqual(['ack BTC', 'b1', 'b2 (binary)']));
  });

  it('gets a confirmation only when it has subscribed, and data from where the replay is', async () => {
    const frames: ServerFrame[] = [
      [200, 'ack BTC', { as: 'subscribed', topics: ['BTC'] }],
      [1_000, 'b1'],
      [16_000, 'b2'],
    ];
    await serve([...captured(1, { ...btc, frames }), end(19_000)]);
    const { socket, received } = await connect();
    await pass(15_000);
    expect(received).toEqual([]);
    await say(socket, 'sub BTC');
    await vi.waitFor(() => expect(received).toEqual(['ack BTC']));
    await pass(1_500);
    await vi.waitFor(() => expect(received).toEqual(['ack BTC', 'b2']));
  });

  it('that comes a few seconds later misses nothing', async () => {
    await serve([
      ...captured(1, {
        ...btc,
        frames: [
          [1_000, 'b1'],
          [6_000, 'b2'],
        ],
      }),
      end(9_000),
    ]);
    const { socket, received } = await connect();
    await pass(5_000);
    await say(socket, 'sub BTC');
    await pass(1_500);
    await vi.waitFor(() => expect(received).toEqual(['b1', 'b2']));
  });

  it('with order books gets every change since the first snapshot, and since the newest one when it subscribes again', async () => {
    const snapshot = { as: 'bookChange', topics: ['BTC'] } as const;
    const change = { as: 'bookChange' } as const;
    const frames: ServerFrame[] = [
      [200, 's1', snapshot],
      [1_000, 'c1', change],
      [12_000, 's2', snapshot],
      [13_000, 'c2', change],
      [20_000, 'c3', change],
      [21_000, 's3', snapshot],
    ];
    await serve([...captured(1, { ...btc, frames }), end(30_000)]);
    const { socket, received } = await connect();
    await pass(15_000);
    await say(socket, 'sub BTC');
    await pass(5_500);
    await vi.waitFor(() => expect(received).toEqual(['s1', 'c1', 's2', 'c2', 'c3']));
    await say(socket, 'unsub BTC');
    await say(socket, 'sub BTC');
    await pass(1_000);
    await vi.waitFor(() => expect(received.slice(5)).toEqual(['s2', 'c2', 'c3', 's3']));
  });

  it('is attached by the topics that a frame names when the same frame was not captured', async () => {
    await serve([
      ...captured(1, {
        sent: [['sub BTC,ETH', ['BTC', 'ETH']]],
        frames: [
          [200, 'ack BTC,ETH', { as: 'subscribed', topics: ['BTC', 'ETH'] }],
          [1_000, 'b1'],
        ],
      }),
      ...captured(2, { sent: [['sub SOL', ['SOL']]], frames: [[1_100, 's1']] }),
      ...captured(3, { sent: [['sub ETHW', ['ETHW']]], frames: [[1_200, 'w1']] }),
      end(9_000),
    ]);
    const { socket, received } = await connect();
    await say(socket, 'sub ETH,SOL');
    await pass(1_500);
    await vi.waitFor(() => expect(received).toEqual(['ack BTC,ETH', 'b1', 's1']));
  });

  it('gets answers to its pings, from the capture or else of the protocol', async () => {
    await serve([...captured(1, { ...btc, frames: [[200, 'pong', { as: 'heartbeat' }]] }), end(9_000)]);
    const { socket, received } = await connect();
    let pings = 0;
    socket.on('ping', () => {
      pings += 1;
    });
    await say(socket, 'ping');
    expect(received).toEqual([]);
    await vi.waitFor(() => expect(pings).toBe(1));
    await say(socket, 'sub BTC');
    await pass(1_000);
    await say(socket, 'ping');
    await vi.waitFor(() => expect(received).toEqual(['pong']));
  });

  it('stays open and silent when the capture is over, and is closed where the venue closed it', async () => {
    const [later, closed] = [
      captured(1, { ...btc, frames: [[500, 'b1']], closed: { atMs: 2_000, by: 'us' } }),
      captured(2, {
        sent: [['sub ETH', ['ETH']]],
        frames: [[500, 'e1']],
        closed: { atMs: 1_000, by: 'venue' },
      }),
    ];
    await serve([...later, ...closed, end(9_000)]);
    const one = await connect();
    const two = await connect();
    const closing = once(two.socket, 'close');
    await say(one.socket, 'sub BTC');
    await say(two.socket, 'sub ETH');
    await pass(12_000);
    await vi.waitFor(() => expect(two.received).toEqual(['e1']));
    expect(((await closing) as [number])[0]).toBe(4_001);
    expect(one.received).toEqual(['b1']);
    expect(one.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('does not share a captured one that another client has, while there is a second', async () => {
    await serve([
      ...captured(1, { ...btc, frames: [[1_000, 'from 1']] }),
      ...captured(2, { ...btc, openedMs: 120, frames: [[1_000, 'from 2']] }),
      end(9_000),
    ]);
    const one = await connect();
    await say(one.socket, 'sub BTC');
    const two = await connect();
    await say(two.socket, 'sub BTC');
    await pass(1_500);
    await vi.waitFor(() =>
      expect([...one.received, ...two.received].toSorted()).toEqual(['from 1', 'from 2']),
    );
  });

  it('is refused with the status of the capture when none was ever open', async () => {
    const dialled = {
      type: 'connect',
      socket: 1,
      venue: 'fake',
      feed: 'a',
      origin: '',
      path: '/ws',
    } as const;
    await serve([
      { t: T, ...dialled, headers: {} },
      { t: T, type: 'refused', socket: 1, status: 403, headers: {} },
      end(100),
    ]);
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/fake/ws`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('403');
  });
});
