import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { RecordedSocket } from '../../testing/recorded-socket.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
let clock: ManualClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 3, clock, sources: ['hyperliquid'] });
});

afterEach(() => simulator.close());

async function ask(body: unknown): Promise<Response> {
  return fetch(`${simulator.url}/hyperliquid/info`, { method: 'POST', body: JSON.stringify(body) });
}

describe('the venue’s limits', () => {
  it('allow 1200 of weight in any minute: sixty heavy questions, then 429 with the body null', async () => {
    for (let i = 0; i < 60; i += 1) expect((await ask({ type: 'perpCategories' })).status).toBe(200);
    expect(simulator.violations['hyperliquid']).toEqual({});
    const refused = await ask({ type: 'perpCategories' });
    expect([refused.status, await refused.text()]).toEqual([429, 'null']);
    expect(simulator.violations['hyperliquid']).toEqual({ weight: 1 });
    clock.advance(59_999);
    expect((await ask({ type: 'exchangeStatus' })).status).toBe(429);
    clock.advance(1);
    expect((await ask({ type: 'exchangeStatus' })).status).toBe(200);
  });

  it('count the rows of an answer, too', async () => {
    const week = { type: 'fundingHistory', coin: 'BTC', startTime: T0 - 400 * 3_600_000 };
    let answered = 0;
    while ((await ask(week)).status === 200) answered += 1;
    // 20 and one more for each 20 of 400 rows.
    expect(answered).toBe(30);
  });

  it('allow ten sockets, and refuse the eleventh as a proxy does', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 10 }, () => RecordedSocket.open(simulator.url, '/hyperliquid/ws')),
    );
    await expect(RecordedSocket.open(simulator.url, '/hyperliquid/ws')).rejects.toThrow('429');
    expect(simulator.violations['hyperliquid']).toEqual({ sockets: 1 });
    sockets[0]!.close();
    await vi.waitFor(async () => {
      await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
    });
  });

  it('allow thirty new sockets a minute', async () => {
    const cycle = async (): Promise<void> => {
      const socket = await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
      socket.close();
      await vi.waitUntil(() => socket.end !== undefined);
    };
    for (let i = 0; i < 30; i += 1) await cycle();
    await expect(cycle()).rejects.toThrow('429');
    expect(simulator.violations['hyperliquid']).toEqual({ newSockets: 1 });
    clock.advance(60_000);
    await cycle();
  });

  it('allow 1000 subscriptions over all sockets', async () => {
    const socket = await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
    const coins = simulator.market.coins.filter((coin) => !coin.isDelisted).map((coin) => coin.name);
    const intervals = ['1m', '3m', '5m', '15m'];
    const coarse = [{}, ...[2, 3, 4, 5].map((nSigFigs) => ({ nSigFigs }))];
    const coarser = [2, 5].map((mantissa) => ({ nSigFigs: 5, mantissa }));
    const grains = [...coarse, ...coarser].flatMap((grain) => [grain, { ...grain, fast: true }]);
    const wanted = coins.flatMap((coin) => [
      ...['trades', 'bbo', 'activeAssetCtx'].map((type) => ({ type, coin })),
      ...grains.map((grain) => ({ type: 'l2Book', coin, ...grain })),
      ...intervals.map((interval) => ({ type: 'candle', coin, interval })),
    ]);
    expect(wanted.length).toBeGreaterThan(1000);
    for (const subscription of wanted.slice(0, 1001)) socket.subscribe(subscription);
    await vi.waitUntil(() => socket.data('error').length > 0, { timeout: 15_000 });
    expect(socket.data('error')).toEqual(['Cannot track more than 1000 total subscriptions.']);
    expect(simulator.violations['hyperliquid']).toEqual({ subscriptions: 1 });
  });

  it('allow 2000 messages a minute over all sockets', async () => {
    const socket = await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
    for (let i = 0; i < 2001; i += 1) socket.send({ method: 'ping' });
    await vi.waitUntil(() => socket.data('error').length > 0);
    expect(socket.data('error')).toEqual(['Too many messages sent.']);
    expect(simulator.violations['hyperliquid']).toEqual({ messages: 1 });
  });
});
