import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readScenario, SCENARIO_NAMES } from './scenario.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { RecordedSocket } from './testing/recorded-socket.ts';
import type { WireTrade } from './venues/hyperliquid/print.ts';
import { VENUE_SIMULATORS } from './venues/index.ts';

const T0 = Date.UTC(2026, 10, 16, 14, 30);
const IDLE = { connections: 0, subscriptions: 0, violations: {}, skippedMs: 0 };
let clock: ManualClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 2, clock });
});

afterEach(() => simulator.close());

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(simulator.url + path, {
    method,
    ...(body === undefined ? {} : { body: text }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

describe('the control API', () => {
  it('reports what runs', async () => {
    expect(await call('GET', '/sim')).toEqual({
      status: 200,
      body: {
        seed: 2,
        size: 'everyday',
        rate: 1,
        scenario: null,
        startedAtMs: T0,
        nowMs: T0,
        venues: Object.fromEntries(VENUE_SIMULATORS.map(({ id }) => [id, IDLE])),
        faults: [],
      },
    });
  });

  it('keeps connections open as long as the service does', async () => {
    const { headers } = await fetch(`${simulator.url}/sim`);
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('switches faults on, lists them, and off: by id, by venue, all', async () => {
    const fault = { venue: 'hyperliquid', fault: 'status', status: 451, forMs: 5000 };
    const added = await call('POST', '/sim/faults', fault);
    expect(added).toEqual({ status: 201, body: { id: 1, fault, sinceMs: T0, untilMs: T0 + 5000, hits: 0 } });
    await call('POST', '/sim/faults', { venue: 'hyperliquid', fault: 'freeze' });
    expect(await call('DELETE', '/sim/faults?id=1')).toEqual({ status: 200, body: { cleared: 1 } });
    expect((await call('DELETE', '/sim/faults?id=1')).status).toBe(404);
    expect((await call('GET', '/sim/faults')).body).toHaveLength(1);
    expect(await call('DELETE', '/sim/faults?venue=hyperliquid')).toEqual({
      status: 200,
      body: { cleared: 1 },
    });
    await call('POST', '/sim/faults', fault);
    clock.advance(5000);
    expect((await call('GET', '/sim/faults')).body).toEqual([]);
    expect(await call('DELETE', '/sim/faults')).toEqual({ status: 200, body: { cleared: 0 } });
  });

  it.each([
    ['nope', 'the body is not JSON'],
    [[], 'a fault is an object'],
    [{ venue: 'hyperliquid' }, 'fault is one of status, slow, hang'],
    [{ venue: 'nasdaq', fault: 'hang' }, 'venue of a hang fault is one of hyperliquid'],
    [
      { venue: 'hyperliquid', fault: 'status' },
      'status of a status fault is one of 403, 404, 418, 422, 429, 451, 500',
    ],
    [
      { venue: 'hyperliquid', fault: 'slow', delayMs: 0 },
      'delayMs of a slow fault is a whole number from 1 to 600000',
    ],
    [
      { venue: 'hyperliquid', fault: 'drop', probability: 2 },
      'probability of a drop fault is a number above 0',
    ],
    [{ venue: 'hyperliquid', fault: 'drop', part: 'fax' }, 'part of a drop fault is one of rest, ws'],
    [{ venue: 'hyperliquid', fault: 'freeze', part: 'rest' }, 'part of a freeze fault is one of ws'],
    [{ venue: 'hyperliquid', fault: 'drop', forMs: -1 }, 'forMs of a drop fault is a whole number'],
    [{ venue: 'hyperliquid', fault: 'drop', delay: 1 }, 'a drop fault has no delay'],
    [{ venue: 'hyperliquid', fault: 'retype', field: '' }, 'field of a retype fault is a name'],
  ])('refuses the fault %j in words', async (fault, sentence) => {
    const { status, body } = await call('POST', '/sim/faults', fault);
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringContaining(sentence) });
  });

  it.each([
    [
      'POST',
      '/sim/burst',
      { venue: 'hyperliquid', coin: 'BTC', trades: 0 },
      400,
      'trades is a whole number from 1',
    ],
    [
      'POST',
      '/sim/burst',
      { venue: 'hyperliquid', coin: 'NOPE', trades: 1 },
      400,
      'no such coin on hyperliquid: NOPE',
    ],
    ['POST', '/sim/burst', { venue: 'nasdaq', coin: 'BTC', trades: 1 }, 400, 'venue is one of hyperliquid'],
    ['POST', '/sim/burst', { venue: 'hyperliquid', coin: 'BTC', trades: 1, x: 1 }, 400, 'a burst has no x'],
    ['DELETE', '/sim/faults?id=x', undefined, 400, 'id is a whole number'],
    ['DELETE', '/sim/faults?all=1', undefined, 400, 'there is no parameter all'],
    ['PUT', '/sim/faults', {}, 405, '/sim/faults takes GET, POST, DELETE, not PUT'],
    ['GET', '/sim/secrets', undefined, 404, 'no such path: /sim/secrets'],
  ])('refuses %s %s %j in words', async (method, path, body, status, sentence) => {
    expect(await call(method, path, body)).toEqual({
      status,
      body: { error: expect.stringContaining(sentence) },
    });
  });

  it('puts a burst into the next block, at prices of its book, and keeps it among the recent trades', async () => {
    const socket = await RecordedSocket.open(simulator.url, '/hyperliquid/ws');
    socket.subscribe({ type: 'trades', coin: 'TRX' });
    await vi.waitUntil(() => socket.data('trades').length === 1);
    const burst = await call('POST', '/sim/burst', { venue: 'hyperliquid', coin: 'TRX', trades: 5000 });
    expect(burst.status).toBe(202);
    clock.advance(400);
    await vi.waitUntil(() => socket.data('trades').length > 1);
    const [, block] = socket.data<WireTrade[]>('trades');
    expect(block!.length).toBeGreaterThanOrEqual(5000);
    expect(new Set(block!.map((trade) => trade.time)).size).toBe(1);
    const book = simulator.market.book('TRX', block![0]!.time, 10);
    const prices = new Set([...book.asks, ...book.bids].map((level) => level.price));
    expect(block!.every((trade) => prices.has(Number(trade.px)))).toBe(true);
    const recent = await fetch(`${simulator.url}/hyperliquid/info`, {
      method: 'POST',
      body: '{"type":"recentTrades","coin":"TRX"}',
    });
    const rows: WireTrade[] = JSON.parse(await recent.text());
    expect(rows[0]!.time).toBe(block![0]!.time);
  });
});

describe('scenarios', () => {
  it('that are built in can all be read', async () => {
    for (const name of SCENARIO_NAMES) expect((await readScenario(name)).name).toBe(name);
  });

  it('switch their faults on in time, and again when they repeat', async () => {
    const path = join(tmpdir(), `scenario-${process.pid}.json`);
    const steps = [
      { atMs: 1000, venue: 'hyperliquid', fault: 'hang', forMs: 500 },
      { atMs: 3000, everyMs: 2000, venue: 'hyperliquid', fault: 'drop', forMs: 1000 },
    ];
    await writeFile(path, JSON.stringify(steps));
    const own = await startSimulator({ port: 0, seed: 2, clock, scenario: await readScenario(path) });
    const seen: string[] = [];
    for (let i = 0; i < 16; i += 1) {
      clock.advance(500);
      seen.push(own.faults.list()[0]?.fault.fault ?? '-');
    }
    expect(seen.join(' ')).toBe('- hang - - - drop drop - - drop drop - - drop drop -');
    await own.close();
    clock.advance(10_000);
    expect(own.faults.list()).toEqual([]);
  });

  it.each([
    ['{', 'is not JSON'],
    ['{}', 'is not a list of steps'],
    ['[1]', 'step 1: a step is an object'],
    ['[{"atMs":-1}]', 'step 1: atMs is a whole number'],
    ['[{"atMs":0,"venue":"hyperliquid","fault":"nap"}]', 'step 1: fault is one of'],
    ['[{"atMs":0,"everyMs":10,"venue":"hyperliquid","fault":"hang"}]', 'a step that repeats has a forMs'],
  ])('that say %s are refused in words', async (text, sentence) => {
    const path = join(tmpdir(), `scenario-bad-${process.pid}.json`);
    await writeFile(path, text);
    await expect(readScenario(path)).rejects.toThrow(sentence);
  });

  it('that do not exist are refused with the names of those that do', async () => {
    await expect(readScenario('no/such')).rejects.toThrow(
      'no scenario no/such: neither one of calm, outage, frozen, messy-tape, lying, limited, blocked, flaky nor a file',
    );
  });
});
