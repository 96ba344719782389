import { type Bar, barAt, type BarBuilder, createBuilder, markComplete } from '@crosstape/core';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Trade } from '../socket/frame-types.ts';
import { newestOpen, AmendedBars } from './amended-bars.ts';
import { columnsOf } from './trade-columns.ts';

const SPEC = { kind: 'tick', params: { trades: 2 }, tick: 1 } as const;

const gap = fc
  .record({
    from: fc.nat(100),
    lengthMs: fc.integer({ min: 1, max: 40 }),
    state: fc.constantFrom('missing', 'partial', 'refilled'),
  })
  .map(({ from, lengthMs, state }) => ({ from, to: from + lengthMs, state }));

/** Trades by their distance from the previous one, or a newly reported gap. */
const step = fc.oneof(fc.array(fc.nat(6), { minLength: 1, maxLength: 6 }), gap);

function barsFrom({ bars }: BarBuilder, from: number): readonly Bar[] {
  return Array.from({ length: bars.length - from }, (_, i) => barAt(bars, from + i));
}

it('marks bars as a build of all of them does, whenever a gap becomes known', () => {
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 3 }), fc.array(step, { maxLength: 12 }), (known, steps) => {
      const builder = createBuilder(SPEC);
      const tracker = new AmendedBars(known.filter(({ state }) => state !== 'refilled'));
      const ours: Bar[] = [];
      const seen = [...known];
      let ts = 0;
      for (const one of steps) {
        if ('from' in one) {
          seen.push(one);
          for (const bar of tracker.learn([one])) {
            expect(bar.complete).not.toBe(ours[bar.index]?.complete);
            ours[bar.index] = bar;
          }
          continue;
        }
        const before = builder.bars.length;
        const trades = one.map((afterMs): Trade => ({ ts: (ts += afterMs), price: 1, size: 1, side: 'buy' }));
        builder.add(columnsOf(trades));
        ours.push(...tracker.close(barsFrom(builder, before)));
      }
      const gaps = seen.filter(({ from, to, state }, i) => {
        const isReportedAgain = seen
          .slice(Math.max(i + 1, known.length))
          .some((all) => all.from === from || (all.from <= from && all.to >= to));
        return state !== 'refilled' && !isReportedAgain;
      });
      // Builds include both ends of a gap, while these gaps are half open.
      const both = gaps.map(({ from, to }) => ({ from, to: to - 1 }));
      const open = markComplete(builder.bars, builder.open, both);
      expect(ours).toEqual(barsFrom(builder, 0));
      expect(tracker.marked(builder.open)).toEqual(open);
    }),
  );
});

it('does not count a gap that ends where a bar begins', () => {
  const builder = createBuilder(SPEC);
  builder.add(
    columnsOf([10, 20, 30, 40, 50, 60].map((ts): Trade => ({ ts, price: 1, size: 1, side: 'buy' }))),
  );
  const tracker = new AmendedBars([{ from: 32, to: 40 }]);
  expect(tracker.close(barsFrom(builder, 0)).map(({ complete }) => complete)).toEqual([true, false, true]);
});

it('keeps an earlier gap that overlaps a refilled one', () => {
  const builder = createBuilder(SPEC);
  builder.add(columnsOf([10, 20, 30, 40].map((ts): Trade => ({ ts, price: 1, size: 1, side: 'buy' }))));
  const tracker = new AmendedBars([]);
  tracker.close(barsFrom(builder, 0));
  expect(tracker.learn([{ from: 22, to: 28, state: 'missing' }])).toMatchObject([
    { index: 1, complete: false },
  ]);
  expect(tracker.learn([{ from: 24, to: 50, state: 'refilled' }])).toEqual([]);
  // Reported again as a whole.
  expect(tracker.learn([{ from: 21, to: 50, state: 'refilled' }])).toMatchObject([
    { index: 1, complete: true },
  ]);
});

it('removes the refilled part of a gap that was still open when it was reported', () => {
  const builder = createBuilder(SPEC);
  builder.add(
    columnsOf([10, 20, 30, 40, 50, 60].map((ts): Trade => ({ ts, price: 1, size: 1, side: 'buy' }))),
  );
  const tracker = new AmendedBars([]);
  tracker.close(barsFrom(builder, 0));
  const known = [
    { from: 14, to: 16, state: 'missing' },
    { from: 22, to: 50, state: 'missing' },
  ];
  expect(tracker.learn(newestOpen(known)).map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(
    tracker.learn([
      { from: 22, to: 32, state: 'missing' },
      { from: 32, to: 70, state: 'refilled' },
    ]),
  ).toMatchObject([{ index: 2, complete: true }]);
});

it('keeps a minute of late trades when the gap around it, or one with the same start, is refilled', () => {
  const tracker = new AmendedBars([]);
  closedAt(tracker, [10, 20, 30, 40]);
  const late = { from: 24, to: 28, state: 'partial', late: true };
  expect(tracker.learn([late])).toMatchObject([{ index: 1, complete: false }]);
  expect(tracker.learn([{ from: 21, to: 50, state: 'refilled' }])).toEqual([]);
  expect(tracker.learn([{ from: 24, to: 50, state: 'refilled' }])).toEqual([]);
});

function closedAt(tracker: AmendedBars, times: readonly number[]): readonly boolean[] {
  const builder = createBuilder(SPEC);
  builder.add(columnsOf(times.map((ts): Trade => ({ ts, price: 1, size: 1, side: 'buy' }))));
  return tracker.close(barsFrom(builder, 0)).map(({ complete }) => complete);
}

it('uses the newest report of a gap, also where that is shorter', () => {
  const tracker = new AmendedBars([]);
  tracker.learn([{ from: 4_000, to: 9_000, state: 'missing' }]);
  tracker.learn([{ from: 4_000, to: 17_000, state: 'missing' }]);
  expect(closedAt(tracker, [3_000, 3_500, 16_000, 16_100, 20_000, 20_100])).toEqual([true, false, false]);
  const settled = [
    { from: 4_000, to: 5_000, state: 'missing' },
    { from: 5_000, to: 21_000, state: 'refilled' },
  ];
  expect(tracker.learn(settled)).toMatchObject([{ index: 2, complete: true }]);
});

it('does not take another gap for the end of one that may have been open', () => {
  const tracker = new AmendedBars(newestOpen([{ from: 10_000, to: 65_000, state: 'missing' }]));
  expect(closedAt(tracker, [0, 1_000, 30_000, 40_000])).toEqual([true, false]);
  expect(tracker.learn([{ from: 64_500, to: 70_000, state: 'missing' }])).toEqual([]);
});

it('keeps the gap of a market when another one reports one with the same start', () => {
  const tracker = new AmendedBars([]);
  const missing = { from: 4_000, to: 17_000, state: 'missing', market: 'okx:BTC-USDT-SWAP' };
  tracker.learn([missing]);
  expect(closedAt(tracker, [3_000, 3_500, 16_000, 16_100])).toEqual([true, false]);
  expect(tracker.learn([{ ...missing, to: 5_000, market: 'hyperliquid:BTC' }])).toEqual([]);
  const refilled = { ...missing, to: 20_000, state: 'refilled' };
  expect(tracker.learn([{ ...refilled, market: 'hyperliquid:BTC' }])).toEqual([]);
  expect(tracker.learn([refilled])).toMatchObject([{ index: 1, complete: true }]);
});
