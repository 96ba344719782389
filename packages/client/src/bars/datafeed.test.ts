import { expect, it, vi } from 'vitest';
import type { Client } from '../client.ts';
import type { SocketItem } from '../socket/frame-types.ts';
import { createDatafeed, type DatafeedBar } from './datafeed.ts';

const MINUTE_MS = 60_000;
const START = 1_789_948_800_000;
const at = (minute: number): number => START + minute * MINUTE_MS;

function row(ts: number, close: number) {
  return {
    ts,
    open: 100,
    high: Math.max(100, close),
    low: Math.min(100, close),
    close,
    volume: 2,
    complete: true,
  };
}

/** A service with ten minutes of a market, the last of them in progress, and batches of frames that follow. */
function fakeClient(batches: readonly SocketItem<'trades'>[][] = []): Client {
  const rows = Array.from({ length: 10 }, (_, i) => row(at(i), 100 + i));
  const answers: Record<string, (query: { market: string; end?: number; limit?: number }) => object> = {
    '/candles': ({ market, end = Infinity, limit = 1_000 }) => {
      if (!market.toLowerCase().startsWith('okx:btc')) throw new Error('no such market');
      return { data: rows.filter(({ ts }) => ts < end).slice(-limit), meta: { market: 'okx:BTC-USDT-SWAP' } };
    },
    '/markets/recorded': () => ({
      data: [
        {
          market: 'okx:BTC-USDT-SWAP',
          venue: 'okx',
          kind: 'perp',
          symbol: 'BTC-USDT-SWAP',
          coin: 'BTC',
          quote: 'USDT',
          tick: 0.1,
        },
      ],
    }),
    '/coverage': () => ({
      data: [
        { from: at(0), to: at(3), state: 'complete' },
        { from: at(3) + 5_000, to: at(3) + 9_000, state: 'missing' },
      ],
    }),
  };
  return {
    now: () => at(10),
    get: async (path: string, query: { market: string }) => answers[path]?.(query),
    async *followBatches() {
      yield* batches;
    },
  } as unknown as Client;
}

const symbol = { ticker: 'okx:BTC-USDT-SWAP' };
const seconds = (ms: number): number => ms / 1_000;

async function barsOf(client: Client, from: number, to: number, countBack: number) {
  const onError = vi.fn();
  const results: [readonly DatafeedBar[], object][] = [];
  const period = { from: seconds(from), to: seconds(to), countBack };
  await createDatafeed(client).getBars(symbol, '1', period, (...result) => results.push(result), onError);
  expect(onError).not.toHaveBeenCalled();
  const [result] = results;
  if (!result) throw new Error('no bars were given');
  return result;
}

it('reads the bars of a range, and more where a chart counts back', async () => {
  const [bars] = await barsOf(fakeClient(), at(6), at(8), 0);
  expect(bars).toEqual(
    [6, 7].map((i) => ({ time: at(i), open: 100, high: 100 + i, low: 100, close: 100 + i, volume: 2 })),
  );
  const [more] = await barsOf(fakeClient(), at(6), at(8), 5);
  expect(more.map(({ time }) => time)).toEqual([3, 4, 5, 6, 7].map(at));
  expect(await barsOf(fakeClient(), at(50), at(60), 0)).toEqual([
    [],
    { noData: true, nextTime: seconds(at(9)) },
  ]);
  expect(await barsOf(fakeClient(), at(-20), at(-10), 5)).toEqual([[], { noData: true }]);
});

it('resolves symbols in any spelling, and marks gaps at the start of their bar', async () => {
  const feed = createDatafeed(fakeClient());
  const [onResolve, onError, onMarks] = [vi.fn(), vi.fn(), vi.fn()];
  await feed.resolveSymbol('OKX:btc-usdt-swap', onResolve, onError);
  expect(onResolve.mock.calls).toMatchObject([[{ ticker: symbol.ticker, pricescale: 10, type: 'swap' }]]);
  await feed.resolveSymbol('okx:NOSUCH', onResolve, onError);
  expect(onError.mock.calls).toEqual([['unknown_symbol']]);
  await feed.getMarks(symbol, seconds(at(0)), seconds(at(9)), onMarks, '1');
  expect(onMarks.mock.calls).toMatchObject([[[{ time: seconds(at(3)), label: 'G' }]]]);
});

it('continues bars live, none older than the last, and resets a chart whose bars a gap changed', async () => {
  const trade = (ts: number, price: number): SocketItem<'trades'> => ({
    type: 'data',
    ts,
    payload: { ts, price, size: 1, side: 'buy' },
  });
  const gap = { type: 'gap', from: at(8), to: at(8) + 1_000, state: 'missing', reason: 'no socket' } as const;
  const batches = [[trade(at(9) + 1, 90)], [gap as SocketItem<'trades'>], [trade(at(10), 95)]];
  const feed = createDatafeed(fakeClient(batches));
  await feed.getBars(
    symbol,
    '1',
    { from: seconds(at(0)), to: seconds(at(10)), countBack: 0 },
    vi.fn(),
    vi.fn(),
  );
  const ticks: DatafeedBar[] = [];
  const onReset = vi.fn();
  feed.subscribeBars(symbol, '1', (bar) => ticks.push(bar), 'chart', onReset);
  await vi.waitFor(() => expect(ticks.at(-1)).toMatchObject({ time: at(10), close: 95, volume: 1 }));
  expect(ticks.map(({ time }) => time).every((time) => time >= at(9))).toBe(true);
  expect(ticks).toContainEqual(expect.objectContaining({ time: at(9), close: 90 }));
  expect(onReset).toHaveBeenCalledTimes(1);
  feed.unsubscribeBars('chart');
});
