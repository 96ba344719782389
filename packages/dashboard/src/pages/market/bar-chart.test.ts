import type { ISeriesPrimitive } from 'lightweight-charts';
import { expect, it, vi } from 'vitest';
import { BarChart } from './bar-chart.ts';

/** What is done to the chart of the library, in order. */
const done = vi.hoisted((): string[] => []);

vi.mock('lightweight-charts', async (importOriginal) => {
  const series = {
    applyOptions: () => {},
    options: () => ({ lastValueVisible: false }),
    priceScale: () => ({ applyOptions: () => {} }),
    attachPrimitive: () => done.push('attach'),
    detachPrimitive: () => done.push('detach'),
  };
  const chart = { addSeries: () => series, applyOptions: () => {}, remove: () => done.push('remove') };
  return { ...(await importOriginal<object>()), createChart: () => chart };
});

function chartOf(): BarChart {
  return new BarChart({} as HTMLElement, { colourOf: () => '#123456', zone: 'UTC', isFigure: false });
}

it('takes layers away while it is there; one that is gone would draw another frame for it', () => {
  const layer: ISeriesPrimitive = {};
  const [kept, gone] = [chartOf(), chartOf()];
  done.length = 0;
  kept.surface.attach(layer)();
  expect(done).toEqual(['attach', 'detach']);
  const detach = gone.surface.attach(layer);
  gone.destroy();
  detach();
  expect(done.slice(2)).toEqual(['attach', 'remove']);
});
