import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBuilder, resumeBuilder } from './bar-builder.ts';
import { markComplete } from './mark-complete.ts';
import { closedBars, specOf, toColumns } from './random-builds.fixture.ts';

const tradesAt = (times: readonly number[]) =>
  toColumns(
    times.map((ts) => ({ ts, price: 1n, size: 1n, isBuy: true })),
    { priceDecimals: 8, sizeDecimals: 8 },
  );

/** Bars of two trades each. */
function build(times: readonly number[]) {
  const builder = createBuilder(specOf('tick', { trades: 2 }, 1));
  builder.add(tradesAt(times));
  return builder;
}

describe('a bar is complete', () => {
  const times = [10, 20, 30, 40, 50, 60, 70];
  const completeness = (gaps: readonly { from: number; to: number }[]): boolean[] => {
    const builder = build(times);
    const open = markComplete(builder.bars, builder.open, gaps);
    return [...closedBars(builder), ...(open ? [open] : [])].map((bar) => bar.complete);
  };

  it('without gaps', () => {
    expect(completeness([])).toEqual([true, true, true, true]);
  });

  it('unless a gap lies between the previous close and its own', () => {
    expect(completeness([{ from: 22, to: 24 }])).toEqual([true, false, true, true]);
    expect(completeness([{ from: 33, to: 35 }])).toEqual([true, false, true, true]);
    expect(completeness([{ from: 33, to: 55 }])).toEqual([true, false, false, true]);
    expect(completeness([{ from: 66, to: 90 }])).toEqual([true, true, true, false]);
  });

  it('unless a gap touches its first or last millisecond', () => {
    expect(completeness([{ from: 40, to: 41 }])).toEqual([true, false, false, true]);
    expect(completeness([{ from: 39, to: 40 }])).toEqual([true, false, false, true]);
  });

  it('when gaps lie outside of all bars', () => {
    expect(
      completeness([
        { from: 0, to: 9 },
        { from: 71, to: 80 },
      ]),
    ).toEqual([true, true, true, true]);
  });

  it('after a resume with regard to the bar before it', () => {
    const first = build([10, 20]);
    const second = resumeBuilder(first.state());
    second.add(tradesAt([30, 40]));
    markComplete(second.bars, second.open, [{ from: 22, to: 24 }]);
    expect(closedBars(second)).toMatchObject([{ complete: false }]);
  });

  it('exactly when no gap meets its time, in whatever order the gaps come', () => {
    const gap = fc.tuple(fc.nat(200), fc.nat(30)).map(([from, length]) => ({ from, to: from + length }));
    const sortedTimes = fc
      .array(fc.nat(200), { minLength: 1, maxLength: 30 })
      .map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(sortedTimes, fc.array(gap, { maxLength: 5 }), (all, gaps) => {
        const builder = build(all);
        const open = markComplete(builder.bars, builder.open, gaps);
        const bars = [...closedBars(builder), ...(open ? [open] : [])];
        for (const [i, bar] of bars.entries()) {
          const from = bars.at(i - 1)!.closeTs;
          const spanFrom = i === 0 ? bar.openTs : from;
          expect(bar.complete).toBe(!gaps.some((one) => one.from <= bar.closeTs && one.to >= spanFrom));
        }
      }),
    );
  });
});

it('is computed again when there are no gaps any more', () => {
  const builder = build([10, 20, 30, 40, 50]);
  markComplete(builder.bars, builder.open, [{ from: 0, to: 100 }]);
  expect([...builder.bars.complete.subarray(0, 2)]).toEqual([0, 0]);
  expect(markComplete(builder.bars, builder.open, [])).toMatchObject({ complete: true });
  expect([...builder.bars.complete.subarray(0, 2)]).toEqual([1, 1]);
});
