import { afterEach, expect, it, vi } from 'vitest';
import type { Order } from './topic.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('says again what it follows, to a hub that has thought it gone, and nothing while it is hidden', async () => {
  vi.useFakeTimers();
  const orders: Order[] = [];
  const port = {
    addEventListener: () => {},
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
  const topic = { from: 'channel', channel: 'markPrice', symbol: 'BTC', params: {} } as const;
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
