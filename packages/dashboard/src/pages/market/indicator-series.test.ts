import type { IChartApi, Time } from 'lightweight-charts';
import { expect, it } from 'vitest';
import type { Bar } from '../../live/topic.ts';
import { cvd, sampled } from './indicator.ts';
import { IndicatorSeries } from './indicator-series.ts';

/** A chart that records what its series are given. */
function fakeChart() {
  const updates: unknown[] = [];
  const made: unknown[] = [];
  let format: ((value: number) => string) | undefined;
  const series = {
    applyOptions: (options: { priceFormat?: { formatter: (value: number) => string } }) => {
      format = options.priceFormat?.formatter ?? format;
    },
    options: () => ({ lastValueVisible: false }),
    setData: () => {},
    dataByIndex: () => null,
    update: (point: unknown) => updates.push(point),
  };
  const addSeries = () => {
    made.push(series);
    return series;
  };
  const chart = { addSeries, panes: () => [] } as unknown as IChartApi;
  return { chart, updates, made, print: (value: number) => format?.(value) };
}

const bar = (minute: number): Bar =>
  ({ openTs: minute * 60_000, closeTs: minute * 60_000 + 59_999 }) as unknown as Bar;
const timeAt = (index: number): Time => (index * 60) as unknown as Time;

it('draws a held value once a bar, and another one at once', () => {
  const { chart, updates, print } = fakeChart();
  let printed = 0;
  const samples = [{ ts: 0, value: 5 }];
  const held = sampled(
    {
      name: 'oi',
      title: '',
      lines: [{ name: 'OI', color: '--series-1' }],
      text: (value) => `${value} ${(printed += 1)}`,
    },
    () => [samples],
  );
  const series = new IndicatorSeries(chart, { ...held, isOverlay: true }, 0, () => '#123456');
  series.setAll([bar(0)], bar(1), timeAt);
  for (let i = 0; i < 10; i += 1) series.peek(bar(1), timeAt(1));
  expect(updates).toEqual([]);
  samples.push({ ts: 90_000, value: 6 });
  for (let i = 0; i < 10; i += 1) series.peek(bar(1), timeAt(1));
  expect(updates).toEqual([{ time: timeAt(1), value: 6 }]);
  series.close(bar(1), timeAt(1));
  for (let i = 0; i < 10; i += 1) series.peek(bar(2), timeAt(2));
  expect(updates.slice(1)).toEqual([{ time: timeAt(2), value: 6 }]);
  // The chart requests the texts of all lines of a pane with every frame.
  expect([print(6), print(6), print(7), print(6)]).toEqual(['6 1', '6 1', '7 2', '6 1']);
});

it('takes another title and other values without new series, and nothing that looks otherwise', () => {
  const { chart, made } = fakeChart();
  const look = { name: 'oi', title: '', lines: [{ name: 'OI', color: '--series-1' }], text: String };
  const held = { ...sampled(look, () => [[{ ts: 0, value: 5 }]]), isOverlay: true };
  const series = new IndicatorSeries(chart, held, 0, () => '#123456');
  expect(series.take({ ...held, title: 'loading…' })).toBe(true);
  expect([series.indicator.title, made.length]).toEqual(['loading…', 1]);
  expect(series.take({ ...held, lines: [...held.lines, ...held.lines] })).toBe(false);
});

it('has a short series for values that change with each trade only', () => {
  const { chart, made } = fakeChart();
  const overlay = { ...cvd('BTC'), isOverlay: true };
  const series = new IndicatorSeries(chart, overlay, 0, () => '#123456');
  expect(made).toHaveLength(2);
  series.setAll([{ ...bar(0), delta: 1 }], { ...bar(1), delta: 2 }, timeAt);
  expect(series.valuesAt(1).map(({ name }) => name)).toEqual(['CVD']);
});
