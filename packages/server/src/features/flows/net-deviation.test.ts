import { MINUTE_MS } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { DEVIATION_SAMPLES_MIN, deviationOf, NetDeviation } from './net-deviation.ts';

describe('the usual size of a net', () => {
  it('is not known before enough minutes are', () => {
    const deviation = new NetDeviation();
    for (let i = 0; i < DEVIATION_SAMPLES_MIN - 1; i += 1) deviation.add(i * MINUTE_MS, i % 2 ? 10 : -10);
    expect(deviation.value).toBeUndefined();
    deviation.add((DEVIATION_SAMPLES_MIN - 1) * MINUTE_MS, 10);
    expect(deviation.value).toEqual({ sigmaUsd: 10, samples: DEVIATION_SAMPLES_MIN });
  });

  it('is not known where nothing ever moved', () => {
    const deviation = new NetDeviation();
    for (let i = 0; i < 100; i += 1) deviation.add(i * MINUTE_MS, 0);
    expect(deviation.value).toBeUndefined();
  });

  it('is that of the last 24 hours, minutes that are missing aside', () => {
    const deviation = new NetDeviation();
    for (let i = 0; i < 2_000; i += 1) deviation.add(i * MINUTE_MS, i < 560 ? 1e9 : i % 2 ? 3 : -1);
    expect(deviation.value).toEqual({ sigmaUsd: 2, samples: 1_440 });
    deviation.add(3_000 * MINUTE_MS, 3);
    expect(deviation.value?.samples).toBe(440);
  });

  it('counts a minute once: a repeated minute replaces the earlier one', () => {
    const deviation = new NetDeviation();
    for (let i = 0; i < 40; i += 1) deviation.add(i * MINUTE_MS, i % 2 ? 10 : -10);
    deviation.add(39 * MINUTE_MS, 10);
    expect(deviation.value).toEqual({ sigmaUsd: 10, samples: 40 });
  });

  it('takes a past that comes later, of the same 24 hours, before what it knows', () => {
    const past = Array.from({ length: 2_000 }, (_, i) => ({
      minuteMs: i * MINUTE_MS,
      netUsd: i % 2 ? 3 : -1,
    }));
    const deviation = new NetDeviation();
    deviation.add(2_000 * MINUTE_MS, -1);
    deviation.add(2_001 * MINUTE_MS, 3);
    deviation.putBefore(past);
    expect(deviation.value).toEqual({ sigmaUsd: 2, samples: 1_440 });
    deviation.putBefore(past);
    expect(deviation.value?.samples).toBe(1_440);
    deviation.add(2_002 * MINUTE_MS, -1);
    expect(deviation.value).toEqual({ sigmaUsd: 2, samples: 1_440 });
  });

  it('is the population deviation', () => {
    expect(deviationOf([])).toBe(0);
    expect(deviationOf([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
  });
});
