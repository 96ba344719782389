import { describe, expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import { cvd, sampled } from './indicator.ts';
import { anchoredVwap, bollinger, ema, moreIndicators, rsi } from './more-indicators.ts';

const DAY_MS = 86_400_000;

function bar(close: number, { openTs = 0, volume = 1, delta = 0 } = {}): Bar {
  return {
    openTs,
    closeTs: openTs + 59_999,
    close,
    volume,
    delta,
    notionalUsd: close * volume,
  } as unknown as Bar;
}

describe('indicators', () => {
  it('averages closes: an EMA begins with the mean, and a bar in progress does not advance it', () => {
    const run = ema(3, '--series-1').run();
    expect([1, 2, 6].map((close) => run.close(bar(close))[0])).toEqual([undefined, undefined, 3]);
    expect(run.peek(bar(9))).toEqual([6]);
    expect(run.peek(bar(5))).toEqual([4]);
    expect(run.close(bar(5))).toEqual([4]);
  });

  it('puts Bollinger bands two standard deviations around the mean of 20', () => {
    const run = bollinger.run();
    const rows = Array.from({ length: 20 }, (_, i) => run.close(bar(i % 2 === 0 ? 9 : 11)));
    expect(rows[18]).toEqual([]);
    expect(rows[19]).toEqual([10, 12, 8]);
  });

  it('has an RSI of 100 after gains alone, 0 after losses alone, and 50 without a move', () => {
    const after = (closes: readonly number[]): number | undefined => {
      const run = rsi.run();
      return closes.map((close) => run.close(bar(close))[0]).at(-1);
    };
    const steps = Array.from({ length: 15 }, (_, i) => i);
    expect(after(steps)).toBe(100);
    expect(after(steps.toReversed())).toBe(0);
    expect(after(steps.map(() => 7))).toBe(50);
    expect(after(steps.slice(1))).toBeUndefined();
  });

  it('starts the VWAP again with each day', () => {
    const run = moreIndicators('BTC', 0)[0]!.run();
    run.close(bar(100, { volume: 3 }));
    expect(run.close(bar(200))).toEqual([125]);
    expect(run.close(bar(300, { openTs: DAY_MS }))).toEqual([300]);
  });

  it('anchors the VWAP at a bar, or at each Monday', () => {
    const run = anchoredVwap(DAY_MS).run();
    expect(run.close(bar(900))).toEqual([undefined]);
    expect(run.close(bar(100, { openTs: DAY_MS, volume: 3 }))).toEqual([100]);
    expect(run.close(bar(200, { openTs: 9 * DAY_MS }))).toEqual([125]);
    const weekly = anchoredVwap(0).run();
    const values = [3, 4, 10, 11].map((day) => weekly.close(bar(day, { openTs: day * DAY_MS }))[0]);
    expect(values).toEqual([3, 4, 7, 11]);
  });

  it('sums deltas, and holds samples until the next one', () => {
    const sum = cvd('BTC').run();
    sum.close(bar(1, { delta: 2 }));
    expect(sum.peek(bar(1, { delta: -5 }))).toEqual([-3]);
    // What a venue's candle does not report is not zero: nothing is drawn there, and the sum begins after it.
    const mixed = cvd('BTC').run();
    const values = [NaN, NaN, 4, NaN, -1].map((delta) => mixed.close(bar(1, { delta }))[0]);
    expect(values).toEqual([undefined, undefined, 4, undefined, 3]);
    const look = { name: 'oi', title: 'OI', lines: [{ name: 'OI', color: '--series-3' }], text: String };
    const held = sampled(look, () => [[{ ts: 60_000, value: 7 }]]).run();
    expect(held.close(bar(1))).toEqual([undefined]);
    expect(held.close(bar(1, { openTs: 60_000 }))).toEqual([7]);
    expect(held.close(bar(1, { openTs: 120_000 }))).toEqual([7]);
  });
});
