import { HOUR_MS, MINUTE_MS } from '@crosstape/core';
import { expect, it } from 'vitest';
import type { Client } from '../client.ts';
import type { SocketItem } from '../socket/frame-types.ts';
import type { LiveBars } from './live-bars.ts';
import { candleBar, liveCandles } from './live-candles.ts';

/** 00:00 UTC of a day. */
const DAY = 1_789_948_800_000;

function row(ts: number, close: number, volume = 1) {
  const prices = { open: 100, high: Math.max(100, close), low: Math.min(100, close), close };
  const flow = { volume, buyVolume: volume, notionalUsd: close * volume, trades: 1, buyTrades: 1 };
  const liquidated = { liqLongUsd: 0, liqShortUsd: 0 };
  return { ts, ...prices, ...flow, ...liquidated, complete: true, origin: 'tape' as const };
}

type Row = ReturnType<typeof row>;

/** A service with candles of three intervals, followed by trades. */
function fakeClient(rows: Record<string, readonly Row[]>, batches: readonly SocketItem<'trades'>[][]) {
  const followed: unknown[] = [];
  const client = {
    now: () => DAY,
    get: async (_: string, query: { interval: string; start?: number; end?: number }) => ({
      data: (rows[query.interval] ?? []).filter(
        ({ ts }) => ts >= (query.start ?? 0) && ts < (query.end ?? Infinity),
      ),
    }),
    async *followBatches(_: string, __: string, params: unknown) {
      followed.push(params);
      yield* batches;
    },
  };
  return { client: client as unknown as Client, followed };
}

function trade(ts: number, price: number): SocketItem<'trades'> {
  return { type: 'data', ts, payload: { ts, price, size: 0.1, side: 'sell' } };
}

async function all(items: AsyncIterable<LiveBars>): Promise<readonly LiveBars[]> {
  const found: LiveBars[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const spec = { market: 'okx:BTC-USDT-SWAP', interval: '4h', limit: 100 } as const;

it('puts the candle in progress together from its hours, its minutes and the trades that follow', async () => {
  // Three hours and two minutes into the second candle of four hours; the newest minute is still growing.
  const now = DAY + 7 * HOUR_MS + 2 * MINUTE_MS;
  const { client, followed } = fakeClient(
    {
      '1m': [row(now - 2 * MINUTE_MS, 104, 0.1), row(now - MINUTE_MS, 103, 0.2), row(now, 999, 50)],
      '1h': [4, 5, 6].map((hour) => row(DAY + hour * HOUR_MS, 100 + hour, 2)),
      '4h': [row(DAY, 101, 9), row(DAY + 4 * HOUR_MS, 999, 99)],
    },
    [[trade(now + 1, 90)], [trade(DAY + 8 * HOUR_MS, 95)]],
  );
  const [first, second, third] = await all(liveCandles(client, spec));
  expect(first?.closed.map(({ openTs, close }) => [openTs, close])).toEqual([[DAY, 101]]);
  expect(first?.open).toMatchObject({ openTs: DAY + 4 * HOUR_MS, high: 106, close: 103, volume: 6.3 });
  expect(followed).toEqual([{ market: spec.market, since: { ts: now, count: 0 } }]);
  expect(second).toMatchObject({ closed: [], open: { close: 90, low: 90, volume: 6.4, delta: 6.2 } });
  expect(third).toMatchObject({ closed: [{ close: 90, trades: 6 }], open: { open: 95, index: 2 } });
});

it('has the end of the newest closed candle, however old an answer without an end is', async () => {
  const next = DAY + MINUTE_MS;
  const fresh = [row(DAY, 101, 2), row(next, 102)];
  const { client } = fakeClient({ '1m': fresh }, []);
  const get = client.get.bind(client) as (path: string, query: object) => Promise<unknown>;
  const own = Object.assign(client, {
    get: (path: string, query: { end?: number; limit: number }) =>
      query.end === undefined && query.limit === 100
        ? Promise.resolve({ data: [row(DAY, 100, 1)] })
        : get(path, query),
  }) as unknown as Client;
  const [first] = await all(liveCandles(own, { ...spec, interval: '1m' }));
  expect(first?.closed.map(({ close, volume }) => [close, volume])).toEqual([[101, 2]]);
});

it('keeps which candles are incomplete, and marks those that a later gap meets', async () => {
  const rows = [DAY, DAY + MINUTE_MS, DAY + 2 * MINUTE_MS, DAY + 3 * MINUTE_MS].map((ts) => row(ts, 100));
  const minutes = rows.map((one, i) => ({ ...one, complete: i !== 1 }));
  const gap = { from: DAY + 2 * MINUTE_MS + 1, to: DAY + 2 * MINUTE_MS + 5, state: 'missing' } as const;
  const { client } = fakeClient({ '1m': minutes }, [[{ type: 'gap', ...gap }]]);
  const [first, second] = await all(liveCandles(client, { ...spec, interval: '1m' }));
  expect(first?.closed.map(({ complete }) => complete)).toEqual([true, false, true]);
  expect(second?.amended.map(({ openTs, complete }) => [openTs, complete])).toEqual([
    [DAY + 2 * MINUTE_MS, false],
  ]);
});

it("marks what a venue's own candle does not report", () => {
  const { buyVolume: _, trades: __, ...others } = row(DAY, 101);
  const bar = candleBar({ ...others, complete: null, origin: 'venue' }, HOUR_MS);
  expect(bar).toMatchObject({ delta: NaN, trades: NaN, complete: true, fromVenue: true });
});
