import { afterEach, expect, it, vi } from 'vitest';
import type { Order, Report } from './topic.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The connection of a page, its messages to the hub, and a scripted hub. */
async function openLine() {
  vi.useFakeTimers();
  const orders: Order[] = [];
  let receive: (event: { data: Report }) => void = () => {};
  const port = {
    addEventListener: (_: string, listener: typeof receive) => (receive = listener),
    start: () => {},
    postMessage: (order: Order) => orders.push(order),
  };
  const document = { hidden: false, addEventListener: () => {} };
  vi.stubGlobal('document', document);
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal(
    'SharedWorker',
    class {
      readonly port = port;
    },
  );
  // It is one for all of a page, and a test may be tried again.
  vi.resetModules();
  const { follow } = await import('./line.ts');
  const send = (data: Report): void => receive({ data });
  const report = (id: number, ...others: readonly number[]): void =>
    send({ id, others, update: { items: [], isWhole: false, state: 'up', atMs: 0 } });
  return { follow, orders, document, report, send };
}

const topic = { from: 'channel', channel: 'markPrice', symbol: 'BTC', params: {} } as const;

it('resubscribes when the hub has dropped the tab, and sends nothing while hidden', async () => {
  const { follow, orders, document } = await openLine();
  const leave = follow(topic, () => {});
  const asked = { op: 'follow', id: 1, topic };
  expect(orders.splice(0)).toEqual([asked]);
  vi.advanceTimersByTime(20_000);
  expect(orders.splice(0)).toEqual([{ op: 'alive' }, asked]);
  document.hidden = true;
  vi.advanceTimersByTime(20_000);
  expect(orders.splice(0)).toEqual([{ op: 'alive' }]);
  document.hidden = false;
  leave();
  vi.advanceTimersByTime(20_000);
  expect(orders).toEqual([{ op: 'leave', id: 1 }, { op: 'alive' }]);
});

it('draws a few listeners a frame, and neighbours in different ones', async () => {
  const { follow, report } = await openLine();
  const frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => frames.push(draw));
  const shown: number[] = [];
  for (let id = 1; id <= 6; id += 1) follow(topic, () => shown.push(id));
  // Those of the same topic in one message.
  report(1, 2, 3);
  for (let id = 4; id <= 6; id += 1) report(id);
  vi.advanceTimersByTime(1);
  // The first figures at once.
  expect(shown.splice(0)).toEqual([1, 2, 3, 4, 5, 6]);
  for (let id = 1; id <= 6; id += 1) report(id);
  vi.advanceTimersByTime(1);
  expect(shown.splice(0)).toEqual([1, 5]);
  for (const drawn of [[2, 6], [3], [4]]) {
    frames.shift()!();
    expect(shown).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(shown.splice(0)).toEqual(drawn);
  }
  expect(frames).toEqual([]);
  report(1);
  vi.advanceTimersByTime(50);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(shown).toEqual([1]);
});

it('passes on what has arrived since the last frame as one update', async () => {
  const { follow, report, send } = await openLine();
  vi.stubGlobal('requestAnimationFrame', () => 0);
  const shown: unknown[] = [];
  follow(topic, ({ items, isWhole }) => shown.push([isWhole ?? false, ...items]));
  report(1);
  vi.advanceTimersByTime(1);
  shown.length = 0;
  const update = (items: readonly unknown[], isWhole?: true): void =>
    send({ id: 1, update: { items, state: 'up', atMs: 0, ...(isWhole && { isWhole }) } });
  update([1]);
  update([2, 3]);
  vi.advanceTimersByTime(100);
  expect(shown.splice(0)).toEqual([[false, 1, 2, 3]]);
  update([4]);
  update([5], true);
  update([6]);
  vi.advanceTimersByTime(100);
  expect(shown).toEqual([[true, 5, 6]]);
});
