import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Fault, readFault } from './fault.ts';
import { TradeRows } from './market/trade-rows.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { RecordedSocket } from './testing/recorded-socket.ts';
import type { WireTrade } from './venues/hyperliquid/print.ts';
import { coinsOfVenues } from '../../../test/world-coins.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const venue = 'hyperliquid';
let clock: ManualClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 44, clock, coins: coinsOfVenues });
});

afterEach(() => simulator.close());

function ask(body: unknown = { type: 'exchangeStatus' }, signal?: AbortSignal): Promise<Response> {
  return fetch(`${simulator.url}/hyperliquid/info`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

async function json<Answer>(body: unknown): Promise<Answer> {
  const answer: Answer = JSON.parse(await (await ask(body)).text());
  return answer;
}

/** Ids, sorted, of the trades before a time. */
function idsBefore(trades: readonly WireTrade[], beforeMs: number): number[] {
  return trades
    .filter((trade) => trade.time < beforeMs)
    .map((trade) => trade.tid)
    .toSorted((a, b) => a - b);
}

/** A socket that has had its back-fill of BTC trades. */
async function openTrades(): Promise<RecordedSocket> {
  const socket = await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
  socket.subscribe({ type: 'trades', coin: 'BTC' });
  await vi.waitUntil(() => socket.data('trades').length === 1);
  return socket;
}

/** Frames of the trades channel in a minute of market after the back-fill. */
async function emit(socket: RecordedSocket): Promise<WireTrade[]> {
  clock.advance(60_000);
  socket.send({ method: 'ping' });
  await vi.waitUntil(() => socket.frames.at(-1) === '{"channel":"pong"}');
  return socket.data<WireTrade[]>('trades').slice(1).flat();
}

describe('on requests', () => {
  it.each([403, 404, 418, 422, 429, 451, 500] as const)('answers %i', async (status) => {
    simulator.faults.add({ venue, fault: 'status', status });
    expect((await ask()).status).toBe(status);
    simulator.faults.clear();
    expect((await ask()).status).toBe(200);
  });

  it('says when to come back, where asked to', async () => {
    simulator.faults.add({ venue, fault: 'status', status: 418, retryAfterS: 17 });
    expect((await ask()).headers.get('retry-after')).toBe('17');
    simulator.faults.clear();
    simulator.faults.add({ venue, fault: 'status', status: 429 });
    expect((await ask()).headers.get('retry-after')).toBeNull();
  });

  it.each([200, 403, 503] as const)('puts up a wall against programs with status %i', async (status) => {
    simulator.faults.add({ venue, fault: 'wall', status });
    const response = await ask();
    expect(response.status).toBe(status);
    expect(await response.text()).toContain('<title>Just a moment...</title>');
  });

  it('calls a field by another name', async () => {
    simulator.faults.add({ venue, fault: 'rename', field: 'specialStatuses' });
    expect(await json({ type: 'exchangeStatus' })).toHaveProperty('specialStatusesX');
  });

  it('answers late on the simulator’s clock', async () => {
    simulator.faults.add({ venue, fault: 'slow', delayMs: 30_000, part: 'rest' });
    let isAnswered = false;
    const answer = ask().then((response) => {
      isAnswered = true;
      return response;
    });
    await vi.waitUntil(() => simulator.faults.list()[0]?.hits === 1);
    clock.advance(29_999);
    expect(isAnswered).toBe(false);
    clock.advance(1);
    expect((await answer).status).toBe(200);
  });

  it('never answers while it hangs, and does again afterwards', async () => {
    simulator.faults.add({ venue, fault: 'hang', part: 'rest' });
    const patience = new AbortController();
    const answer = ask(undefined, patience.signal);
    await vi.waitUntil(() => simulator.faults.list()[0]?.hits === 1);
    patience.abort();
    await expect(answer).rejects.toThrow('aborted');
    simulator.faults.clear();
    expect((await ask()).status).toBe(200);
  });

  it('refuses connections', async () => {
    simulator.faults.add({ venue, fault: 'refuse' });
    await expect(ask()).rejects.toThrow('fetch failed');
  });

  it('cuts the answer in the middle', async () => {
    simulator.faults.add({ venue, fault: 'cut', part: 'rest' });
    const response = await ask({ type: 'meta' });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  it('answers noise, half a text, or other types', async () => {
    const whole = await (await ask({ type: 'allMids' })).text();
    simulator.faults.add({ venue, fault: 'garbage', forMs: 1000 });
    const noise = await (await ask({ type: 'allMids' })).text();
    expect(() => void JSON.parse(noise)).toThrow(SyntaxError);
    clock.advance(1000);
    simulator.faults.add({ venue, fault: 'truncate', forMs: 1000 });
    const half = await (await ask({ type: 'allMids' })).text();
    expect(half.length).toBeLessThan(whole.length * 0.6);
    expect(whole.slice(0, 10)).toBe(half.slice(0, 10));
    clock.advance(1000);
    simulator.faults.add({ venue, fault: 'retype', field: 'openInterest' });
    const [, [context]] = await json<[unknown, { openInterest: unknown; markPx: unknown }[]]>({
      type: 'metaAndAssetCtxs',
    });
    expect([typeof context!.openInterest, typeof context!.markPx]).toEqual(['number', 'string']);
  });

  it('answers with empty lists, of rows or by name', async () => {
    simulator.faults.add({ venue, fault: 'empty' });
    simulator.faults.add({ venue: 'dydx', fault: 'empty' });
    expect(await json({ type: 'meta' })).toMatchObject({ universe: [] });
    const markets = await fetch(`${simulator.url}/dydx/v4/perpetualMarkets`);
    expect(await markets.json()).toEqual({ markets: {} });
  });

  it('sends the wrong time', async () => {
    simulator.faults.add({ venue, fault: 'skew', skewMs: -90_000 });
    expect(await json({ type: 'exchangeStatus' })).toEqual({ time: T0 - 90_000, specialStatuses: null });
  });

  it('loses, repeats and turns round recent trades', async () => {
    const trades = await json<WireTrade[]>({ type: 'recentTrades', coin: 'BTC' });
    const faulty = async (fault: 'drop' | 'duplicate' | 'reorder'): Promise<WireTrade[]> => {
      simulator.faults.clear();
      simulator.faults.add({ venue, fault });
      return json<WireTrade[]>({ type: 'recentTrades', coin: 'BTC' });
    };
    expect(await faulty('drop')).toEqual([]);
    expect(await faulty('duplicate')).toEqual(trades.flatMap((trade) => [trade, trade]));
    expect(await faulty('reorder')).toEqual(trades.toReversed());
  });
});

describe('on sockets', () => {
  it('refuses, hangs or answers with a status when one is opened', async () => {
    const opening = (): Promise<RecordedSocket> => RecordedSocket.open(simulator.url, '/hyperliquid/ws');
    simulator.faults.add({ venue, fault: 'refuse', part: 'ws' });
    await expect(opening()).rejects.toThrow('socket hang up');
    simulator.faults.clear();
    simulator.faults.add({ venue, fault: 'status', status: 451, part: 'ws' });
    await expect(opening()).rejects.toThrow('451');
    simulator.faults.clear();
    const { id } = simulator.faults.add({ venue, fault: 'hang', part: 'ws' });
    const hung = opening().catch((error: unknown) => error);
    await vi.waitUntil(() => simulator.faults.list()[0]?.hits === 1);
    simulator.faults.clear({ id });
    await opening();
    await simulator.close();
    expect(await hung).toBeInstanceOf(Error);
  });

  it('freezes: open, silent, not even a pong; and thaws', async () => {
    const socket = await openTrades();
    const frames = socket.frames.length;
    simulator.faults.add({ venue, fault: 'freeze', forMs: 120_000 });
    socket.send({ method: 'ping' });
    socket.ping();
    await vi.waitUntil(() => simulator.faults.list()[0]?.hits === 2);
    clock.advance(100_000);
    expect(simulator.faults.list()[0]?.hits).toBeGreaterThan(20);
    expect([socket.frames.length, socket.pongs, socket.end]).toEqual([frames, 0, undefined]);
    clock.advance(30_000);
    socket.ping();
    await vi.waitUntil(() => socket.pongs === 1 && socket.frames.length > frames);
  });

  it('cuts a connection in the middle of a frame', async () => {
    const socket = await openTrades();
    simulator.faults.add({ venue, fault: 'cut', part: 'ws' });
    clock.advance(20_000);
    await vi.waitUntil(() => socket.end !== undefined);
    expect(socket.end).toBe('1006');
    expect(socket.data('trades')).toHaveLength(1);
    simulator.faults.clear();
    await openTrades();
  });

  it('sends late, but in order', async () => {
    const socket = await openTrades();
    const frames = socket.frames.length;
    simulator.faults.add({ venue, fault: 'slow', delayMs: 5000, forMs: 10_000 });
    clock.advance(4900);
    socket.ping();
    await vi.waitUntil(() => socket.pongs === 1);
    expect(socket.frames.length).toBe(frames);
    clock.advance(55_100);
    const reported = await emit(socket);
    expect(reported.length).toBeGreaterThan(50);
    expect(reported.map((trade) => trade.time)).toEqual(
      reported.map((trade) => trade.time).toSorted((a, b) => a - b),
    );
  });

  it('loses trades at the chance it is given', async () => {
    const socket = await openTrades();
    simulator.faults.add({ venue, fault: 'drop', probability: 0.3, part: 'ws' });
    const reported = await emit(socket);
    const coin = simulator.market.coins.find(({ name }) => name === 'BTC')!;
    const happened = new TradeRows(simulator.market)
      .read(coin, T0 + 1, clock.now() + 1)
      .map((row) => row.tid);
    const kept = new Set(reported.map((trade) => trade.tid));
    expect(happened.filter((tid) => kept.has(tid))).toEqual(reported.map((trade) => trade.tid));
    expect(reported.length / happened.length).toBeGreaterThan(0.5);
    expect(reported.length / happened.length).toBeLessThan(0.9);
  });

  it('repeats trades', async () => {
    const socket = await openTrades();
    simulator.faults.add({ venue, fault: 'duplicate' });
    const reported = await emit(socket);
    expect(reported.length).toBeGreaterThan(50);
    expect(new Set(reported.map((trade) => trade.tid)).size).toBe(reported.length / 2);
  });

  it('sends older trades after newer ones, and loses none once it is over', async () => {
    const [straight, odd] = [await openTrades(), await openTrades()];
    simulator.faults.add({ venue, fault: 'reorder', probability: 0.5, forMs: 60_000 });
    clock.advance(60_000);
    const [reported, expected] = [await emit(odd), await emit(straight)];
    const times = reported.map((trade) => trade.time);
    expect(times).not.toEqual(times.toSorted((a, b) => a - b));
    const ids = idsBefore(expected, T0 + 100_000);
    expect(ids.length).toBeGreaterThan(100);
    expect(idsBefore(reported, T0 + 100_000)).toEqual(ids);
  });

  it('sends noise, half frames, or other types', async () => {
    const socket = await openTrades();
    const say = async (fault: Fault): Promise<string> => {
      simulator.faults.clear();
      simulator.faults.add(fault);
      const before = socket.frames.length;
      clock.advance(20_000);
      await vi.waitUntil(() => socket.frames.length > before);
      return socket.frames[before]!;
    };
    const noise = await say({ venue, fault: 'garbage' });
    expect(() => void JSON.parse(noise)).toThrow(SyntaxError);
    const half = await say({ venue, fault: 'truncate' });
    expect(half).toContain('{"channel":"trades"');
    expect(() => void JSON.parse(half)).toThrow(SyntaxError);
    const other: { data: Record<string, unknown>[] } = JSON.parse(await say({ venue, fault: 'retype' }));
    expect([typeof other.data[0]!['px'], typeof other.data[0]!['time']]).toEqual(['number', 'string']);
  });

  it('sends the wrong time', async () => {
    const socket = await openTrades();
    simulator.faults.add({ venue, fault: 'skew', skewMs: 3_600_000 });
    const reported = await emit(socket);
    expect(reported.every((trade) => trade.time > T0 + 3_600_000)).toBe(true);
  });

  it('can strike one part alone', async () => {
    const socket = await openTrades();
    simulator.faults.add({ venue, fault: 'garbage', part: 'rest' });
    expect((await emit(socket)).length).toBeGreaterThan(20);
    expect((await (await ask()).text()).startsWith('{')).toBe(false);
  });
});

it('refuses in the words of the venue, and counts no violation', async () => {
  simulator.faults.add({ venue: 'deribit', fault: 'limit' });
  simulator.faults.add({ venue: 'hyperliquid', fault: 'limit' });
  const refused = await fetch(`${simulator.url}/deribit/api/v2/public/get_time`);
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 10_028 } }]);
  const info = await fetch(`${simulator.url}/hyperliquid/info`, { method: 'POST', body: '{"type":"meta"}' });
  expect([info.status, await info.text()]).toEqual([429, 'null']);
  expect(simulator.violations['deribit']).toEqual({});
});

it('refuses a fault of a venue that cannot have it', () => {
  const surge = { venue: 'binance', fault: 'surge', times: 9 };
  expect(() => readFault(surge, ['binance'])).toThrow('venue of a surge fault is one of farside');
});

describe('a fault with a path', () => {
  const get = (path: string): Promise<Response> => fetch(`${simulator.url}/binance${path}`);

  it('strikes only what is requested under it, query included', async () => {
    simulator.faults.add({ venue: 'binance', fault: 'status', status: 451, path: '/fapi/v1/fundingInfo' });
    simulator.faults.add({ venue: 'binance', fault: 'status', status: 429, path: 'symbol=BTCUSDC' });
    expect((await get('/fapi/v1/fundingInfo')).status).toBe(451);
    expect((await get('/fapi/v1/openInterest?symbol=BTCUSDC')).status).toBe(429);
    expect((await get('/fapi/v1/openInterest?symbol=BTCUSDT')).status).toBe(200);
  });

  it('lies in one answer and not in the next', async () => {
    simulator.faults.add({
      venue: 'binance',
      fault: 'rename',
      field: 'openInterest',
      path: '/openInterest?symbol=BTCUSDT',
    });
    expect(await (await get('/fapi/v1/openInterest?symbol=BTCUSDT')).text()).toContain('openInterestX');
    expect(await (await get('/fapi/v1/openInterest?symbol=ETHUSDT')).text()).not.toContain('openInterestX');
  });

  it('is refused where it makes no sense', () => {
    const read = (fault: object): unknown => readFault({ venue: 'binance', ...fault }, ['binance']);
    expect(() => read({ fault: 'skew', skewMs: 1, path: '/fapi' })).toThrow('a skew fault has no path');
    expect(() => read({ fault: 'hang', path: '' })).toThrow('path of a hang fault is a part of a path');
  });
});
