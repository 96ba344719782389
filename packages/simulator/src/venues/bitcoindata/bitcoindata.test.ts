import { ManualClock, type MetricReading, valuationMetrics } from '@crosstape/core';
import { onchainPublishers } from '@crosstape/venues';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';

const T0 = Date.UTC(2026, 10, 12, 12);
let clock: ManualClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = new ManualClock(T0);
  simulator = await startSimulator({ port: 0, seed: 5, clock, sources: ['bitcoindata'] });
});

afterEach(() => simulator.close());

const resources = onchainPublishers.find(({ id }) => id === 'bitcoindata')?.connector?.resources ?? [];

it('serves five metrics in three forms, most of them a week old, and our reader takes them all', async () => {
  const read: Record<string, MetricReading | undefined> = {};
  for (const resource of resources) {
    const body = await (await fetch(`${simulator.url}/bitcoindata${resource.request.path}`)).json();
    const [metric] = resource.gives;
    if (metric) read[metric] = resource.parse(body, clock.now(), {})[metric]?.[0] as MetricReading;
  }
  expect(Object.keys(read).toSorted()).toEqual(valuationMetrics.toSorted());
  expect(Object.values(read).map((one) => one?.day)).toEqual([
    '2026-11-05',
    '2026-11-05',
    '2026-11-05',
    '2026-11-04',
    '2026-11-11',
  ]);
  const [z, nupl] = [read.mvrvZScore?.value ?? 0, read.nupl?.value ?? 0];
  // Both are made of market over realised value.
  expect(1 / (1 - nupl)).toBeCloseTo(1 + z / 2.4, 4);
});

it('refuses the ninth request of an hour, and the sixteenth of a day', async () => {
  const ask = (): Promise<Response> => fetch(`${simulator.url}/bitcoindata/v1/nupl/last`);
  for (let i = 0; i < 8; i += 1) expect((await ask()).status).toBe(200);
  expect(await (await ask()).json()).toMatchObject({ error: 'RATE_LIMIT_HOUR_EXCEEDED' });
  clock.advance(3_600_000);
  for (let i = 0; i < 7; i += 1) expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: 'RATE_LIMIT_DAY_EXCEEDED' });
  expect(simulator.violations['bitcoindata']).toEqual({ hour: 1, day: 1 });
});
