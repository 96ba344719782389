import { expect, it } from 'vitest';
import { fundingSamples, goneOn, samplesSinceMs } from './samples.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

it('requests samples from before the first bar, and the same ones when a few older bars are loaded', () => {
  const firstTs = 20_000 * DAY_MS;
  const sinceMs = samplesSinceMs(firstTs);
  expect(sinceMs).toBeLessThanOrEqual(firstTs - HOUR_MS);
  expect(sinceMs).toBeGreaterThan(firstTs - 31 * DAY_MS);
  expect(samplesSinceMs(firstTs - 5 * DAY_MS)).toBe(sinceMs);
  expect(samplesSinceMs(sinceMs)).toBe(sinceMs - 30 * DAY_MS);
  expect(samplesSinceMs(0)).toBe(0);
});

it('continues a history with newer samples only', () => {
  const sample = (ts: number, value: number) => ({ ts, value });
  expect(goneOn([sample(1, 1), sample(2, 2)], [sample(2, 9), sample(3, 3)])).toEqual([
    sample(1, 1),
    sample(2, 2),
    sample(3, 3),
  ]);
});

it('reads the rates of one venue in percent per hour, whatever hours they are for', () => {
  const points = [
    { ts: 1, byVenue: { hyperliquid: 0.0001, binance: 0.0008 } },
    { ts: 2, byVenue: { hyperliquid: 0.0002 } },
  ];
  const past = { points, periodHours: { hyperliquid: 1, binance: 8 } };
  expect(fundingSamples(past, 'hyperliquid')).toEqual([
    { ts: 1, value: 0.01 },
    { ts: 2, value: 0.02 },
  ]);
  expect(fundingSamples(past, 'binance')).toEqual([{ ts: 1, value: 0.01 }]);
  expect(fundingSamples(past, 'okx')).toEqual([]);
});
