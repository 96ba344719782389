import { DAY_MS, seededRandom } from '@crosstape/core';
import { describe, expect, it } from 'vitest';
import { OrderSizes } from './order-sizes.ts';

const T0 = Date.UTC(2026, 10, 16);

/** Log-normal orders around a size, at a fixed distance in seconds. */
function fill(
  sizes: OrderSizes,
  options: { count: number; medianUsd: number; everyMs: number; fromMs?: number },
) {
  const { count, medianUsd, everyMs, fromMs = T0 } = options;
  const random = seededRandom(3);
  for (let i = 0; i < count; i += 1) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    sizes.add(medianUsd * Math.exp(2 * normal), fromMs + i * everyMs);
  }
  return fromMs + count * everyMs;
}

describe('the sizes of orders', () => {
  it('say how many of a size a day brings', () => {
    const sizes = new OrderSizes();
    fill(sizes, { count: 40_000, medianUsd: 1000, everyMs: 8_640 });
    // 10,000 a day: half above the median, 2.28 % above two deviations, 0.135 % above three.
    expect(sizes.perDay(1000)! / 5000).toBeCloseTo(1, 1);
    expect(sizes.perDay(1000 * Math.exp(4))! / 228).toBeCloseTo(1, 0);
    expect(sizes.perDay(1000 * Math.exp(6))!).toBeGreaterThan(8);
    expect(sizes.perDay(1000 * Math.exp(6))!).toBeLessThan(18);
    expect(sizes.perDay(1)!).toBeGreaterThan(9_900);
  });

  it('are unknown until three hundred orders have been seen', () => {
    const sizes = new OrderSizes();
    const nowMs = fill(sizes, { count: 299, medianUsd: 1000, everyMs: 10 });
    expect(sizes.perDay(1000)).toBeUndefined();
    fill(sizes, { count: 2, medianUsd: 1000, everyMs: 10, fromMs: nowMs });
    expect(sizes.perDay(1000)).toBeDefined();
  });

  it('are unknown while all orders are alike', () => {
    const sizes = new OrderSizes();
    for (let i = 0; i < 1000; i += 1) sizes.add(1, T0 + i);
    expect(sizes.perDay(1_000_000)).toBeUndefined();
  });

  it('forget: after three days at another size the first is history', () => {
    const sizes = new OrderSizes();
    const changeMs = fill(sizes, { count: 20_000, medianUsd: 1000, everyMs: 8_640 });
    const rare = sizes.perDay(1_000_000)!;
    fill(sizes, { count: 30_000, medianUsd: 100_000, everyMs: 8_640, fromMs: changeMs });
    expect(rare).toBeLessThan(10);
    expect(sizes.perDay(100_000)! / 5000).toBeCloseTo(1, 1);
  });

  it('are not bent by one giant', () => {
    const sizes = new OrderSizes();
    const nowMs = fill(sizes, { count: 10_000, medianUsd: 1000, everyMs: 8_640 });
    const before = sizes.perDay(400_000)!;
    for (let i = 0; i < 10; i += 1) sizes.add(1e12, nowMs + i);
    expect(sizes.perDay(400_000)! / before).toBeLessThan(1.2);
  });

  it('take a silence of days for a gap in the recording', () => {
    const sizes = new OrderSizes();
    const nowMs = fill(sizes, { count: 20_000, medianUsd: 1000, everyMs: 8_640 });
    const before = sizes.perDay(50_000)!;
    sizes.add(1000, nowMs + 5 * DAY_MS);
    expect(sizes.perDay(50_000)! / before).toBeGreaterThan(0.85);
  });

  it('are the same whether the past was there from the beginning or is recalled later', () => {
    const whole = new OrderSizes();
    const past = new OrderSizes();
    const since = new OrderSizes();
    const seamMs = fill(past, { count: 4_000, medianUsd: 1000, everyMs: 8_640 });
    fill(whole, { count: 4_000, medianUsd: 1000, everyMs: 8_640 });
    for (const sizes of [whole, since])
      fill(sizes, { count: 200, medianUsd: 3000, everyMs: 5_000, fromMs: seamMs });
    expect(since.perDay(50_000)).toBeUndefined();
    since.recall(past.remembered);
    expect(since.perDay(50_000)! / whole.perDay(50_000)!).toBeCloseTo(1, 2);
    since.recall(new OrderSizes().remembered);
    expect(since.perDay(50_000)! / whole.perDay(50_000)!).toBeCloseTo(1, 2);
    const late = new OrderSizes();
    late.recall(past.remembered);
    expect(late.perDay(50_000)).toBe(past.perDay(50_000));
  });
});
