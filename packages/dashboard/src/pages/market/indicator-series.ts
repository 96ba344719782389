import {
  createTextWatermark,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type Time,
} from 'lightweight-charts';
import type { Bar } from '../../live/topic.ts';
import type { Indicator, IndicatorLine, IndicatorRun, IndicatorValues } from './indicator.ts';
import { TagClearance } from './tag-clearance.ts';

type Series = ISeriesApi<'Line'> | ISeriesApi<'Histogram'>;
export type ColourOf = (token: string) => string;

/** A line of an indicator in the legend. */
export interface LegendValue {
  /** Before the first line of several. */
  readonly label?: string | undefined;
  readonly name: string;
  readonly color: string;
  readonly text: string;
  /** One of more lines than a narrow screen has room for. */
  readonly isOfMany: boolean;
}

/** With more lines than this, tags of their last values would cover each other. */
const TAGGED_MAX = 3;
/** Dashes of a line, as the chart numbers its styles. */
const DASHED = 2;

/** An indicator as it is drawn: its series, and how far its run has come. */
export class IndicatorSeries {
  readonly indicator: Indicator;
  readonly #chart: IChartApi;
  readonly #series: readonly {
    readonly line: IndicatorLine;
    readonly api: Series;
    readonly tag: TagClearance;
  }[];
  readonly #watermark: ReturnType<typeof createTextWatermark<Time>> | undefined;
  #colourOf: ColourOf;
  #run: IndicatorRun;

  constructor(chart: IChartApi, indicator: Indicator, pane: number, colourOf: ColourOf) {
    this.indicator = indicator;
    this.#chart = chart;
    this.#colourOf = colourOf;
    this.#run = indicator.run();
    const isTagged = !indicator.isOverlay && indicator.lines.length <= TAGGED_MAX;
    this.#series = indicator.lines.map((line) => {
      const common = { priceLineVisible: false, lastValueVisible: isTagged };
      const api: Series = line.isColumns
        ? chart.addSeries(HistogramSeries, common, pane)
        : chart.addSeries(
            LineSeries,
            {
              ...common,
              lineWidth: isTagged ? 2 : 1,
              crosshairMarkerVisible: false,
              ...(line.isDashed && { lineStyle: DASHED }),
            },
            pane,
          );
      return { line, api, tag: new TagClearance(api, indicator.text, 1e-8) };
    });
    const [first] = this.#series;
    for (const price of indicator.marks ?? [])
      first?.api.createPriceLine({
        price,
        color: colourOf('--line-strong'),
        lineWidth: 1,
        axisLabelVisible: false,
      });
    const target = indicator.isOverlay ? undefined : chart.panes()[pane];
    this.#watermark = target && createTextWatermark(target, { horzAlign: 'left', vertAlign: 'top' });
    this.repaint(colourOf);
  }

  repaint(colourOf: ColourOf): void {
    this.#colourOf = colourOf;
    for (const { line, api } of this.#series) api.applyOptions({ color: colourOf(line.color) });
    this.#watermark?.applyOptions({
      lines: [
        { text: ` ${this.indicator.title}`, color: colourOf('--text-2'), fontSize: 11, lineHeight: 18 },
      ],
    });
  }

  setAll(bars: readonly Bar[], open: Bar | null, timeAt: (index: number) => Time): void {
    this.#run = this.indicator.run();
    const rows = bars.map((bar) => this.#run.close(bar));
    if (open) rows.push(this.#run.peek(open));
    for (const [i, { line, api, tag }] of this.#series.entries()) {
      // Years of bars may have values of a day: the others take no place.
      const first = rows.findIndex((values) => values[i] !== undefined);
      const known = first < 0 ? [] : rows.slice(first);
      api.setData(known.map((values, at) => this.#point(line, values[i], timeAt(first + at))));
      tag.refresh(rows.at(-1)?.[i]);
    }
  }

  close(bar: Bar, time: Time): void {
    this.#update(this.#run.close(bar), time);
  }

  peek(bar: Bar, time: Time): void {
    this.#update(this.#run.peek(bar), time);
  }

  /** The values of its lines at a bar, for the legend. */
  valuesAt(index: number): readonly LegendValue[] {
    return this.#series.map(({ line, api }, i) => {
      const point = api.dataByIndex(index);
      const value = (point as { value?: number } | null)?.value;
      const text = value === undefined ? '–' : this.indicator.text(value);
      const label = i === 0 ? this.indicator.label : undefined;
      const isOfMany = this.#series.length > TAGGED_MAX;
      return { label, name: line.name, color: line.color, text, isOfMany };
    });
  }

  remove(): void {
    this.#watermark?.detach();
    for (const { api } of this.#series) this.#chart.removeSeries(api);
  }

  #update(values: IndicatorValues, time: Time): void {
    for (const [i, { line, api, tag }] of this.#series.entries()) {
      if (values[i] === undefined) continue;
      api.update(this.#point(line, values[i], time));
      tag.refresh(values[i]);
    }
  }

  #point({ isColumns }: IndicatorLine, value: number | undefined, time: Time) {
    if (value === undefined) return { time };
    return isColumns
      ? { time, value, color: this.#colourOf(value < 0 ? '--down' : '--up') }
      : { time, value };
  }
}
