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
import { SplitSeries } from './split-series.ts';
import { TagClearance } from './tag-clearance.ts';

interface Point {
  readonly time: Time;
  readonly value?: number;
  readonly color?: string;
}
type Series = SplitSeries<Point, ISeriesApi<'Line'> | ISeriesApi<'Histogram'>>;
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
  /** Shown only for a bar that is pointed at. */
  readonly isRead: boolean;
}

/** Text of a line without a value at a bar. */
export const NONE = '–';
/** With more lines than this, tags of their last values would cover each other. */
const TAGGED_MAX = 3;
/** Height of the title of a pane, and the largest share of its height that is left to it. */
const TITLE_PX = 20;
const TITLE_SHARE_MAX = 0.45;
const BOTTOM_SHARE = 0.08;
/** Dashes of a line, as the chart numbers its styles. */
const DASHED = 2;
/** Steps of the scale of a pane. */
const MIN_MOVE = 1e-8;

/** A drawn indicator: its series, and the state of its computation. */
export class IndicatorSeries {
  indicator: Indicator;
  readonly #chart: IChartApi;
  readonly #series: readonly {
    readonly line: IndicatorLine;
    readonly series: Series;
    readonly tag: TagClearance;
    /** The newest point that the chart has. */
    newest: { readonly time: Time; readonly value: number | undefined } | undefined;
  }[];
  readonly #watermark: ReturnType<typeof createTextWatermark<Time>> | undefined;
  #colourOf: ColourOf;
  #run: IndicatorRun;

  constructor(chart: IChartApi, indicator: Indicator, pane: number, colourOf: ColourOf) {
    this.indicator = indicator;
    this.#chart = chart;
    this.#colourOf = colourOf;
    this.#run = indicator.run();
    const isFew =
      !indicator.isOverlay &&
      indicator.lines.length <= TAGGED_MAX &&
      !indicator.lines.some(({ isMain }) => isMain);
    this.#series = indicator.lines.map((line) => {
      const isTagged = isFew || line.isMain === true;
      const common = {
        priceLineVisible: false,
        lastValueVisible: isTagged,
        ...(line.isRead && { visible: false }),
      };
      const partOf = (options: typeof common) =>
        line.isColumns
          ? chart.addSeries(HistogramSeries, options, pane)
          : chart.addSeries(
              LineSeries,
              {
                ...options,
                lineWidth: isTagged ? 2 : 1,
                crosshairMarkerVisible: false,
                ...(line.isDashed && { lineStyle: DASHED }),
              },
              pane,
            );
      const older = indicator.isSampled ? undefined : partOf({ ...common, lastValueVisible: false });
      const series: Series = new SplitSeries(older, partOf(common), !line.isColumns);
      return {
        line,
        series,
        tag: new TagClearance(series.parts, indicator.text, MIN_MOVE),
        newest: undefined,
      };
    });
    const [first] = this.#series;
    for (const price of indicator.marks ?? [])
      first?.series.recent.createPriceLine({
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
    for (const { line, series } of this.#series)
      for (const part of series.parts) part.applyOptions({ color: colourOf(line.color) });
    this.#paintTitle();
  }

  #paintTitle(): void {
    const { title } = this.indicator;
    const color = this.#colourOf('--text-2');
    this.#watermark?.applyOptions({ lines: [{ text: ` ${title}`, color, fontSize: 11, lineHeight: 18 }] });
  }

  /** Takes another indicator that looks the same apart from its title; false: it looks otherwise. */
  take(next: Indicator): boolean {
    if (lookOf(next) !== lookOf(this.indicator)) return false;
    this.indicator = next;
    for (const { tag } of this.#series) tag.setFormat(next.text, MIN_MOVE);
    this.#paintTitle();
    return true;
  }

  /** Draws its lines below the title of its pane, which is this high, and above what is written below the last pane. */
  clearTitle(paneHeight: number, isLast: boolean): void {
    if (this.indicator.isOverlay) return;
    const share = Math.min(TITLE_SHARE_MAX, TITLE_PX / Math.max(1, paneHeight));
    const scaleMargins = { top: share, bottom: isLast ? share : BOTTOM_SHARE };
    for (const { series } of this.#series) series.recent.priceScale().applyOptions({ scaleMargins });
  }

  setAll(bars: readonly Bar[], open: Bar | null, timeAt: (index: number) => Time): void {
    this.#run = this.indicator.run();
    const rows = bars.map((bar) => this.#run.close(bar));
    if (open) rows.push(this.#run.peek(open));
    for (const [i, drawn] of this.#series.entries()) {
      const { line, series, tag } = drawn;
      // Years of bars may have values of a day: the others take no place.
      const first = rows.findIndex((values) => values[i] !== undefined);
      const known = first < 0 ? [] : rows.slice(first);
      series.setData(
        known.map((values, at) =>
          this.#point(line, values[i], timeAt(first + at), (bars[first + at] ?? open)?.close),
        ),
      );
      const value = rows.at(-1)?.[i];
      drawn.newest = rows.length === 0 ? undefined : { time: timeAt(rows.length - 1), value };
      tag.refresh(value);
    }
  }

  close(bar: Bar, time: Time): void {
    this.#update(this.#run.close(bar), time, bar.close);
  }

  peek(bar: Bar, time: Time): void {
    this.#update(this.#run.peek(bar), time, bar.close);
  }

  /** The values of its lines at a bar, for the legend. */
  valuesAt(index: number): readonly LegendValue[] {
    return this.#series.map(({ line, series, tag }, i) => {
      const value = series.valueAt(index);
      const text = value === undefined ? NONE : tag.print(value);
      const label = i === 0 ? this.indicator.label : undefined;
      const isOfMany = this.#series.length > TAGGED_MAX && !line.isMain;
      return { label, name: line.name, color: line.color, text, isOfMany, isRead: line.isRead === true };
    });
  }

  /** The newest value of each of its lines. */
  get newest(): readonly (number | undefined)[] {
    return this.#series.map(({ newest }) => newest?.value);
  }

  /** The value at a height of its pane, in pixels from its top. */
  valueAtY(y: number): number | undefined {
    return this.#series[0]?.series.recent.coordinateToPrice(y) ?? undefined;
  }

  remove(): void {
    this.#watermark?.detach();
    for (const { series } of this.#series) for (const part of series.parts) this.#chart.removeSeries(part);
  }

  #update(values: IndicatorValues, time: Time, close: number): void {
    for (const [i, drawn] of this.#series.entries()) {
      const { line, series, tag, newest } = drawn;
      const value = values[i];
      if (value === undefined) continue;
      // An unchanged value is kept: the chart computes all panes again with every update.
      if (newest?.time !== time || newest.value !== value) {
        drawn.newest = { time, value };
        series.update(this.#point(line, value, time, close));
      }
      tag.refresh(value);
    }
  }

  #point(
    { isColumns, isTrend }: IndicatorLine,
    value: number | undefined,
    time: Time,
    close: number | undefined,
  ): Point {
    if (value === undefined) return { time };
    if (isTrend) return { time, value, color: this.#colourOf((close ?? value) < value ? '--down' : '--up') };
    return isColumns
      ? { time, value, color: this.#colourOf(value < 0 ? '--down' : '--up') }
      : { time, value };
  }
}

function lookOf({ name, isOverlay, isSampled, lines, marks }: Indicator): string {
  return JSON.stringify([name, isOverlay, isSampled, lines, marks]);
}
