import { describe, expect, it } from 'vitest';
import { barKinds } from './kinds/index.ts';
import { validateSpec } from './validate-spec.ts';

const completed: readonly [string, Record<string, unknown> | undefined, Record<string, unknown>][] = [
  ['time', undefined, { intervalMs: 60_000 }],
  ['time', { intervalMs: 1000 }, { intervalMs: 1000 }],
  ['time', { intervalMs: 86_400_000 }, { intervalMs: 86_400_000 }],
  ['tick', {}, { trades: 500 }],
  ['tick', { trades: 1_000_000 }, { trades: 1_000_000 }],
  ['volume', { volume: 0.001 }, { volume: 0.001, unit: 'base' }],
  ['volume', { unit: 'usd', volume: 1e9 }, { volume: 1e9, unit: 'usd' }],
  ['range', { rangeTicks: 1 }, { rangeTicks: 1 }],
  ['delta', { delta: 5e-324 }, { delta: 5e-324, unit: 'base' }],
  ['trend_reversal', { revTicks: 2, trendTicks: 3 }, { trendTicks: 3, revTicks: 2 }],
  ['pnf', { boxTicks: 10 }, { boxTicks: 10, reversal: 3 }],
  ['pnf', { boxTicks: 10, reversal: undefined }, { boxTicks: 10, reversal: 3 }],
];

const refused: readonly [unknown, unknown, unknown, string][] = [
  ['candle', {}, 1, 'kind must be one of time, tick, volume, range, delta, trend_reversal, pnf.'],
  ['constructor', {}, 1, 'kind must be one of'],
  [undefined, {}, 1, 'kind must be one of'],
  ['time', [], 1, 'params must be an object.'],
  ['time', null, 1, 'params must be an object.'],
  ['time', { interval: 5 }, 1, 'params.interval is not a parameter of time bars, which take intervalMs.'],
  ['time', { intervalMs: 999 }, 1, 'params.intervalMs must be a whole number from 1000 to 86400000.'],
  ['time', { intervalMs: 86_400_001 }, 1, 'params.intervalMs must be'],
  ['time', { intervalMs: 1000.5 }, 1, 'params.intervalMs must be'],
  ['time', { intervalMs: '1000' }, 1, 'params.intervalMs must be'],
  ['time', { intervalMs: null }, 1, 'params.intervalMs must be'],
  ['tick', { trades: 0 }, 1, 'params.trades must be a whole number from 1 to 1000000.'],
  ['volume', {}, 1, 'params.volume is required and must be a number above 0.'],
  ['volume', { volume: 0 }, 1, 'params.volume must be a number above 0.'],
  ['volume', { volume: Infinity }, 1, 'params.volume must be'],
  ['volume', { volume: Number.NaN }, 1, 'params.volume must be'],
  ['volume', { volume: 1, unit: 'eur' }, 1, 'params.unit must be one of base, usd.'],
  ['range', undefined, 1, 'params.rangeTicks is required and must be a whole number from 1 to 1000000.'],
  ['range', { rangeTicks: 1_000_001 }, 1, 'params.rangeTicks must be'],
  ['delta', { delta: -1 }, 1, 'params.delta must be'],
  ['trend_reversal', { trendTicks: 1 }, 1, 'params.revTicks is required'],
  ['pnf', { boxTicks: 1, reversal: 11 }, 1, 'params.reversal must be a whole number from 1 to 10.'],
  ['tick', {}, 0, 'tick must be a number above 0 with at most 8 decimals.'],
  ['tick', {}, 0.123456789, 'tick must be'],
  ['tick', {}, 1e-9, 'tick must be'],
  ['tick', {}, '1', 'tick must be'],
  ['tick', {}, undefined, 'tick must be'],
];

describe('a spec', () => {
  it.each(completed)('of %s bars with %j is completed', (kind, params, expected) => {
    const check = validateSpec(kind, params, 0.5);
    expect(check).toEqual({ spec: { kind, params: expected, tick: 0.5 } });
    // A canonical spec is identical for every caller, so its text can be hashed.
    expect(JSON.stringify(check)).toBe(JSON.stringify({ spec: { kind, params: expected, tick: 0.5 } }));
  });

  it.each(refused)('%j with %j and tick %j is refused', (kind, params, tick, sentence) => {
    expect(validateSpec(kind, params, tick)).toEqual({ error: expect.stringContaining(sentence) });
  });

  it('takes every tick with up to 8 decimals', () => {
    for (const tick of [1e-8, 0.1, 1, 12_345_678.12345678, 1e300]) {
      expect(validateSpec('tick', {}, tick)).toMatchObject({ spec: { tick } });
    }
  });
});

it('every kind describes itself and its parameters', () => {
  for (const kind of barKinds) {
    expect(kind.summary).toMatch(/\.$/);
    for (const param of kind.params) expect(param.description.length).toBeGreaterThan(5);
  }
});
