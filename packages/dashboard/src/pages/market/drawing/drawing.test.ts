import { expect, it } from 'vitest';
import { placeOf, snapPrice, timeOf } from './bar-places.ts';
import { type Drawing, DRAWINGS_MAX, type Drawings, isDrawings, withDrawings } from './drawing.ts';
import { change, moved, rebased, redo, startHistory, undo } from './drawing-history.ts';
import { type Canvas, shapesOf, touches } from './drawing-shapes.ts';
import { nextPrice, stepOf, stepped } from './key-steps.ts';

const bars = [1_000, 2_000, 4_000].map((openTs) => ({ openTs }));
const a = { ts: 1_000, price: 100 };
const b = { ts: 4_000, price: 200 };
const drawing = (tool: Drawing['tool'], ...anchors: Drawing['anchors']): Drawing => ({
  id: 'one',
  tool,
  anchors,
});
/** A pixel is 10 ms wide, and a dollar high. */
const canvas: Canvas = {
  width: 1_000,
  height: 500,
  xOf: (ts) => ts / 10,
  yOf: (price) => 500 - price,
  price: (value) => value.toFixed(0),
  span: () => '3 bars, 3s',
};

it('places times between and beyond bars, and finds them again', () => {
  const times = [1_000, 1_500, 3_000, 4_000, 8_000, 0];
  expect(times.map((ts) => placeOf(bars, ts))).toEqual([0, 0.5, 1.5, 2, 4, -1]);
  for (const ts of times) expect(timeOf(bars, placeOf(bars, ts))).toBe(ts);
});

it('snaps to the nearest price of a bar within reach', () => {
  const bar = { open: 10, high: 14, low: 8, close: 12 };
  expect([13.4, 9.1, 20].map((price) => snapPrice(bar, price, 1.2))).toEqual([14, 10, 20]);
});

it('lets a ray leave the pane, and a trend line end at its points', () => {
  expect(shapesOf(drawing('trend', a, b), canvas)).toEqual([
    { kind: 'line', from: [100, 400], to: [400, 300] },
  ]);
  expect(shapesOf(drawing('ray', a, b), canvas)).toEqual([
    { kind: 'line', from: [100, 400], to: [1_000, 100] },
  ]);
});

it('draws the levels of Fibonacci between two prices, and measures them', () => {
  const texts = (tool: Drawing['tool']): readonly string[] =>
    shapesOf(drawing(tool, a, b), canvas).flatMap((shape) => (shape.kind === 'label' ? [shape.text] : []));
  expect(texts('fibonacci')).toEqual([
    '0 · 200',
    '0.236 · 176',
    '0.382 · 162',
    '0.5 · 150',
    '0.618 · 138',
    '0.786 · 121',
    '1 · 100',
  ]);
  expect(texts('measure')).toEqual(['+100 (+100.00%) · 3 bars, 3s']);
});

it('is touched at its lines and edges, not inside', () => {
  const rectangle = shapesOf(drawing('rectangle', a, b), canvas);
  expect(touches(rectangle, [102, 350])).toBe(true);
  expect(touches(rectangle, [250, 350])).toBe(false);
  expect(touches(shapesOf(drawing('horizontal', a), canvas), [900, 403])).toBe(true);
});

it('goes back and forth through what was drawn, and moves drawings whole or by a point', () => {
  const line = drawing('trend', a, b);
  const to = { ts: 1_500, price: 110 };
  expect(moved(line, a, to).anchors).toEqual([to, { ts: 4_500, price: 210 }]);
  expect(moved(line, a, to, 1).anchors).toEqual([a, to]);
  const history = change(change(startHistory([]), [line]), []);
  expect(undo(history).drawings).toEqual([line]);
  expect(undo(undo(undo(history))).drawings).toEqual([]);
  expect(redo(undo(history))).toEqual(history);
});

it('keeps a bounded number of drawings and markets, and takes nothing malformed', () => {
  const many = Array.from({ length: DRAWINGS_MAX + 5 }, () => drawing('note', a));
  let all: Drawings = {};
  for (let i = 0; i < 70; i += 1) all = withDrawings(all, `venue:${i}`, many);
  expect(Object.keys(all)).toHaveLength(60);
  expect(all['venue:69']).toHaveLength(DRAWINGS_MAX);
  expect(withDrawings(all, 'venue:69', [])['venue:69']).toBeUndefined();
  expect(isDrawings(all)).toBe(true);
  expect(isDrawings({ m: [{ ...drawing('trend', a), id: 'x' }] })).toBe(false);
  const styled = { ...drawing('trend', a, b), color: 4, width: 2, line: 'dashed', isLocked: true };
  expect(isDrawings({ m: [styled] })).toBe(true);
  for (const wrong of [{ color: 10 }, { width: 9 }, { line: 'wavy' }, { isLocked: 'yes' }])
    expect(isDrawings({ m: [{ ...styled, ...wrong }] })).toBe(false);
});

it('keeps what another tab draws, whatever this one takes back', () => {
  const line = (id: string, price: number): Drawing => ({
    ...drawing('horizontal', { ts: 1_000, price }),
    id,
  });
  const [first, mine, theirs] = [line('first', 1), line('mine', 2), line('theirs', 3)];
  const here = change(startHistory([first]), [first, mine]);
  // The other tab moved the first one and drew another.
  const after = rebased(here, [line('first', 9), mine, theirs]);
  expect(undo(after).drawings).toEqual([line('first', 9), theirs]);
  expect(redo(undo(after)).drawings).toEqual([line('first', 9), mine, theirs]);
  // It removed what this tab had drawn: nothing restores it automatically.
  expect(rebased(here, [first]).drawings).toEqual([first]);
});

it('moves by arrow keys: a bar to the side, a step of price up and down, with Shift a larger one', () => {
  const dollarAPixel = (price: number, px: number): number => price + px;
  const press = (key: string, shiftKey = false): readonly (readonly [number, number])[] | undefined => {
    const step = stepOf({ key, shiftKey });
    const next = step && stepped(drawing('trend', a, b), step, bars, dollarAPixel);
    return next?.anchors.map(({ ts, price }) => [ts, price]);
  };
  expect(press('ArrowUp')).toEqual([
    [1_000, 104],
    [4_000, 204],
  ]);
  expect(press('ArrowDown', true)).toEqual([
    [1_000, 80],
    [4_000, 180],
  ]);
  // Beyond the last bar they are as far apart as the last two.
  expect(press('ArrowRight')).toEqual([
    [2_000, 100],
    [6_000, 200],
  ]);
  expect(press('ArrowLeft')).toEqual([
    [0, 100],
    [2_000, 200],
  ]);
  expect(press('ArrowLeft', true)).toBeUndefined();
  expect(press('Home')).toBeUndefined();
});

it('steps to another price even where pixels are finer than prices', () => {
  expect(nextPrice(100, 104.26, 1)).toBe(104.3);
  expect(nextPrice(100, 100.004, 1)).toBe(100.1);
  expect(nextPrice(100, 99.996, 1)).toBe(99.9);
});
