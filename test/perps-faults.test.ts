import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, World } from './world.ts';

const MINUTE_MS = 60_000;
/** Between two checks of the service; each takes time of its own. */
const LOOK_EVERY_MS = 5_000;

/** Two spot venues say what a USDT is worth. */
const worldSources = ['binance', 'bitget', 'bybit', 'okx', 'coinbase', 'kraken-spot'];

const questions = {
  openInterest: '/perps/oi?coins=BTC,ETH,XRP&venues=binance',
  inParts: '/perps/oi?coins=BTC,SOL&venues=bitget',
  ofOneAnswer: '/perps/oi?coins=BTC&venues=bybit',
  funding: '/perps/funding?coins=BTC&venues=bybit,hyperliquid',
  byPeriods: '/perps/funding?coins=BTC&venues=binance,hyperliquid',
} as const;

type Reply = Readonly<Record<keyof typeof questions, Answer>>;

interface Source {
  readonly source: string;
  readonly status: string;
  readonly coins?: readonly string[];
}

let world: World;
beforeAll(async () => {
  world = await World.open({ rate: 0.02, stepMs: 1_000, sources: worldSources });
  await look(async () => isWell(await askAll()), 5 * MINUTE_MS);
}, 600_000);
afterAll(() => world.close());

async function ask(path: string): Promise<Answer> {
  return (await world.json(path)).body;
}

async function askAll(): Promise<Reply> {
  const answer = await Promise.all(
    Object.entries(questions).map(async ([name, path]) => [name, await ask(path)] as const),
  );
  return Object.fromEntries(answer) as Reply;
}

function isWell(answer: Reply): boolean {
  const answers = Object.values(answer);
  const isAll = answer.openInterest.data.length === 3 && answer.inParts.data.length === 2;
  return isAll && answers.every(({ data, meta }) => data.length > 0 && meta['sources'] === undefined);
}

/** Looks now and then, until it holds. */
async function look(holds: () => Promise<boolean>, withinMs: number): Promise<void> {
  const deadlineMs = world.clock.now() + withinMs;
  while (!(await world.meanwhile(holds()))) {
    expect(world.clock.now()).toBeLessThan(deadlineMs);
    await world.run(LOOK_EVERY_MS);
  }
}

async function strike(fault: object): Promise<void> {
  const { status } = await fetch(`${world.simulator.url}/sim/faults`, {
    method: 'POST',
    body: JSON.stringify({ part: 'rest', ...fault }),
  });
  expect(status).toBe(201);
}

async function clear(): Promise<void> {
  await fetch(`${world.simulator.url}/sim/faults`, { method: 'DELETE' });
}

function sourcesOf({ meta }: Answer): readonly Source[] {
  return (meta['sources'] ?? []) as Source[];
}

function pick({ data }: Answer, ...fields: readonly string[]): string[] {
  return data.map((row) => fields.map((field) => row[field]).join(' '));
}

function usdOf({ data }: Answer): number {
  return data.find(({ coin }) => coin === 'BTC')?.['oiUsd'] as number;
}

describe('while some calls of some venues are failing', () => {
  let before: Reply;
  let soon: Reply;
  let later: Reply;
  let after: Reply;
  let only: number;
  let sinceMs: number;

  beforeAll(async () => {
    before = await askAll();
    sinceMs = world.clock.now();
    await strike({ venue: 'binance', fault: 'rename', field: 'openInterest', path: 'symbol=BTCUSDC' });
    await strike({ venue: 'binance', fault: 'status', status: 500, path: 'fundingInfo' });
    await strike({ venue: 'bitget', fault: 'status', status: 451, path: 'tickers?productType=USDC' });
    await strike({ venue: 'bybit', fault: 'retype', field: 'fundingRate', path: '/v5/market/tickers' });
    await strike({ venue: 'okx', fault: 'garbage', path: 'funding-rate' });
    await world.run(5 * MINUTE_MS);
    soon = await askAll();
    await world.run(10 * MINUTE_MS);
    later = await askAll();
    only = (await world.json('/perps/funding?coins=BTC&venues=bybit')).status;
    await strike({ venue: 'hyperliquid', fault: 'refuse' });
    await world.run(10 * MINUTE_MS);
    await clear();
    await look(async () => isWell(await askAll()), 10 * MINUTE_MS);
    after = await askAll();
    await world.run(12 * MINUTE_MS);
  }, 900_000);

  it('a contract that is not reported keeps its value, then its coin is left out and named', () => {
    expect(pick(soon.openInterest, 'coin')).toEqual(['BTC', 'ETH', 'XRP']);
    expect(Math.abs(usdOf(soon.openInterest) / usdOf(before.openInterest) - 1)).toBeLessThan(0.05);
    expect(soon.openInterest.meta).toMatchObject({
      stale: true,
      partial: false,
      sources: [{ coins: ['BTC'] }],
    });
    expect(pick(later.openInterest, 'coin')).toEqual(['ETH', 'XRP']);
    expect(later.openInterest.meta).toMatchObject({
      partial: true,
      sources: [{ ageMs: null, coins: ['BTC'] }],
    });
    expect(Math.abs(usdOf(after.openInterest) / usdOf(before.openInterest) - 1)).toBeLessThan(0.05);
  });

  it('a part of a venue that is blocked concerns what it is a part of, and nothing else', () => {
    const source = { source: 'bitget:usdc-tickers', status: 'blocked', coins: ['BTC'] };
    expect(pick(soon.inParts, 'coin')).toEqual(['BTC', 'SOL']);
    expect(sourcesOf(soon.inParts)).toMatchObject([source]);
    expect(pick(later.inParts, 'coin')).toEqual(['SOL']);
    expect(sourcesOf(later.inParts)).toMatchObject([source]);
  });

  it('a field that lies costs its own table: funding is stale and then missing, open interest is well', () => {
    expect(sourcesOf(soon.funding)).toMatchObject([{ source: 'bybit:tickers', status: 'changed' }]);
    expect(soon.funding.meta['stale']).toBe(true);
    expect(pick(later.funding, 'venue')).toEqual(['hyperliquid']);
    expect(later.funding.meta['partial']).toBe(true);
    expect(only).toBe(503);
    for (const { ofOneAnswer } of [soon, later]) {
      expect(ofOneAnswer.data).toHaveLength(1);
      expect(ofOneAnswer.meta).not.toHaveProperty('sources');
    }
  });

  it('funding does not use an outdated interval', () => {
    const source = { source: 'binance:fundingInfo', coins: ['BTC'] };
    expect(pick(soon.byPeriods, 'venue').toSorted()).toEqual(['binance', 'hyperliquid']);
    expect(sourcesOf(soon.byPeriods)).toMatchObject([source]);
    expect(pick(later.byPeriods, 'venue')).toEqual(['hyperliquid']);
    expect(sourcesOf(later.byPeriods)).toMatchObject([source]);
  });

  it('history has no samples for failing venues, no repeated samples, and all samples of the others', async () => {
    const since = `coin=BTC&sinceMs=${sinceMs + 5 * MINUTE_MS}`;
    const { data } = await ask(`/perps/funding/history?${since}`);
    const { points } = data as unknown as { points: { ts: number; byVenue: Record<string, number> }[] };
    const answer = points.map(({ byVenue }) => Object.keys(byVenue).toSorted().join('+'));
    expect(answer[0]).toBe('hyperliquid');
    expect(answer.at(-1)).toBe('binance+bybit+hyperliquid+okx');
    const { data: series } = await ask(`/perps/oi/history?${since}`);
    const { points: held } = series as unknown as { points: { t: number }[] };
    expect(held.map(({ t }) => t)).toEqual(
      points.filter(({ byVenue }) => 'hyperliquid' in byVenue).map(({ ts }) => ts),
    );
    const samples = (world.clock.now() - (held[0]?.t ?? 0)) / (10 * MINUTE_MS);
    expect(held.length).toBeLessThan(Math.floor(samples) + 1);
  });
});

describe('positioning', () => {
  it.each([
    { name: 'down', fault: { fault: 'refuse' }, status: 'down', coin: 'XRP' },
    { name: 'blocked', fault: { fault: 'status', status: 451 }, status: 'blocked', coin: 'SOL' },
    { name: 'rate-limited', fault: { fault: 'status', status: 429 }, status: 'limited', coin: 'DOGE' },
    { name: 'lying about a field', fault: { fault: 'retype' }, status: 'changed', coin: 'ADA' },
  ])(
    'returns the other venue while one is $name',
    async ({ fault, status, coin }) => {
      const path = `/perps/positioning?coins=${coin}`;
      await strike({ venue: 'binance', path: '/futures/data/', ...fault });
      let answer: Answer = { data: [], meta: {} };
      const isLabelled = async (): Promise<boolean> => {
        answer = await ask(path);
        return sourcesOf(answer).some((one) => one.status === status) && answer.data.length > 0;
      };
      await look(isLabelled, 5 * MINUTE_MS);
      expect(pick(answer, 'venue', 'view')).toEqual(['okx top']);
      expect(answer.meta['partial']).toBe(true);
      for (const { source, coins } of sourcesOf(answer)) {
        expect(source).toMatch(/^binance:/);
        expect(coins).toEqual([coin]);
      }
      await clear();
    },
    600_000,
  );

  it('returns both again afterwards', async () => {
    const isWhole = async (): Promise<boolean> => {
      const { data, meta } = await ask('/perps/positioning?coins=XRP');
      return data.length === 3 && meta['sources'] === undefined;
    };
    await look(isWhole, 12 * MINUTE_MS);
  }, 600_000);
});
