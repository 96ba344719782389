import { afterEach, expect, it, vi } from 'vitest';
import { Hub } from './hub.ts';
import type { Order, Report } from './topic.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A socket that a test opens and breaks. */
class HeldSocket {
  static newest: HeldSocket | undefined;
  readyState = 0;
  readonly #listeners = new Map<string, (event: object) => void>();
  readonly sent: { readonly op: string; readonly id?: number }[] = [];

  constructor() {
    HeldSocket.newest = this;
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
    this.tell({ type: 'ack', op: 'subscribe', id, ...topic, seq: 1 });
    this.tell({ type: 'data', ...topic, seq: 1, ts: 1, payload });
  }

  tell(frame: object): void {
    this.#listeners.get('message')?.({ data: JSON.stringify(frame) });
  }

  break(): void {
    this.readyState = 3;
    this.#listeners.get('close')?.({ code: 1_006 });
  }
}

it('tells that the connection is lost, also when it had come back only for a moment', async () => {
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
  expect(last).toMatchObject({ state: 'down', trouble: expect.stringContaining('connection is lost') });
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

it('does not tell a second tab that all has come, of a source that has brought nothing yet', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  const hub = new Hub('http://service');
  const order: Order = {
    op: 'follow',
    id: 1,
    topic: { from: 'rest', path: '/sources', query: {}, everyMs: 60_000 },
  };
  const reports: Report[][] = [[], []];
  const ports = reports.map((heard) => ({ postMessage: (report: Report) => heard.push(report) }));
  hub.take(ports[0]!, order);
  await vi.advanceTimersByTimeAsync(200);
  hub.take(ports[1]!, order);
  const [first, second] = reports.map((heard) => heard.at(-1)?.update);
  expect(first).toMatchObject({ state: 'down', items: [] });
  expect(second).toEqual(first);

  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: [], meta: {} })));
  await vi.advanceTimersByTimeAsync(6_000);
  const late = { postMessage: vi.fn<(report: Report) => void>() };
  hub.take(late, order);
  expect(late.postMessage.mock.lastCall?.[0].update).toMatchObject({ state: 'up', isWhole: true });
  for (const port of [...ports, late]) hub.take(port, { op: 'bye' });
});

it('tells a panel that it waits because this browser has asked often enough', async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: [], meta: {} })));
  const hub = new Hub('http://service');
  const heard = new Map<number, Report['update']>();
  const port = { postMessage: ({ id, update }: Report) => heard.set(id, update) };
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
  expect(heard.get(45)).toMatchObject({ isWhole: true });
  for (const id of [46, 47]) expect(heard.get(id)).toMatchObject({ items: [], limitedUntilMs: 1_060_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  for (const id of [46, 47]) {
    expect(heard.get(id)).toMatchObject({ isWhole: true, items: [{ data: [] }] });
    expect(heard.get(id)).not.toHaveProperty('limitedUntilMs');
  }
  hub.take(port, { op: 'bye' });
});
