import {
  CandlestickSeries,
  type ChartOptions,
  createChart,
  type DeepPartial,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { compact, price, priceDigits } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';
import { type BarView, firstView, keptView, viewOf, zoomedView } from './bar-view.ts';

/** A value that is known at times of its own, and holds until the next. */
export interface Sample {
  readonly ts: number;
  readonly value: number;
}

export interface Colours {
  readonly up: string;
  readonly down: string;
  readonly warn: string;
  readonly text: string;
  readonly line: string;
  readonly strong: string;
  readonly cvd: string;
  readonly oi: string;
  readonly funding: string;
}

const csvFields = [
  'openTs',
  'closeTs',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'buyVolume',
  'trades',
  'delta',
  'direction',
  'complete',
] as const;

/** Heights of the panes, in parts. */
const heights = [58, 14, 14, 14];
/** Bars of rotation kinds may share a second: on the axis each bar has a minute of its own, and is named by its true time. */
const STEP_SECONDS = 60;

/**
 * Candles, volume, and panes for CVD, open interest and funding. Bars come whole or one by one; everything else is laid
 * under them by time.
 */
export class BarChart {
  readonly #chart: IChartApi;
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #cvd: ISeriesApi<'Line'>;
  readonly #oi: ISeriesApi<'Line'>;
  readonly #funding: ISeriesApi<'Line'>;
  #colours: Colours;
  #bars: Bar[] = [];
  #open: Bar | null = null;
  /** The bar that was pointed at from outside; −1: none, or another by the mouse since. */
  #pointed = -1;
  /** CVD at the end of the closed bars. */
  #cvdClosed = 0;
  #oiSamples: readonly Sample[] = [];
  #fundingSamples: readonly Sample[] = [];

  constructor(place: HTMLElement, colours: Colours, timeOf: (ts: number, isShort: boolean) => string) {
    this.#colours = colours;
    const named = (time: Time, isShort: boolean): string => {
      const bar = this.barAt(Number(time) / STEP_SECONDS);
      return bar ? timeOf(bar.openTs, isShort) : '';
    };
    this.#chart = createChart(place, {
      autoSize: true,
      ...paint(colours),
      localization: { timeFormatter: (time: Time) => named(time, false) },
      timeScale: {
        borderVisible: false,
        rightOffset: 6,
        barSpacing: 7,
        minBarSpacing: 0.5,
        tickMarkFormatter: (time: Time) => named(time, true),
      },
    });
    this.#candles = this.#chart.addSeries(CandlestickSeries, { borderVisible: false, priceLineStyle: 3 });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'custom', formatter: (value: number) => compact(value, 1) },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.2 } });
    const line = (pane: number, formatter: (value: number) => string): ISeriesApi<'Line'> =>
      this.#chart.addSeries(
        LineSeries,
        { lineWidth: 2, priceLineVisible: false, priceFormat: { type: 'custom', formatter, minMove: 1e-8 } },
        pane,
      );
    this.#cvd = line(1, (value) => compact(value, 1));
    this.#oi = line(2, (value) => compact(value, 2));
    this.#funding = line(3, (value) => `${value.toFixed(4)}%`);
    for (const [i, pane] of this.#chart.panes().entries()) pane.setStretchFactor(heights[i] ?? 1);
    this.repaint(colours);
  }

  repaint(colours: Colours): void {
    this.#colours = colours;
    const { up, down } = colours;
    this.#chart.applyOptions(paint(colours));
    this.#candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
    this.#cvd.applyOptions({ color: colours.cvd });
    this.#oi.applyOptions({ color: colours.oi });
    this.#funding.applyOptions({ color: colours.funding });
    if (this.#bars.length > 0) this.#drawAll();
  }

  /** Replaces all bars. */
  set(closed: readonly Bar[], open: Bar | null): void {
    const [before, view] = [this.#bars, this.#view];
    this.#bars = [...closed];
    this.#open = open;
    const digits = priceDigits(closed.at(-1)?.close ?? open?.close ?? 1);
    const formatter = (value: number): string => price(value, digits);
    this.#candles.applyOptions({ priceFormat: { type: 'custom', formatter, minMove: 10 ** -digits } });
    this.#drawAll();
    this.rename();
    // Who looks at some of them goes on looking there.
    const isLookedAt = view !== null && before.length > 0 && closed.length > 0;
    this.#look(isLookedAt ? keptView(view, before, closed) : firstView(this.count));
  }

  /**
   * Times are formatted once and cached by position: when other bars are there, or the format changes, they are
   * formatted again.
   */
  rename(): void {
    this.#chart.applyOptions({ timeScale: {} });
  }

  /** Bars that have closed since, and the one in progress. */
  add(closed: readonly Bar[], open: Bar | null): void {
    for (const bar of closed) {
      const index = this.#bars.length;
      this.#bars.push(bar);
      this.#draw(bar, index);
      this.#cvdClosed += bar.delta;
    }
    this.#open = open;
    if (open) this.#draw(open, this.#bars.length);
    if (closed.length > 0) this.#mark();
  }

  /** The recorded history, continued with live values; without any, earlier values are dropped. */
  setOpenInterest(samples: readonly Sample[]): void {
    this.#oiSamples = samples.length === 0 ? samples : goneOn(samples, this.#oiSamples);
    this.#oi.setData(this.#laid(this.#oiSamples));
  }

  setFunding(samples: readonly Sample[]): void {
    this.#fundingSamples = samples.length === 0 ? samples : goneOn(samples, this.#fundingSamples);
    this.#funding.setData(this.#laid(this.#fundingSamples));
  }

  /** A live value; bars show it from the next trade on. */
  addOpenInterest(sample: Sample): void {
    this.#oiSamples = goneOn(this.#oiSamples, [sample]);
  }

  addFunding(sample: Sample): void {
    this.#fundingSamples = goneOn(this.#fundingSamples, [sample]);
  }

  /** The one in progress included. */
  get count(): number {
    return this.#bars.length + (this.#open ? 1 : 0);
  }

  barAt(index: number): Bar | undefined {
    return this.#bars[index] ?? (index === this.#bars.length ? (this.#open ?? undefined) : undefined);
  }

  /** Reports the bar under the pointer: its index, −1 for none. */
  onPoint(send: (index: number) => void): void {
    this.#chart.subscribeCrosshairMove(({ time, sourceEvent }) => {
      // A crosshair set by code also reports where it lies while bars move below it.
      if (this.#pointed >= 0 && !sourceEvent) return;
      this.#pointed = -1;
      send(time === undefined ? -1 : Number(time) / STEP_SECONDS);
    });
  }

  /** Points at a bar, and brings it into sight; −1 points at none. */
  point(index: number): void {
    const view = this.#view;
    this.#pointed = view && this.barAt(index) ? index : -1;
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

  /** The closed bars as a table that any program reads. */
  toCsv(): string {
    const rows = this.#bars.map((bar) => csvFields.map((name) => bar[name]).join(','));
    return [csvFields.join(','), ...rows, ''].join('\n');
  }

  destroy(): void {
    this.#chart.remove();
  }

  get #view(): BarView | null {
    return this.#chart.timeScale().getVisibleLogicalRange();
  }

  /**
   * The crosshair stays at its place on the screen: it is set again once bars have moved, which happens in the next
   * frame.
   */
  #mark(): void {
    requestAnimationFrame(() => {
      const bar = this.barAt(this.#pointed);
      if (bar) this.#chart.setCrosshairPosition(bar.close, timeAt(this.#pointed), this.#candles);
    });
  }

  #look(view: BarView): void {
    this.#chart.timeScale().setVisibleLogicalRange(view);
  }

  #drawAll(): void {
    const bars = this.#open ? [...this.#bars, this.#open] : this.#bars;
    this.#candles.setData(bars.map((bar, i) => this.#candle(bar, i)));
    this.#volume.setData(bars.map((bar, i) => this.#column(bar, i)));
    let cvd = 0;
    this.#cvd.setData(bars.map(({ delta }, i) => ({ time: timeAt(i), value: (cvd += delta) })));
    this.#cvdClosed = cvd - (this.#open?.delta ?? 0);
    this.#oi.setData(this.#laid(this.#oiSamples));
    this.#funding.setData(this.#laid(this.#fundingSamples));
  }

  #draw(bar: Bar, index: number): void {
    const time = timeAt(index);
    this.#candles.update(this.#candle(bar, index));
    this.#volume.update(this.#column(bar, index));
    this.#cvd.update({ time, value: this.#cvdClosed + bar.delta });
    const [oi, funding] = [valueAt(this.#oiSamples, bar.closeTs), valueAt(this.#fundingSamples, bar.closeTs)];
    if (oi !== undefined) this.#oi.update({ time, value: oi });
    if (funding !== undefined) this.#funding.update({ time, value: funding });
  }

  #candle(bar: Bar, index: number) {
    const { open, high, low, close, complete } = bar;
    // Where the tape has a gap the bar is incomplete.
    const colour = complete ? {} : { color: this.#colours.warn, wickColor: this.#colours.warn };
    return { time: timeAt(index), open, high, low, close, ...colour };
  }

  #column({ volume, open, close }: Bar, index: number) {
    const colour = close >= open ? this.#colours.up : this.#colours.down;
    return { time: timeAt(index), value: volume, color: `${colour}55` };
  }

  #laid(samples: readonly Sample[]) {
    const bars = this.#open ? [...this.#bars, this.#open] : this.#bars;
    let at = -1;
    return bars.map(({ closeTs }, i) => {
      while (at + 1 < samples.length && (samples[at + 1] as Sample).ts <= closeTs) at += 1;
      const value = samples[at]?.value;
      return value === undefined ? { time: timeAt(i) } : { time: timeAt(i), value };
    });
  }
}

function timeAt(index: number): UTCTimestamp {
  return (index * STEP_SECONDS) as UTCTimestamp;
}

/** Samples, and those of others that are newer than the last of them. */
function goneOn(samples: readonly Sample[], others: readonly Sample[]): readonly Sample[] {
  const lastTs = samples.at(-1)?.ts ?? 0;
  return [...samples, ...others.filter(({ ts }) => ts > lastTs)];
}

/** The newest sample at or before a time. */
function valueAt(samples: readonly Sample[], ts: number): number | undefined {
  for (let i = samples.length - 1; i >= 0; i -= 1) {
    const sample = samples[i] as Sample;
    if (sample.ts <= ts) return sample.value;
  }
  return undefined;
}

function paint({ text, line, strong }: Colours): DeepPartial<ChartOptions> {
  return {
    layout: {
      background: { color: 'transparent' },
      textColor: text,
      fontSize: 11,
      // Its mark would write a style into the document; the page names its makers itself.
      attributionLogo: false,
      panes: { separatorColor: line, separatorHoverColor: strong },
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    crosshair: {
      mode: 0,
      vertLine: { labelBackgroundColor: strong },
      horzLine: { labelBackgroundColor: strong },
    },
    rightPriceScale: { borderVisible: false, minimumWidth: 64 },
  };
}
