import { expect, it } from 'vitest';
import type { FeedStatus, SocketItem } from '../socket/frame-types.ts';
import { type MergedItem, mergedTrades } from './merged-trades.ts';

type Item = SocketItem<'trades'>;

function trade(ts: number, price: number, size: number): Item {
  return { type: 'data', ts, payload: { ts, price, size, side: 'buy' } };
}

/** A service whose markets send the items of a step while the reader waits. */
function fakeClient(steps: readonly Readonly<Record<string, readonly Item[]>>[]) {
  const followed: unknown[] = [];
  const send = new Map<string, (items: readonly Item[]) => void>();
  const status = new Map<string, (status: FeedStatus) => void>();
  let step = 0;
  const client = {
    wait: async () => {
      const items = steps[step];
      step += 1;
      if (!items) throw new Error('over');
      for (const [market, some] of Object.entries(items)) send.get(market)?.(some);
      await new Promise(setImmediate);
    },
    async *followBatches(
      _: string,
      market: string,
      params: unknown,
      { signal, onStatus }: { signal: AbortSignal; onStatus: (status: FeedStatus) => void },
    ) {
      followed.push(params);
      status.set(market, onStatus);
      const queue: (readonly Item[])[] = [];
      let wake = (): void => undefined;
      send.set(market, (items) => {
        queue.push(items);
        wake();
      });
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        const items = queue.shift();
        if (items) yield items;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
  return { client: client as unknown as Parameters<typeof mergedTrades>[0], followed, status };
}

const merged = {
  reference: 'hyperliquid:BTC',
  price: 100,
  lastTs: 5,
  members: [
    { market: 'hyperliquid:BTC', trades: 3, cursor: { ts: 5, count: 1 } },
    { market: 'okx:BTC-USDT-SWAP', trades: 2, cursor: { ts: 4, count: 2 } },
    { market: 'gate:BTC_USDT', trades: 1, cursor: null },
  ],
};
const caughtUp: Item = { type: 'caughtUp', gaps: [] };

async function read(items: AsyncIterable<readonly MergedItem[]>): Promise<readonly MergedItem[]> {
  const found: MergedItem[] = [];
  await expect(
    (async () => {
      for await (const some of items) found.push(...some);
    })(),
  ).rejects.toThrow('over');
  return found;
}

function rowsOf(items: readonly MergedItem[]) {
  return items.map((item) => item.type === 'data' && [item.ts, item.payload.price, item.payload.size]);
}

it('carries each recorded market on from its cursor, in order of time, at the prices of the reference', async () => {
  const { client, followed } = fakeClient([
    { 'okx:BTC-USDT-SWAP': [trade(4, 99, 7), trade(20, 99, 1), caughtUp] },
    // Nothing is released until every market has sent its recorded trades.
    { 'hyperliquid:BTC': [trade(10, 101, 2), caughtUp] },
    { 'okx:BTC-USDT-SWAP': [trade(30, 98, 0.000_000_004)] },
    {},
    // Late: it counts when it arrives.
    { 'hyperliquid:BTC': [trade(25, 102, 3)] },
    {},
  ]);
  const found = await read(mergedTrades(client, merged));
  expect(followed).toEqual([
    { market: 'hyperliquid:BTC', since: { ts: 5, count: 1 } },
    { market: 'okx:BTC-USDT-SWAP', since: { ts: 4, count: 2 } },
  ]);
  expect(rowsOf(found)).toEqual([
    // The build had a later trade of another market.
    [5, 100, 7],
    [10, 101, 2],
    [20, 101, 1],
    [30, 101, 0],
    [30, 102, 3],
  ]);
});

it('waits after a lost connection until every market has sent what was missed', async () => {
  const joined: Item = { type: 'joined' };
  const { client } = fakeClient([
    { 'hyperliquid:BTC': [joined, caughtUp], 'okx:BTC-USDT-SWAP': [joined, caughtUp] },
    { 'hyperliquid:BTC': [trade(1_000, 100, 1)], 'okx:BTC-USDT-SWAP': [trade(1_001, 100, 2)] },
    {},
    { 'hyperliquid:BTC': [joined, trade(60_000, 110, 1), trade(600_000, 130, 1), caughtUp] },
    {},
    {},
    { 'okx:BTC-USDT-SWAP': [joined, trade(60_001, 99, 2)] },
    { 'okx:BTC-USDT-SWAP': [trade(600_001, 99, 2), caughtUp] },
    {},
  ]);
  expect(rowsOf(await read(mergedTrades(client, merged)))).toEqual([
    [1_000, 100, 1],
    [1_001, 100, 2],
    [60_000, 110, 1],
    [60_001, 110, 2],
    [600_000, 130, 1],
    [600_001, 130, 2],
  ]);
});

it('waits two seconds at most, also where a market joins again and again', async () => {
  const joinedAgain = { 'hyperliquid:BTC': [{ type: 'joined' }, caughtUp] } as const;
  const { client } = fakeClient([
    { 'hyperliquid:BTC': [caughtUp], 'okx:BTC-USDT-SWAP': [caughtUp] },
    { 'hyperliquid:BTC': [trade(10, 100, 1)] },
    ...Array.from({ length: 8 }, () => joinedAgain),
  ]);
  expect(rowsOf(await read(mergedTrades(client, merged)))).toEqual([[10, 100, 1]]);
});

it('follows the newest trade of the build, also where its market is no longer recorded', async () => {
  const { client } = fakeClient([
    { 'hyperliquid:BTC': [trade(6, 100, 1), caughtUp], 'okx:BTC-USDT-SWAP': [caughtUp] },
    {},
  ]);
  expect(rowsOf(await read(mergedTrades(client, { ...merged, lastTs: 8 })))).toEqual([[8, 100, 1]]);
});

it('names the market of each gap', async () => {
  const gap = { type: 'gap', from: 10, to: 12, state: 'missing', reason: 'no socket' } as const;
  const { client } = fakeClient([
    { 'okx:BTC-USDT-SWAP': [{ type: 'caughtUp', gaps: [gap] }], 'hyperliquid:BTC': [caughtUp] },
    { 'hyperliquid:BTC': [{ ...gap, from: 9, to: 13, state: 'refilled' }] },
  ]);
  expect(await read(mergedTrades(client, merged))).toEqual([
    // The newest of a list may not have ended.
    { ...gap, market: 'okx:BTC-USDT-SWAP', isOpen: true },
    { ...gap, market: 'hyperliquid:BTC', from: 9, to: 13, state: 'refilled' },
  ]);
});

it('is live when every market is, and names those that fail', async () => {
  const { client, status } = fakeClient([{}]);
  const statuses: FeedStatus[] = [];
  const reading = read(mergedTrades(client, merged, { onStatus: (one) => statuses.push(one) }));
  await new Promise(setImmediate);
  status.get('hyperliquid:BTC')?.({ state: 'live', sinceTs: 1, reason: '' });
  status.get('okx:BTC-USDT-SWAP')?.({ state: 'down', sinceTs: 2, reason: 'OKX is down.' });
  await reading;
  expect(statuses.at(-1)).toEqual({ state: 'stale', sinceTs: 2, reason: 'OKX is down.', partial: true });
});
