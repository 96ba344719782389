import { expect, it } from 'vitest';
import type { Bar } from '../../../live/topic.ts';
import { depthLines, imbalanceLine, type DepthPoint, withNewer } from './depth-lines.ts';

const MINUTE_MS = 60_000;

const point = (minute: number, bidsUsd: number | null, imbalance: number | null = 0.5): DepthPoint => ({
  ts: minute * MINUTE_MS,
  within: [
    { percent: 0.5, bidsUsd, asksUsd: 10, imbalance },
    { percent: 2, bidsUsd: null, asksUsd: null, imbalance: null },
  ],
});

/** A bar of some minutes. */
const bar = (minute: number, minutes = 1): Bar =>
  ({ openTs: minute * MINUTE_MS, closeTs: (minute + minutes) * MINUTE_MS - 1 }) as Bar;

function valuesOf(points: readonly DepthPoint[], bars: readonly Bar[], percent = 0.5) {
  const known = () => ({ points, heldMs: 3 * MINUTE_MS });
  const look = { name: 'bookdepth_0.5', title: 'Depth', percent, known };
  const [depth, imbalance] = [depthLines(look).run(), imbalanceLine(look).run()];
  return bars.map((one) => [...depth.close(one), ...imbalance.close(one)]);
}

it('shows the newest depth of each bar, and nothing where minutes are missing', () => {
  const points = [point(1, 20), point(2, 21, -0.25), point(9, 22)];
  expect(valuesOf(points, [bar(0), bar(1, 2), bar(5), bar(6), bar(9)])).toEqual([
    [undefined, undefined, undefined],
    [21, 10, -25],
    [21, 10, -25],
    [undefined, undefined, undefined],
    [22, 10, 50],
  ]);
});

it('has no value where the record does not reach as far as chosen', () => {
  expect(valuesOf([point(1, null, null)], [bar(1)])).toEqual([[undefined, 10, undefined]]);
  expect(valuesOf([point(1, 20)], [bar(1)], 2)).toEqual([[undefined, undefined, undefined]]);
});

it('shows the bar in progress without advancing', () => {
  const known = () => ({ points: [point(1, 20), point(2, 21)], heldMs: 3 * MINUTE_MS });
  const run = depthLines({ name: 'bookdepth', title: 'Depth', percent: 0.5, known }).run();
  expect(run.peek(bar(1, 60))).toEqual([21, 10]);
  expect(run.close(bar(1))).toEqual([20, 10]);
});

it('replaces points by those of a newer answer', () => {
  const points = withNewer([point(1, 1), point(2, 2), point(3, 3)], [point(3, 30), point(4, 40)]);
  expect(points.map(({ within }) => within[0]!.bidsUsd)).toEqual([1, 2, 30, 40]);
  expect(withNewer(points, [])).toEqual(points);
});
