import type { ISeriesPrimitive } from 'lightweight-charts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BarChart } from './bar-chart.ts';

interface SeriesOptions {
  readonly autoscaleInfoProvider?: (rangeOf: () => object) => object;
}

/** Calls to the chart library, in order. */
const done = vi.hoisted((): string[] => []);
/** Options of the newest chart, and those of its series. */
const made = vi.hoisted((): { options?: object; series: SeriesOptions[] } => ({ series: [] }));

const preferReduced = (matches: boolean): void => void vi.stubGlobal('matchMedia', () => ({ matches }));
beforeEach(() => preferReduced(false));
afterEach(() => {
  vi.unstubAllGlobals();
});

vi.mock('lightweight-charts', async (importOriginal) => {
  const series = {
    applyOptions: () => {},
    options: () => ({ lastValueVisible: false }),
    priceScale: () => ({ applyOptions: () => done.push('scaled') }),
    attachPrimitive: () => done.push('attach'),
    detachPrimitive: () => done.push('detach'),
  };
  const chart = {
    addSeries: (_kind: unknown, options: SeriesOptions) => {
      made.series.push(options);
      return series;
    },
    applyOptions: () => {},
    remove: () => done.push('remove'),
    clearCrosshairPosition: () => done.push('crosshair'),
    panes: () => {
      done.push('panes');
      return [{ getHeight: () => 300 }];
    },
    timeScale: () => done.push('scale'),
  };
  const createChartEx = (_place: unknown, _axis: unknown, options: object): unknown => {
    made.options = options;
    return chart;
  };
  return { ...(await importOriginal<object>()), createChartEx };
});

function chartOf(): BarChart {
  return new BarChart({} as HTMLElement, { colourOf: () => '#123456', zone: 'UTC', isFigure: false });
}

it('takes all layers away before it goes; one that is gone would draw another frame for whatever is done to it', () => {
  const layer: ISeriesPrimitive = {};
  const [kept, gone] = [chartOf(), chartOf()];
  done.length = 0;
  kept.surface.attach(layer)();
  expect(done).toEqual(['attach', 'detach']);
  const detach = gone.surface.attach(layer);
  gone.destroy();
  // The layer, and the line of how complete the tape is.
  expect(done.slice(2)).toEqual(['attach', 'detach', 'detach', 'remove']);
  detach();
  gone.surface.attach(layer)();
  gone.set([], null);
  gone.add([], null);
  gone.setIndicators([]);
  gone.setCoverage([]);
  gone.clearLegend(60, '');
  gone.showTimes({ from: 0, to: 1 });
  gone.pointAtTime(undefined);
  expect(done.slice(6)).toEqual([]);
});

it('glides on after a swipe, except for readers who prefer reduced motion', () => {
  for (const isReduced of [false, true]) {
    preferReduced(isReduced);
    chartOf();
    expect(made.options).toMatchObject({ kineticScroll: { touch: !isReduced, mouse: false } });
  }
});

it('keeps older and newer candles below the legend, and the volume where it is', () => {
  made.series.length = 0;
  const chart = chartOf();
  done.length = 0;
  chart.clearLegend(64, 'ema 900');
  chart.clearLegend(48, 'ema 900');
  expect(done).toEqual(['scaled']);
  const info = { priceRange: { minValue: 1, maxValue: 2 } };
  const scaled = made.series.map(({ autoscaleInfoProvider }) => autoscaleInfoProvider?.(() => info));
  const raised = { ...info, margins: { above: 40, below: 0 } };
  expect(scaled).toEqual([raised, raised, undefined, undefined]);
});
