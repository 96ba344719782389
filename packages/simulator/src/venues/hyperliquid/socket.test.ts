import { inflateRawSync } from 'node:zlib';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TradeRows } from '../../market/trade-rows.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { RecordedSocket } from '../../testing/recorded-socket.ts';
import type { WireTrade } from './print.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
let clock: ManualClock;
let simulator: Simulator;
let socket: RecordedSocket;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 21, clock, sources: ['hyperliquid'] });
  socket = await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
});

afterEach(() => simulator.close());

interface BookData {
  readonly coin: string;
  readonly time: number;
  readonly levels: readonly (readonly unknown[])[];
  readonly fast?: boolean;
}

/** Subscribes and waits for the acknowledgement and the first frame. */
async function join(
  subscription: Readonly<Record<string, unknown>>,
  channel = subscription['type'],
): Promise<void> {
  const before = socket.data(String(channel)).length;
  socket.subscribe(subscription);
  await vi.waitUntil(() => socket.data(String(channel)).length > before);
}

describe('the socket', () => {
  it('greets in plain text, answers pings, and echoes a subscription', async () => {
    socket.send({ method: 'ping' });
    await join({ type: 'trades', coin: 'BTC' });
    expect(socket.frames[0]).toBe('Websocket connection established.');
    expect(socket.frames[1]).toBe('{"channel":"pong"}');
    expect(socket.data('subscriptionResponse')).toEqual([
      { method: 'subscribe', subscription: { type: 'trades', coin: 'BTC' } },
    ]);
  });

  it('complains in the words of the venue', async () => {
    await join({ type: 'trades', coin: 'BTC' });
    socket.subscribe({ type: 'trades', coin: 'BTC' });
    socket.subscribe({ type: 'trades', coin: 'NOPE' });
    socket.subscribe({ type: 'candle', coin: 'BTC', interval: '7m' });
    socket.send({ method: 'unsubscribe', subscription: { type: 'trades', coin: 'ETH' } });
    socket.send('not json');
    socket.send({ method: 'dance' });
    await vi.waitUntil(() => socket.data('error').length === 6);
    expect(socket.data('error')).toEqual([
      'Already subscribed: {"type":"trades","coin":"BTC"}',
      'Invalid subscription {"type":"trades","coin":"NOPE"}',
      'Invalid subscription {"type":"candle","coin":"BTC","interval":"7m"}',
      'Already unsubscribed: {"type":"trades","coin":"ETH"}',
      'Error parsing JSON into valid websocket request: not json',
      'Error parsing JSON into valid websocket request: {"method":"dance"}',
    ]);
  });

  it('back-fills a new subscriber of trades first, then sends every block once and in order', async () => {
    await join({ type: 'trades', coin: 'BTC' });
    clock.advance(60_000);
    const expected = idsOf(0, 60_000);
    await vi.waitUntil(() => socket.data<WireTrade[]>('trades').flat().length === 10 + expected.length);
    const [backfill, ...blocks] = socket.data<WireTrade[]>('trades');
    expect(backfill).toHaveLength(10);
    expect(backfill!.map((trade) => trade.tid)).toEqual(idsOf(-60_000, 0).slice(-10));
    expect(blocks.flat().map((trade) => trade.tid)).toEqual(expected);
    for (const block of blocks) expect(new Set(block.map((trade) => trade.time)).size).toBe(1);
    const times = blocks.map((block) => block[0]!.time);
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
  });

  it('stops sending what was unsubscribed', async () => {
    await join({ type: 'trades', coin: 'BTC' });
    socket.send({ method: 'unsubscribe', subscription: { type: 'trades', coin: 'BTC' } });
    await vi.waitUntil(() => socket.data('subscriptionResponse').length === 2);
    clock.advance(20_000);
    socket.send({ method: 'ping' });
    await vi.waitUntil(() => socket.frames.at(-1) === '{"channel":"pong"}');
    expect(socket.data('trades')).toHaveLength(1);
  });

  it('sends the full book of 20 levels every 5 s, and the fast one of 5 every half second', async () => {
    await join({ type: 'l2Book', coin: 'ETH', nSigFigs: null, mantissa: null });
    await join({ type: 'l2Book', coin: 'ETH', fast: true });
    clock.advance(10_100);
    await vi.waitUntil(() => socket.data<BookData>('l2Book').length >= 20);
    const books = socket.data<BookData>('l2Book');
    const full = books.filter((book) => book.fast !== true);
    const fast = books.filter((book) => book.fast === true);
    expect(full).toHaveLength(2);
    expect(fast.length).toBeGreaterThanOrEqual(16);
    expect(full.every((book) => book.levels.every((side) => side.length === 20))).toBe(true);
    expect(fast.every((book) => book.levels.every((side) => side.length === 5))).toBe(true);
  });

  it('sends the best bid and offer only when it has changed', async () => {
    await join({ type: 'bbo', coin: 'TRX' });
    clock.advance(60_000);
    await vi.waitUntil(() => socket.data('bbo').length > 3);
    const reported = socket.data<{ bbo: unknown }>('bbo').map(({ bbo }) => JSON.stringify(bbo));
    expect(reported.length).toBeLessThan(60_000 / 128);
    for (let i = 2; i < reported.length; i += 1) expect(reported[i]).not.toBe(reported[i - 1]);
  });

  it('sends contexts of one coin, of a dex and of all, and mids, as the market has them', async () => {
    await join({ type: 'activeAssetCtx', coin: 'SOL' });
    await join({ type: 'assetCtxs', dex: '' });
    await join({ type: 'allDexsAssetCtxs' });
    await join({ type: 'allMids' });
    await join({ type: 'allMids', dex: 'xyz' });
    const [one] = socket.data<{ ctx: { openInterest: string } }>('activeAssetCtx');
    expect(Number(one!.ctx.openInterest)).toBeCloseTo(simulator.market.openInterest('SOL', T0), 1);
    const [main] = socket.data<{ dex: string; ctxs: unknown[] }>('assetCtxs');
    expect(main!.ctxs).toHaveLength(simulator.market.coins.filter((coin) => coin.dex === '').length);
    const [all] = socket.data<{ ctxs: [string, unknown[]][] }>('allDexsAssetCtxs');
    expect(all!.ctxs.map(([dex]) => dex)).toEqual(['', 'xyz']);
    const [mids, builder] = socket.data<{ mids: Record<string, string>; dex?: string }>('allMids');
    expect(Number(mids!.mids['BTC'])).toBe(simulator.market.quote('BTC', T0).mid);
    expect(mids!.mids).toHaveProperty('PURR/USDC');
    expect(builder!.dex).toBe('xyz');
    clock.advance(5000);
    await vi.waitUntil(() => socket.data('assetCtxs').length >= 4);
  });

  it('packs fast contexts as base64 of raw DEFLATE, whole at first and then what changed', async () => {
    await join({ type: 'fastAssetCtxs' });
    clock.advance(3000);
    await vi.waitUntil(() => socket.data('fastAssetCtxs').length >= 3);
    const [whole, change] = socket
      .data<string>('fastAssetCtxs')
      .map(
        (text): Record<string, { markPx?: string }> =>
          JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString()),
      );
    expect(Object.keys(whole!)).toHaveLength(simulator.market.coins.length);
    expect(JSON.stringify(change).length).toBeLessThan(JSON.stringify(whole).length);
    for (const [coin, { markPx }] of Object.entries(change!)) {
      if (markPx !== undefined) expect(markPx).not.toBe(whole![coin]!.markPx);
    }
  });

  it('sends the candle in progress as it grows', async () => {
    clock.advance(5000);
    await join({ type: 'candle', coin: 'BTC', interval: '1m' });
    clock.advance(20_000);
    await vi.waitUntil(() => socket.data('candle').length > 5);
    const candles = socket.data<{ t: number; n: number; s: string; i: string }>('candle');
    expect(candles.every((candle) => candle.t === T0 && candle.s === 'BTC' && candle.i === '1m')).toBe(true);
    expect(candles.map((candle) => candle.n)).toEqual(
      candles.map((candle) => candle.n).toSorted((a, b) => a - b),
    );
  });

  it('answers info questions over the socket', async () => {
    socket.send({
      method: 'post',
      id: 4,
      request: { type: 'info', payload: { type: 'l2Book', coin: 'BTC' } },
    });
    socket.send({ method: 'post', id: 5, request: { type: 'info', payload: { type: 'nope' } } });
    await vi.waitUntil(() => socket.data('post').length === 2);
    const [book, refusal] = socket
      .data<{ id: number; response: { type: string; payload: unknown } }>('post')
      .toSorted((a, b) => a.id - b.id);
    expect(book).toMatchObject({
      id: 4,
      response: { type: 'info', payload: { type: 'l2Book', data: { coin: 'BTC' } } },
    });
    expect(refusal).toMatchObject({ id: 5, response: { type: 'error' } });
  });

  it('closes a connection to which it has sent nothing for a minute', async () => {
    await vi.waitUntil(() => socket.frames.length === 1);
    clock.advance(59_000);
    socket.send({ method: 'ping' });
    await vi.waitUntil(() => socket.frames.length === 2);
    clock.advance(59_000);
    expect(socket.end).toBeUndefined();
    clock.advance(3000);
    await vi.waitUntil(() => socket.end === '1000');
  });

  it('says the same on the same seed and clock, byte for byte', async () => {
    const first = await session();
    expect(first.length).toBeGreaterThan(50);
    expect(await session()).toEqual(first);
  });
});

/** Ids of the market's trades after one time and up to another, both counted from the start. */
function idsOf(afterMs: number, untilMs: number): number[] {
  const coin = simulator.market.coins.find((one) => one.name === 'BTC')!;
  const rows = new TradeRows(simulator.market).read(coin, T0 + afterMs + 1, T0 + untilMs + 1);
  return rows.map((row) => row.tid);
}

/** Everything that a client receives in half a minute from its own simulator. */
async function session(): Promise<string[]> {
  const ownClock = new ManualClock(T0);
  const own = await startSimulator({ port: 0, seed: 21, clock: ownClock, sources: ['hyperliquid'] });
  const client = await RecordedSocket.open(own.url, '/hyperliquid/ws');
  for (const type of ['trades', 'bbo', 'l2Book', 'activeAssetCtx']) client.subscribe({ type, coin: 'ETH' });
  await vi.waitUntil(() => client.data('activeAssetCtx').length === 1);
  ownClock.advance(30_000);
  client.send({ method: 'ping' });
  await vi.waitUntil(() => client.frames.at(-1) === '{"channel":"pong"}');
  await own.close();
  return client.frames;
}
