import { afterEach, expect, it, vi } from 'vitest';
import { Hub } from './hub.ts';
import type { Order, Report } from './topic.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
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
