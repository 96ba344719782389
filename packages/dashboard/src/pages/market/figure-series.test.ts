import type { PaneRendererCustomData, Time } from 'lightweight-charts';
import { expect, it } from 'vitest';
import { type FigureData, FigureSeries } from './figure-series.ts';

type Target = Parameters<ReturnType<FigureSeries['renderer']>['draw']>[0];
type Call = readonly [name: string, ...numbers: number[]];

/** A dollar is ten pixels high; prices fall downwards. */
const toY = (price: number) => (200 - price * 10) as never;
const column = (open: number, close: number): FigureData => ({
  time: 1 as Time,
  open,
  close,
  box: 1,
  isRising: close >= open,
  color: close >= open ? 'green' : 'red',
});

/** What is drawn of columns `spacing` pixels apart, the first one at 50, with the colour of each stroke. */
function drawn(columns: readonly FigureData[], spacing: number, visible = { from: 0, to: columns.length }) {
  const calls: Call[] = [];
  const colours: unknown[] = [];
  const context: Record<string, unknown> = {};
  for (const name of ['moveTo', 'lineTo', 'ellipse', 'fillRect'])
    context[name] = (...numbers: number[]) => calls.push([name, ...numbers.slice(0, 4)]);
  context.beginPath = () => {};
  context.stroke = () => colours.push(context.strokeStyle);
  const target = {
    useMediaCoordinateSpace: (draw: (scope: object) => void) => draw({ context }),
  } as unknown as Target;
  const series = new FigureSeries();
  const bars = columns.map((originalData, i) => ({
    x: 50 + i * spacing,
    originalData,
    barColor: originalData.color,
  }));
  series.update({ bars, visibleRange: visible, barSpacing: spacing } as unknown as PaneRendererCustomData<
    Time,
    FigureData
  >);
  series.renderer().draw(target, toY, false, undefined);
  return { calls, colours };
}

it('draws an X for each box of a rising column, and an O for each of a falling one', () => {
  const { calls, colours } = drawn([column(10, 12), column(11, 10)], 10);
  const crosses = calls.filter(([name]) => name === 'lineTo');
  // Two lines for each of the boxes at 10, 11 and 12, in the middle of the column.
  expect(crosses).toEqual(
    [100, 90, 80].flatMap((y) => [
      ['lineTo', 54.25, y + 4.25],
      ['lineTo', 54.25, y - 4.25],
    ]),
  );
  expect(calls.filter(([name]) => name === 'ellipse')).toEqual([
    ['ellipse', 60, 100, 4.25, 4.25],
    ['ellipse', 60, 90, 4.25, 4.25],
  ]);
  expect(colours).toEqual(['green', 'red']);
});

it('draws a column as a bar of the same height where signs would be too small', () => {
  expect(drawn([column(12, 10)], 3).calls).toEqual([['fillRect', 48.725, 75, 2.55, 30]]);
});

it('draws only the visible columns, and scales to their boxes', () => {
  const columns = [column(10, 12), column(11, 9), column(10, 13)];
  const { calls } = drawn(columns, 10, { from: 1, to: 2 });
  expect(new Set(calls.map(([name]) => name))).toEqual(new Set(['moveTo', 'ellipse']));
  expect(calls.filter(([name]) => name === 'ellipse')).toHaveLength(3);
  const series = new FigureSeries();
  expect(series.priceValueBuilder(column(11, 9))).toEqual([11.5, 8.5, 9]);
  expect(series.isWhitespace({ time: 1 as Time })).toBe(true);
  expect(series.isWhitespace(column(1, 2))).toBe(false);
});
