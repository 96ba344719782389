import type { IChartApi, ISeriesPrimitive, Time, UTCTimestamp } from 'lightweight-charts';
import { price, priceDigits } from '../../format/numbers.ts';
import type { Zone } from '../../format/times.ts';
import type { Bar } from '../../live/topic.ts';
import { axisTime, crosshairText, tickText } from './bar-axis.ts';
import { barsToCsv } from './bar-csv.ts';
import { BarSeries } from './bar-series.ts';
import { BarTimes } from './bar-times.ts';
import { type BarView, FIGURES_FIRST, firstView, keptView, viewOf, zoomedView } from './bar-view.ts';
import { chartLook, openHands, RIGHT_BARS, swipes } from './chart-look.ts';
import type { ChartSurface, TimeSpan } from './chart-surface.ts';
import { CoverageLine } from './coverage-line.ts';
import { type Share, sharesOf, sinceRecord, type Stretch } from './coverage-states.ts';
import type { Indicator } from './indicator.ts';
import { type ColourOf, IndicatorSeries, type LegendValue } from './indicator-series.ts';
import { pictureOf } from './picture-of.ts';
import { TagClearance } from './tag-clearance.ts';
import { createTimeChart } from './time-axis.ts';

/** Heights of the price pane and of each other, in parts. */
const PRICE_PARTS = 58;
const PANE_PARTS = 14;
/** Older bars are loaded when the first ones are this near, in bars. */
const FIRST_SEEN = 40;

interface BarChartOptions {
  readonly colourOf: ColourOf;
  readonly zone: Zone;
  /** Point and figure: columns of X and O instead of candles. */
  readonly isFigure: boolean;
}

/** Bars, volume, and indicators over them and in panes below. Bars are set together or one by one. */
export class BarChart {
  /** Called before a finger that stays opens the menu; false: it draws. */
  beforeMenu: (() => boolean) | undefined;
  readonly #chart: IChartApi;
  readonly #series: BarSeries;
  readonly #isFigure: boolean;
  readonly #tag: TagClearance;
  #colourOf: ColourOf;
  readonly #times: BarTimes;
  #bars: Bar[] = [];
  #open: Bar | null = null;
  /** The bar highlighted from outside; −1: none, or the mouse has moved since. */
  #pointed = -1;
  readonly #pointReaders: ((index: number) => void)[] = [];
  #indicators: IndicatorSeries[] = [];
  /** Drawn over the prices. */
  readonly #layers = new Set<ISeriesPrimitive>();
  /** Set when removed: a later change would draw another frame on destroyed canvases. */
  #isGone = false;
  readonly #coverage: CoverageLine;

  constructor(place: HTMLElement, { colourOf, zone, isFigure }: BarChartOptions) {
    this.#colourOf = colourOf;
    this.#isFigure = isFigure;
    this.#times = new BarTimes(zone);
    const openTsAt = (time: Time): number => this.barAt(this.#times.indexOf(Number(time)))?.openTs ?? 0;
    this.#chart = createTimeChart(place, {
      autoSize: true,
      ...chartLook(colourOf),
      ...openHands,
      ...swipes(),
      // A touch crosshair ends with the touch: otherwise the chart would capture the page until the next tap.
      trackingMode: { exitMode: 0 },
      localization: { timeFormatter: (time: Time) => crosshairText(openTsAt(time), this.#times.zone) },
      timeScale: {
        borderVisible: false,
        rightOffset: RIGHT_BARS,
        barSpacing: 7,
        minBarSpacing: 0.5,
        timeVisible: true,
        secondsVisible: true,
        tickMarkFormatter: (time: Time, type: number) => tickText(openTsAt(time), type, this.#times.zone),
      },
    });
    this.#series = new BarSeries(this.#chart, isFigure, () => this.#colourOf);
    this.#coverage = new CoverageLine({
      colourOf: () => this.#colourOf,
      labelOf: (ts) => `venue candles · tape from ${crosshairText(ts, this.#times.zone)}`,
    });
    this.#series.prices.attachPrimitive(this.#coverage);
    this.#tag = new TagClearance(this.#series.priceParts, (value) => price(value), 0.01);
    this.repaint(colourOf);
  }

  repaint(colourOf: ColourOf): void {
    this.#colourOf = colourOf;
    this.#chart.applyOptions(chartLook(colourOf));
    this.#series.repaint();
    for (const one of this.#indicators) one.repaint(colourOf);
    if (this.#bars.length > 0) this.#drawAll();
  }

  /** Times, days and their labels follow the zone. */
  setZone(zone: Zone): void {
    if (this.#times.zone === zone) return;
    this.#times.zone = zone;
    const view = this.#view;
    this.#drawAll();
    if (view) this.#look(view);
  }

  /** Replaces what is drawn besides the bars. */
  setIndicators(indicators: readonly Indicator[]): void {
    if (this.#isGone || this.#retakes(indicators)) return;
    for (const one of this.#indicators.splice(0)) one.remove();
    let panes = 1;
    for (const one of indicators) {
      const pane = one.isOverlay ? 0 : panes;
      if (!one.isOverlay) panes += 1;
      this.#indicators.push(new IndicatorSeries(this.#chart, one, pane, this.#colourOf));
    }
    for (const [i, pane] of this.#chart.panes().entries())
      pane.setStretchFactor(i === 0 ? PRICE_PARTS : PANE_PARTS);
    const height = this.#chart.chartElement().clientHeight - this.#chart.timeScale().height();
    const paneHeight = (height * PANE_PARTS) / (PRICE_PARTS + PANE_PARTS * (panes - 1));
    const last = this.#indicators.findLast(({ indicator }) => !indicator.isOverlay);
    for (const one of this.#indicators) one.clearTitle(paneHeight, one === last);
    for (const one of this.#indicators) one.setAll(this.#bars, this.#open, (i) => this.#timeAt(i));
  }

  /** Whether the panes stay as they are: only titles and values of these indicators differ. */
  #retakes(indicators: readonly Indicator[]): boolean {
    const drawn = this.#indicators;
    if (drawn.length === 0 || drawn.length !== indicators.length) return false;
    for (const [i, one] of drawn.entries()) {
      const next = indicators[i] as Indicator;
      if (one.indicator === next) continue;
      if (!one.take(next)) return false;
      one.setAll(this.#bars, this.#open, (at) => this.#timeAt(at));
    }
    return true;
  }

  /** Computes an indicator again from the first bar: its inputs have changed. */
  refreshIndicator(name: string): void {
    if (this.#isGone) return;
    const one = this.#indicators.find(({ indicator }) => indicator.name === name);
    one?.setAll(this.#bars, this.#open, (i) => this.#timeAt(i));
  }

  /** Keeps the prices below the legend: its lower edge in pixels, and a text that differs for each of its layouts. */
  clearLegend(bottom: number, layout: string): void {
    if (!this.#isGone) this.#series.clearLegend(bottom, layout);
  }

  /** Replaces all bars. */
  set(closed: readonly Bar[], open: Bar | null): void {
    if (this.#isGone) return;
    const [before, view] = [this.#bars, this.#view];
    this.#bars = [...closed];
    this.#open = open;
    const digits = priceDigits(closed.at(-1)?.close ?? open?.close ?? 1);
    this.#tag.setFormat((value) => price(value, digits), 10 ** -digits);
    this.#drawAll();
    // A reader of older bars stays there.
    const isLookedAt = view !== null && before.length > 0 && closed.length > 0;
    const first = firstView(this.count, this.#isFigure ? FIGURES_FIRST : undefined);
    this.#look(isLookedAt ? keptView(view, before, closed) : first);
  }

  /** Bars from before all others, or before all but the first, which the last of them replaces; what is visible stays. */
  prepend(older: readonly Bar[]): void {
    const last = older.at(-1);
    if (!last) return;
    this.set([...older, ...this.#bars.filter(({ openTs }) => openTs > last.openTs)], this.#open);
  }

  /** How complete the tape is. */
  setCoverage(stretches: readonly Stretch[]): void {
    this.#coverage.setStretches(stretches);
  }

  /** Shares of the visible time, of each state of the tape. */
  sharesIn({ from, to }: BarView, stretches: readonly Stretch[]): readonly Share[] {
    const bars = this.#all;
    const seen = bars.slice(Math.max(0, Math.round(from)), Math.max(0, Math.round(to) + 1));
    return sharesOf(seen, sinceRecord(bars, stretches));
  }

  /** Called while the first bars are visible. */
  onFirstSeen(call: () => void): void {
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && this.#bars.length > 0 && range.from < FIRST_SEEN) call();
    });
  }

  /** Reports the visible range of places whenever it changes. */
  onView(send: (view: BarView) => void): void {
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => range && send(range));
  }

  /** Reports the visible range of times whenever it changes. */
  onSight(send: (span: TimeSpan) => void): void {
    this.#chart.timeScale().subscribeVisibleTimeRangeChange((range) => {
      if (range) send({ from: Number(range.from), to: Number(range.to) });
    });
  }

  /** The visible times; `undefined` without bars. */
  get sight(): TimeSpan | undefined {
    const range = this.#isGone ? null : this.#chart.timeScale().getVisibleRange();
    return range ? { from: Number(range.from), to: Number(range.to) } : undefined;
  }

  /** Makes times visible, as far as there are bars. */
  showTimes({ from, to }: TimeSpan): void {
    if (this.#isGone || this.count < 2) return;
    const [first, last] = [this.#timeAt(0), this.#timeAt(this.count - 1)];
    if (to <= first || from >= last) return;
    const range = { from: Math.max(from, first) as UTCTimestamp, to: Math.min(to, last) as UTCTimestamp };
    this.#chart.timeScale().setVisibleRange(range);
  }

  /** Highlights the bar of a time, without moving; `undefined`: none. */
  pointAtTime(ts: number | undefined): void {
    if (this.#isGone) return;
    const closed = ts === undefined ? -1 : this.#times.indexOf(axisTime(ts + 1, this.#times.zone)) - 1;
    // Its axis has no time for the bar in progress.
    const isOpen = ts !== undefined && this.#open !== null && ts >= this.#open.openTs;
    const index = isOpen ? this.#bars.length : closed;
    this.#pointed = this.barAt(index) ? index : -1;
    if (this.#pointed < 0) this.#chart.clearCrosshairPosition();
    else this.#mark();
    for (const send of this.#pointReaders) send(this.#pointed);
  }

  /** Bars that have closed since, and the one in progress. */
  add(closed: readonly Bar[], open: Bar | null): void {
    if (this.#isGone) return;
    for (const bar of closed) {
      this.#times.add(bar);
      this.#bars.push(bar);
      const time = this.#timeAt(this.#bars.length - 1);
      this.#series.update(bar, time);
      for (const one of this.#indicators) one.close(bar, time);
    }
    this.#open = open;
    if (open) {
      const time = this.#timeAt(this.#bars.length);
      this.#series.update(open, time);
      for (const one of this.#indicators) one.peek(open, time);
    }
    this.#tag.refresh((open ?? closed.at(-1))?.close);
    if (closed.length > 0) {
      this.#coverage.setBars(this.#all);
      this.#mark();
    }
  }

  get surface(): ChartSurface {
    const { prices } = this.#series;
    return {
      chart: this.#chart,
      prices,
      colourOf: () => this.#colourOf,
      attach: (layer) => {
        if (this.#isGone) return () => undefined;
        prices.attachPrimitive(layer);
        this.#layers.add(layer);
        return () => {
          if (this.#layers.delete(layer)) prices.detachPrimitive(layer);
        };
      },
      bars: () => this.#bars,
      open: () => this.#open,
      indicators: () => this.#indicators,
    };
  }

  /** The bar that keys have moved to. */
  get pointedBar(): Bar | undefined {
    return this.barAt(this.#pointed);
  }

  /** The one in progress included. */
  get count(): number {
    return this.#bars.length + (this.#open ? 1 : 0);
  }

  barAt(index: number): Bar | undefined {
    return this.#bars[index] ?? (index === this.#bars.length ? (this.#open ?? undefined) : undefined);
  }

  /** The values of every indicator at a bar. */
  valuesAt(index: number): readonly LegendValue[] {
    return this.#indicators.flatMap((one) => one.valuesAt(index));
  }

  /** Reports the bar that is pointed at, by mouse, keys or from another chart: its index, −1 for none. */
  onPoint(send: (index: number) => void): void {
    this.#pointReaders.push(send);
    this.#chart.subscribeCrosshairMove(({ time, logical, sourceEvent }) => {
      // A crosshair set by code also reports its position while bars move below it.
      if (this.#pointed >= 0 && !sourceEvent) return;
      this.#pointed = -1;
      send(time === undefined ? -1 : (logical ?? -1));
    });
  }

  /** The price at a height of the chart, in pixels from its top; `undefined` below the prices. */
  priceAt(y: number): number | undefined {
    const height = this.#chart.panes()[0]?.getHeight() ?? 0;
    return y > height ? undefined : (this.#series.prices.coordinateToPrice(y) ?? undefined);
  }

  /** The bar at a distance from the left of the chart, in pixels. */
  barAtX(x: number): Bar | undefined {
    return this.barAt(this.#chart.timeScale().coordinateToLogical(x) ?? -1);
  }

  /** Highlights a bar and makes it visible; −1: none. */
  point(index: number): void {
    const view = this.#view;
    this.#pointed = view && this.barAt(index) ? index : -1;
    for (const send of this.#pointReaders) send(this.#pointed);
    if (!view || this.#pointed < 0) return this.#chart.clearCrosshairPosition();
    this.#look(viewOf(index, view));
    this.#mark();
  }

  /** Zooms by this factor around the bar at an index. */
  zoom(factor: number, index: number): void {
    const view = this.#view;
    if (!view) return;
    const around = index < 0 ? Math.min(this.count - 1, view.to) : index;
    this.#look(zoomedView(view, factor, around, this.count));
    this.#mark();
  }

  /** Shows fewer bars, each this wide in pixels; the last visible one stays. */
  widen(barPx: number): void {
    const to = Math.min(this.#view?.to ?? 0, this.count);
    this.#look({ from: to - this.#chart.timeScale().width() / barPx, to });
  }

  /** The closed bars as a table. */
  toCsv(): string {
    return barsToCsv(this.#bars);
  }

  /** The chart on the page's background below a caption, as a picture. */
  toPicture(caption: Parameters<typeof pictureOf>[2]): Promise<Blob> {
    // With the layers on top: drawings, and the line of how complete the tape is.
    const drawn = this.#chart.takeScreenshot(true);
    const scale = drawn.width / Math.max(1, this.#chart.chartElement().clientWidth);
    return pictureOf(drawn, scale, caption, this.#colourOf);
  }

  /** Layers are detached first: none can request another frame afterwards. */
  destroy(): void {
    for (const layer of [...this.#layers, this.#coverage]) this.#series.prices.detachPrimitive(layer);
    this.#layers.clear();
    this.#isGone = true;
    this.#chart.remove();
  }

  get #view(): BarView | null {
    return this.#chart.timeScale().getVisibleLogicalRange();
  }

  /** The closed ones, and the one in progress. */
  get #all(): readonly Bar[] {
    return this.#open ? [...this.#bars, this.#open] : this.#bars;
  }

  /** Position of a bar; the one in progress comes after the closed ones. */
  #timeAt(index: number): UTCTimestamp {
    const time = this.#times.at(index) ?? (this.#open ? this.#times.next(this.#open) : 0);
    return time as UTCTimestamp;
  }

  /**
   * The crosshair stays at its place on the screen: it is set again once bars have moved, which happens in the next
   * frame.
   */
  #mark(): void {
    requestAnimationFrame(() => {
      const bar = this.barAt(this.#pointed);
      if (bar && !this.#isGone)
        this.#chart.setCrosshairPosition(bar.close, this.#timeAt(this.#pointed), this.#series.prices);
    });
  }

  #look(view: BarView): void {
    this.#chart.timeScale().setVisibleLogicalRange(view);
  }

  #drawAll(): void {
    this.#times.set(this.#bars);
    const bars = this.#all;
    this.#coverage.setBars(bars);
    this.#series.set(bars, (i) => this.#timeAt(i));
    for (const one of this.#indicators) one.setAll(this.#bars, this.#open, (i) => this.#timeAt(i));
    this.#tag.refresh(bars.at(-1)?.close);
  }
}
