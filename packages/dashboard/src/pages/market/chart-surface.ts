import type { IChartApi, ISeriesPrimitive } from 'lightweight-charts';
import type { Bar } from '../../live/topic.ts';
import type { BarSeries } from './bar-series.ts';
import type { ColourOf, IndicatorSeries } from './indicator-series.ts';

/** From when to when, on the axis of a chart. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** What painters over the bars use. */
export interface ChartSurface {
  readonly chart: IChartApi;
  readonly prices: BarSeries['prices'];
  readonly colourOf: () => ColourOf;
  /** Draws a layer over the prices until the returned function is called, which may be after the chart is destroyed. */
  readonly attach: (layer: ISeriesPrimitive) => () => void;
  /** The closed ones. */
  readonly bars: () => readonly Bar[];
  /** The one in progress. */
  readonly open: () => Bar | null;
  /** As they are drawn: over the prices, or each in its own pane. */
  readonly indicators: () => readonly IndicatorSeries[];
}
