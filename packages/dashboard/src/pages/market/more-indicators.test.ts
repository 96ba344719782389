import { describe, expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import { cvd, sampled } from './indicator.ts';
import { moreIndicator } from './more-indicators.ts';

const DAY_MS = 86_400_000;

const runOf = (text: string, anchorTs = 0, earlier: readonly Bar[] | undefined = []) =>
  moreIndicator(text, 'BTC', anchorTs, earlier)!.run();

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
    const run = runOf('ema_3');
    expect([1, 2, 6].map((close) => run.close(bar(close))[0])).toEqual([undefined, undefined, 3]);
    expect(run.peek(bar(9))).toEqual([6]);
    expect(run.peek(bar(5))).toEqual([4]);
    expect(run.close(bar(5))).toEqual([4]);
  });

  it('puts Bollinger bands two standard deviations around the mean of 20', () => {
    const run = runOf('bollinger');
    const rows = Array.from({ length: 20 }, (_, i) => run.close(bar(i % 2 === 0 ? 9 : 11)));
    expect(rows[18]).toEqual([]);
    expect(rows[19]).toEqual([10, 12, 8]);
  });

  it('has an RSI of 100 after gains alone, 0 after losses alone, and 50 without a move', () => {
    const after = (closes: readonly number[]): number | undefined => {
      const run = runOf('rsi');
      return closes.map((close) => run.close(bar(close))[0]).at(-1);
    };
    const steps = Array.from({ length: 15 }, (_, i) => i);
    expect(after(steps)).toBe(100);
    expect(after(steps.toReversed())).toBe(0);
    expect(after(steps.map(() => 7))).toBe(50);
    expect(after(steps.slice(1))).toBeUndefined();
  });

  it('follows its settings: length, deviations, price, period and colour', () => {
    const look = (text: string) => {
      const { name, title, lines } = moreIndicator(text, 'BTC', 0, [])!;
      return [name, title, lines.map(({ color }) => color)];
    };
    expect(look('ema_9_hlc3_c4')).toEqual(['ema_9_hlc3_c4', 'EMA 9 hlc3', ['--series-4']]);
    expect(look('rsi_7')).toEqual(['rsi_7', 'RSI 7', ['--series-5']]);
    const bands = runOf('bollinger_2_3');
    bands.close(bar(9));
    expect(bands.close(bar(11))).toEqual([10, 13, 7]);
    const middle = runOf('ema_2_hl2');
    const range = (high: number, low: number) => ({ ...bar(1), high, low }) as Bar;
    middle.close(range(4, 2));
    expect(middle.close(range(8, 6))).toEqual([5]);
    const monthly = runOf('vwap_month');
    const values = [0, 30, 31].map((day) => monthly.close(bar(day + 1, { openTs: day * DAY_MS }))[0]);
    expect(values).toEqual([1, 16, 32]);
  });

  it('starts the VWAP again with each day', () => {
    const run = runOf('vwap');
    run.close(bar(100, { volume: 3 }));
    expect(run.close(bar(200))).toEqual([125]);
    expect(run.close(bar(300, { openTs: DAY_MS }))).toEqual([300]);
  });

  it('includes what traded before the first bar since midnight or the anchor, and waits for it', () => {
    const noon = DAY_MS + DAY_MS / 2;
    const earlier = [bar(900, { openTs: 0 }), bar(100, { openTs: DAY_MS, volume: 3 })];
    expect(runOf('vwap', 0, earlier).close(bar(200, { openTs: noon }))).toEqual([125]);
    expect(runOf('avwap', DAY_MS, earlier).close(bar(200, { openTs: noon }))).toEqual([125]);
    const waiting = moreIndicator('vwap', 'BTC', 0, undefined)!.run();
    const values = [noon, noon + 60_000, 2 * DAY_MS].map((openTs) => waiting.close(bar(300, { openTs }))[0]);
    expect(values).toEqual([undefined, undefined, 300]);
  });

  it('anchors the VWAP at a bar, or at each Monday', () => {
    const run = runOf('avwap', DAY_MS);
    expect(run.close(bar(900))).toEqual([undefined]);
    expect(run.close(bar(100, { openTs: DAY_MS, volume: 3 }))).toEqual([100]);
    expect(run.close(bar(200, { openTs: 9 * DAY_MS }))).toEqual([125]);
    const weekly = runOf('avwap');
    const values = [3, 4, 10, 11].map((day) => weekly.close(bar(day, { openTs: day * DAY_MS }))[0]);
    expect(values).toEqual([3, 4, 7, 11]);
  });

  it('sums deltas, and holds samples until the next one', () => {
    const sum = cvd('BTC').run();
    sum.close(bar(1, { delta: 2 }));
    expect(sum.peek(bar(1, { delta: -5 }))).toEqual([-3]);
    // Figures that a venue's candle does not report are not zero: nothing is drawn, and the sum begins after it.
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
