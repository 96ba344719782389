import { afterEach, expect, it, vi } from 'vitest';
import { Hub } from './hub.ts';
import type { Order, Report, Topic } from './topic.ts';

afterEach(() => {
  HeldSocket.all.length = 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A socket that a test opens and breaks. */
class HeldSocket {
  static newest: HeldSocket | undefined;
  static readonly all: HeldSocket[] = [];
  readyState = 0;
  readonly #listeners = new Map<string, (event: object) => void>();
  readonly sent: { readonly op: string; readonly id?: number }[] = [];

  constructor() {
    HeldSocket.newest = this;
    HeldSocket.all.push(this);
  }

  addEventListener(type: string, listen: (event: object) => void): void {
    this.#listeners.set(type, listen);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as { op: string });
  }

  close(): void {
    this.readyState = 3;
  }

  open(): void {
    this.readyState = 1;
    this.#listeners.get('open')?.({});
    const id = this.sent.find(({ op }) => op === 'subscribe')?.id;
    const topic = { channel: 'markPrice', symbol: 'BTC' };
    const payload = { mark: 1, index: 1, mid: 1, premium: 0, ts: 1 };
    this.deliver({ type: 'ack', op: 'subscribe', id, ...topic, seq: 1 });
    this.deliver({ type: 'data', ...topic, seq: 1, ts: 1, payload });
  }

  deliver(frame: object): void {
    this.#listeners.get('message')?.({ data: JSON.stringify(frame) });
  }

  break(): void {
    this.readyState = 3;
    this.#listeners.get('close')?.({ code: 1_006 });
  }
}

it('sends what several panels of a tab follow once, to each tab', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  const hub = new Hub('http://service');
  const reports: (readonly [tab: string, Report])[] = [];
  const [one, other] = ['one', 'other'].map((tab) => ({
    postMessage: (report: Report): void => void reports.push([tab, report]),
  }));
  const topic = { from: 'channel', channel: 'markPrice', symbol: 'BTC', params: {} } as const;
  for (const id of [1, 2]) hub.take(one!, { op: 'follow', id, topic });
  hub.take(other!, { op: 'follow', id: 7, topic });
  await vi.advanceTimersByTimeAsync(0);
  HeldSocket.newest?.open();
  await vi.advanceTimersByTimeAsync(500);
  const full = reports.filter(([, { update }]) => update.items.length > 0);
  expect(full.map(([tab, { id, others }]) => [tab, id, others])).toEqual([
    ['one', 1, [2]],
    ['other', 7, undefined],
  ]);
});

it('reports that the connection is lost, also when it had come back only for a moment', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  const hub = new Hub('http://service');
  let last: Report['update'] | undefined;
  const port = {
    postMessage: ({ update }: Report): void => {
      last = update;
    },
  };
  const topic = { from: 'channel', channel: 'markPrice', symbol: 'BTC', params: {} } as const;
  hub.take(port, { op: 'follow', id: 1, topic });
  await vi.advanceTimersByTimeAsync(0);
  HeldSocket.newest?.open();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(last?.state).toBe('up');

  HeldSocket.newest?.break();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(last).toMatchObject({ state: 'down', problem: expect.stringContaining('Connection lost') });
  // Until the next socket is tried.
  const broken = HeldSocket.newest;
  while (HeldSocket.newest === broken) await vi.advanceTimersByTimeAsync(1_000);
  HeldSocket.newest?.open();
  await vi.advanceTimersByTimeAsync(300);
  expect(last?.state).toBe('up');
  HeldSocket.newest?.break();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(last?.state).toBe('down');
  hub.take(port, { op: 'bye' });
});

it('reports a socket that never opens, but not of what is requested without one', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: [], meta: {} })));
  const hub = new Hub('http://service');
  const last = new Map<number, Report['update']>();
  const port = { postMessage: ({ id, update }: Report): void => void last.set(id, update) };
  const spec = { market: 'perp:BTC', interval: '5m', limit: 10 } as const;
  hub.take(port, { op: 'follow', id: 1, topic: { from: 'book', symbol: 'BTC' } });
  hub.take(port, { op: 'follow', id: 2, topic: { from: 'bars', spec } });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(last.get(1)).toBeUndefined();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(last.get(1)).toMatchObject({
    state: 'down',
    problem: expect.stringContaining('No live connection'),
  });
  expect(last.get(2)).toMatchObject({ state: 'up' });
  HeldSocket.newest?.open();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(last.get(1)).toMatchObject({ state: 'up' });
  hub.close();
});

it('opens a second socket for what one may not carry, and makes room for new topics before others have lingered', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  const hub = new Hub('http://service');
  const port = { postMessage: (): void => {} };
  const follow = (id: number): void =>
    hub.take(port, {
      op: 'follow',
      id,
      topic: { from: 'channel', channel: 'markPrice', symbol: `C${id}`, params: {} },
    });
  const sent = (): readonly string[] =>
    HeldSocket.all.map(({ sent: frames }) => {
      const count = (op: string): number => frames.filter((frame) => frame.op === op).length;
      return `${count('subscribe')} and ${count('unsubscribe')}`;
    });
  for (let id = 1; id <= 20; id += 1) follow(id);
  await vi.advanceTimersByTimeAsync(10);
  hub.take(port, { op: 'leave', id: 20 });
  follow(20.5);
  await vi.advanceTimersByTimeAsync(10);
  expect(HeldSocket.all).toHaveLength(1);
  for (let id = 21; id <= 40; id += 1) follow(id);
  await vi.advanceTimersByTimeAsync(10);
  for (const socket of HeldSocket.all) socket.open();
  expect(sent()).toEqual(['20 and 0', '20 and 0']);
  hub.take(port, { op: 'leave', id: 25 });
  follow(41);
  await vi.advanceTimersByTimeAsync(10);
  expect(sent()).toEqual(['20 and 0', '21 and 1']);
  const ops = HeldSocket.all[1]?.sent.slice(-2).map(({ op }) => op);
  expect(ops).toEqual(['unsubscribe', 'subscribe']);
  hub.take(port, { op: 'bye' });
});

it('keeps the candles of one market while others of its lengths are looked at', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  const ended: Topic[] = [];
  const watcher = { onStart: () => {}, onSend: () => {}, onEnd: (topic: Topic) => ended.push(topic) };
  const hub = new Hub('http://service', { watcher });
  const port = { postMessage: (): void => {} };
  const bars = (market: string) =>
    ({ from: 'bars', spec: { market, interval: '1m', limit: 1_000 } }) as const;
  const topics: readonly Topic[] = [bars('hyperliquid:BTC'), bars('all:BTC')];
  for (const [id, topic] of topics.entries()) hub.take(port, { op: 'follow', id, topic });
  for (const id of topics.keys()) hub.take(port, { op: 'leave', id });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toEqual([bars('all:BTC')]);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(ended).toEqual([bars('all:BTC'), bars('hyperliquid:BTC')]);
  hub.close();
});

it('keeps the status of a topic with everything that follows, until it changes', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  const hub = new Hub('http://service');
  const updates: Report['update'][] = [];
  const port = { postMessage: ({ update }: Report) => updates.push(update) };
  const topic = { from: 'channel', channel: 'markPrice', symbol: 'BTC', params: {} } as const;
  hub.take(port, { op: 'follow', id: 1, topic });
  await vi.advanceTimersByTimeAsync(0);
  HeldSocket.newest?.open();
  const about = { channel: 'markPrice', symbol: 'BTC' };
  const status = { state: 'down', sinceTs: 1, reason: 'Gone.' } as const;
  HeldSocket.newest?.deliver({ type: 'status', ...about, ...status });
  await vi.advanceTimersByTimeAsync(200);
  const payload = { mark: 2, index: 2, mid: 2, premium: 0, ts: 2 };
  HeldSocket.newest?.deliver({ type: 'data', ...about, seq: 2, ts: 2, payload });
  await vi.advanceTimersByTimeAsync(200);
  expect(updates.at(-1)).toMatchObject({ items: [payload], state: 'up', status });
  const late: Report['update'][] = [];
  const second = { postMessage: ({ update }: Report) => late.push(update) };
  hub.take(second, { op: 'follow', id: 1, topic });
  expect(late.at(-1)).toMatchObject({ status });
  HeldSocket.newest?.deliver({ type: 'status', ...about, ...status, state: 'live' });
  await vi.advanceTimersByTimeAsync(200);
  expect(updates.at(-1)).toMatchObject({ status: { state: 'live' } });
  for (const one of [port, second]) hub.take(one, { op: 'bye' });
});

it('asks again for what is made from a source that fails or recovers, and for nothing else', async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  let failing: object[] = [];
  const asked: string[] = [];
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    const path = new URL(url).pathname.replace('/api/v1', '');
    if (path.startsWith('/perps') || path.startsWith('/options')) asked.push(`${path} ${init.cache}`);
    if (path === '/healthz') return Promise.resolve(Response.json({ failing }));
    if (path === '/readyz') return Promise.resolve(Response.json({ checks: [] }));
    const source = path.startsWith('/perps') ? 'sim:hyperliquid+sim:okx' : 'sim:deribit';
    return Promise.resolve(Response.json({ data: [], meta: { source } }));
  });
  const hub = new Hub('http://service');
  const port = { postMessage: (): void => {} };
  hub.take(port, { op: 'follow', id: 1, topic: { from: 'service', path: '/healthz', everyMs: 5_000 } });
  for (const [n, path] of (['/perps/oi', '/options/gex'] as const).entries()) {
    const topic = { from: 'rest', path, query: { underlying: 'BTC' }, everyMs: 600_000 } as const;
    hub.take(port, { op: 'follow', id: 2 + n, topic });
  }
  await vi.advanceTimersByTimeAsync(31_000);
  const once = ['/perps/oi no-cache', '/options/gex no-cache'];
  expect(asked).toEqual(once);

  failing = [{ source: 'okx', feeds: ['okx:tickers'] }];
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked).toEqual([...once, '/perps/oi no-cache']);
  // Not again so soon, though it has recovered already.
  failing = [];
  await vi.advanceTimersByTimeAsync(6_000);
  expect(asked).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(26_000);
  expect(asked).toHaveLength(4);
  hub.take(port, { op: 'bye' });
});

it('does not report to a second tab that a source has delivered before it has', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  const hub = new Hub('http://service');
  const order: Order = {
    op: 'follow',
    id: 1,
    topic: { from: 'rest', path: '/sources', query: {}, everyMs: 60_000 },
  };
  const reports: Report[][] = [[], []];
  const ports = reports.map((received) => ({ postMessage: (report: Report) => received.push(report) }));
  hub.take(ports[0]!, order);
  await vi.advanceTimersByTimeAsync(200);
  hub.take(ports[1]!, order);
  const [first, second] = reports.map((received) => received.at(-1)?.update);
  expect(first).toMatchObject({ state: 'down', items: [] });
  expect(second).toEqual(first);

  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: [], meta: {} })));
  await vi.advanceTimersByTimeAsync(6_000);
  const late = { postMessage: vi.fn<(report: Report) => void>() };
  hub.take(late, order);
  expect(late.postMessage.mock.lastCall?.[0].update).toMatchObject({ state: 'up', isWhole: true });
  for (const port of [...ports, late]) hub.take(port, { op: 'bye' });
});

it('reports to a panel that it waits because this browser has used its requests', async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const headers = { 'RateLimit-Policy': '"default";q=60;w=60' };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: [], meta: {} }, { headers })));
  const hub = new Hub('http://service');
  const received = new Map<number, Report['update']>();
  const port = { postMessage: ({ id, update }: Report) => received.set(id, update) };
  for (let id = 1; id <= 47; id += 1) {
    const topic = {
      from: 'rest',
      path: '/perps/oi',
      query: { coins: [`C${id}`] },
      everyMs: 600_000,
    } as const;
    hub.take(port, { op: 'follow', id, topic });
  }
  await vi.advanceTimersByTimeAsync(500);
  expect(received.get(45)).toMatchObject({ isWhole: true });
  for (const id of [46, 47]) expect(received.get(id)).toMatchObject({ items: [], limitedUntilMs: 1_060_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  for (const id of [46, 47]) {
    expect(received.get(id)).toMatchObject({ isWhole: true, items: [{ data: [] }] });
    expect(received.get(id)).not.toHaveProperty('limitedUntilMs');
  }
  hub.take(port, { op: 'bye' });
});

it('sends the first news at once, and what follows ten times a second', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', HeldSocket);
  const hub = new Hub('http://service');
  let received = 0;
  const port = {
    postMessage: (): void => {
      received += 1;
    },
  };
  const topic = { from: 'channel', channel: 'markPrice', symbol: 'BTC', params: {} } as const;
  hub.take(port, { op: 'follow', id: 1, topic });
  await vi.advanceTimersByTimeAsync(0);
  HeldSocket.newest?.open();
  await vi.advanceTimersByTimeAsync(1);
  expect(received).toBe(1);
  const payload = { mark: 2, index: 2, mid: 2, premium: 0, ts: 2 };
  for (let i = 0; i < 50; i += 1) {
    HeldSocket.newest?.deliver({
      type: 'data',
      channel: 'markPrice',
      symbol: 'BTC',
      seq: i + 2,
      ts: 2,
      payload,
    });
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(received).toBe(6);
  hub.take(port, { op: 'bye' });
});
