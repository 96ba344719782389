import { gzipSync } from 'node:zlib';
import { createBuilder, encodePack, MINUTE_MS } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import type { Client } from '../client.ts';
import { ApiError, GatewayError, Unreachable } from '../errors.ts';
import type { SocketItem, Trade } from '../socket/frame-types.ts';
import { BuildFailed } from './build-bars.ts';
import { createDatafeed } from './datafeed.ts';
import type { DatafeedBar } from './datafeed-history.ts';
import { columnsOf } from './trade-columns.ts';

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
    origin: 'tape',
  };
}

/** Five trades of the first half second of a day. */
const firstTrades = [0, 1, 2, 3, 4].map(
  (i): Trade => ({ ts: START + i * 100, price: 100 + i, size: 1, side: 'buy' }),
);

/** A build of bars of two trades. */
function packOfTwos(): Uint8Array<ArrayBuffer> {
  const builder = createBuilder({ kind: 'tick', params: { trades: 2 }, tick: 0.1 });
  builder.add(columnsOf(firstTrades));
  const stats = {
    trades: builder.trades,
    bars: builder.bars.length,
    firstTs: null,
    lastTs: null,
    gaps: [],
    degraded: false,
    tick: 0.1,
    buildMs: 0,
  };
  const { spec, bars, open } = builder;
  return new Uint8Array(
    gzipSync(encodePack({ coin: 'BTC', spec, bars, open, state: builder.state(), stats })),
  );
}

/** A service with ten minutes of a market, the last one in progress, followed by batches of frames. */
function fakeClient(batches: readonly SocketItem<'trades'>[][] = []): Client {
  const rows = Array.from({ length: 10 }, (_, i) => row(at(i), 100 + i));
  const answers: Record<string, (query: { market: string; end?: number; limit?: number }) => object> = {
    '/candles': ({ market, end = Infinity, limit = 1_000 }) => {
      const name = market.toLowerCase();
      if (!['okx:btc-usdt-swap', 'perp:btc'].includes(name)) throw new Error('no such market');
      const id = 'okx:BTC-USDT-SWAP';
      const meta = name === 'perp:btc' ? { market: 'perp:BTC', reference: id } : { market: id };
      return { data: rows.filter(({ ts }) => ts < end).slice(-limit), meta };
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
    '/perps/rotations/job': () => ({ data: { status: 'done' } }),
    '/coverage': () => ({
      data: [
        { from: at(0), to: at(3), state: 'complete' },
        { from: at(3) + 5_000, to: at(3) + 9_000, state: 'missing' },
      ],
    }),
  };
  return {
    now: () => at(10),
    post: async () => ({ data: { jobId: 'b-1', cacheKey: 'rot:res:1' } }),
    result: async () => packOfTwos(),
    async wait(_delayMs: number, { signal }: { signal?: AbortSignal } = {}) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
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

const tradeAt = (ts: number, price: number): SocketItem<'trades'> => ({
  type: 'data',
  ts,
  payload: { ts, price, size: 1, side: 'buy' },
});

it('shows bars that are not of the clock, each at its own second, and begins again with the day', async () => {
  const nextDay = START + 86_400_000;
  const batches = [[tradeAt(START + 500, 105)], [tradeAt(START + 9_000, 106)], [tradeAt(nextDay, 107)]];
  const feed = createDatafeed(fakeClient(batches));
  const resolved = vi.fn();
  await feed.resolveSymbol('OKX:btc-usdt-swap.tick2', resolved, vi.fn());
  const ticker = 'okx:BTC-USDT-SWAP.TICK2';
  expect(resolved.mock.calls).toMatchObject([[{ ticker, supported_resolutions: ['1S'], has_seconds: true }]]);
  const bars = vi.fn();
  const period = { from: seconds(START), to: seconds(at(9)), countBack: 2 };
  await feed.getBars({ ticker }, '1S', period, bars, vi.fn());
  // Three bars that begin within the first second.
  const shown = bars.mock.calls[0]?.[0] as readonly DatafeedBar[];
  expect(shown.map(({ time, close, volume }) => [time - START, close, volume])).toEqual([
    [0, 101, 2],
    [1_000, 103, 2],
    [2_000, 104, 1],
  ]);
  const ticks: DatafeedBar[] = [];
  const onReset = vi.fn();
  feed.subscribeBars({ ticker }, '1S', (bar) => ticks.push(bar), 'chart', onReset);
  await vi.waitFor(() => expect(onReset).toHaveBeenCalledTimes(1));
  feed.unsubscribeBars('chart');
  expect(ticks.slice(0, 3).map(({ time, close, volume }) => [time - START, close, volume])).toEqual([
    [2_000, 104, 1],
    [2_000, 105, 2],
    [9_000, 106, 1],
  ]);
});

it('finds and polls the markets of a coin together', async () => {
  const feed = createDatafeed(fakeClient());
  const [onResolve, onTick] = [vi.fn(), vi.fn()];
  await feed.resolveSymbol('perp:btc', onResolve, vi.fn());
  expect(onResolve.mock.calls).toMatchObject([[{ ticker: 'perp:BTC', has_seconds: false, pricescale: 10 }]]);
  feed.subscribeBars({ ticker: 'perp:BTC' }, '1', onTick, 'chart', vi.fn());
  await vi.waitFor(() => expect(onTick).toHaveBeenCalledWith(expect.objectContaining({ time: at(9) })));
  feed.unsubscribeBars('chart');
});

it('continues bars live, none older than the last, and resets a chart whose bars a gap changed', async () => {
  const gap = { type: 'gap', from: at(8), to: at(8) + 1_000, state: 'missing', reason: 'no socket' } as const;
  const batches = [[tradeAt(at(9) + 1, 90)], [gap as SocketItem<'trades'>], [tradeAt(at(10), 95)]];
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

it.each([
  ['a service that restarts', apiError(503), true],
  ['a lost connection', new Unreachable('fetch failed'), true],
  ['a market that is unknown', apiError(404), false],
  ['a refusal of the gateway', new GatewayError('not_found', 'unknown'), false],
  ['a build that fails', new BuildFailed('too many bars'), false],
])('after %s follows a chart again if that can help', async (_name, error, isFollowedAgain) => {
  const client = fakeClient([[tradeAt(at(9) + 1, 90)]]);
  const [followBatches, wait] = [client.followBatches.bind(client), client.wait.bind(client)];
  const fail = (): never => {
    throw error;
  };
  const follow = vi.fn<typeof followBatches>().mockImplementation(followBatches);
  follow.mockImplementationOnce(fail).mockImplementationOnce(fail);
  const waits: number[] = [];
  const waitLonger: typeof wait = (delayMs, options) => {
    waits.push(delayMs);
    return wait(delayMs, options);
  };
  const feed = createDatafeed(Object.assign(client, { followBatches: follow, wait: waitLonger }));
  const events: string[] = [];
  const onTick = ({ close }: DatafeedBar): number => events.push(`tick ${close}`);
  feed.subscribeBars(symbol, '1', onTick, 'chart', () => events.push('reset'));
  await vi.waitFor(() => expect(follow).toHaveBeenCalledTimes(isFollowedAgain ? 3 : 1));
  // More turns than resubscribing takes.
  for (let turn = 0; turn < 20; turn += 1) await wait(0);
  feed.unsubscribeBars('chart');
  expect(follow).toHaveBeenCalledTimes(isFollowedAgain ? 3 : 1);
  expect(waits).toEqual(isFollowedAgain ? [5_000, 10_000] : []);
  // The chart reloads when the service answers again, not before.
  expect(events.filter((event) => event === 'reset')).toHaveLength(isFollowedAgain ? 2 : 1);
  expect(events.includes('tick 90')).toBe(isFollowedAgain);
  if (isFollowedAgain) expect(events.slice(events.lastIndexOf('reset'))).toContain('tick 90');
});

function apiError(status: number): ApiError {
  return new ApiError({ status, message: 'refused', meta: {}, retryAfterMs: undefined });
}
