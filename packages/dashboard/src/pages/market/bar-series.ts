import {
  type AutoscaleInfo,
  type CandlestickData,
  CandlestickSeries,
  type HistogramData,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type Time,
  type UTCTimestamp,
  type WhitespaceData,
} from 'lightweight-charts';
import { compact } from '../../format/numbers.ts';
import type { Bar } from '../../live/topic.ts';
import { type FigureData, FigureSeries } from './figure-series.ts';
import type { ColourOf } from './indicator-series.ts';
import { LegendRoom, TOP_SHARE } from './legend-room.ts';
import { SplitSeries } from './split-series.ts';

/** Room below the newest bar's tag is kept for volume. */
const VOLUME_TOP = 0.84;
const DOTTED = 3;

type FigureApi = ISeriesApi<'Custom', Time, FigureData | WhitespaceData<Time>>;
type CandleApi = ISeriesApi<'Candlestick'>;
type VolumeApi = ISeriesApi<'Histogram'>;

/** Of two parts only the one with the newest bar shows its price. */
const untagged = { lastValueVisible: false, priceLineVisible: false };

/** Draws bars as candles, or as columns of X and O, and their volume below. */
export class BarSeries {
  readonly #candles: SplitSeries<CandlestickData<Time>, CandleApi> | undefined;
  readonly #figures: SplitSeries<FigureData, FigureApi> | undefined;
  readonly #volume: SplitSeries<HistogramData<Time>, VolumeApi>;
  readonly #colourOf: () => ColourOf;
  /** Height of a box of point and figure; `undefined` until a column shows it. */
  #box: number | undefined;
  readonly #legendRoom = new LegendRoom();

  constructor(chart: IChartApi, isFigure: boolean, colourOf: () => ColourOf) {
    this.#colourOf = colourOf;
    const look = {
      priceLineStyle: DOTTED,
      autoscaleInfoProvider: (rangeOf: () => AutoscaleInfo | null) =>
        this.#legendRoom.addTo(rangeOf(), chart.panes()[0]?.getHeight() ?? 0),
    };
    const figures = (options: object) => chart.addCustomSeries(new FigureSeries(), { ...look, ...options });
    const candles = (options: object) =>
      chart.addSeries(CandlestickSeries, { ...look, borderVisible: false, ...options });
    const volumes = () =>
      chart.addSeries(HistogramSeries, {
        priceScaleId: 'volume',
        priceFormat: { type: 'custom', formatter: (value: number) => compact(value, 1) },
        ...untagged,
      });
    if (isFigure) this.#figures = new SplitSeries(figures(untagged), figures({}), false);
    else this.#candles = new SplitSeries(candles(untagged), candles({}), false);
    this.#volume = new SplitSeries(volumes(), volumes(), false);
    this.#volume.recent.priceScale().applyOptions({ scaleMargins: { top: VOLUME_TOP, bottom: 0 } });
    this.prices.priceScale().applyOptions({ scaleMargins: { top: TOP_SHARE, bottom: 0.2 } });
  }

  /** The series of prices with the newest bar. */
  get prices(): CandleApi | FigureApi {
    return (this.#candles ?? this.#figures)!.recent;
  }

  /** Both series of prices, that with the newest bar last. */
  get priceParts(): readonly (CandleApi | FigureApi)[] {
    return (this.#candles ?? this.#figures)!.parts;
  }

  /** Keeps the prices below a legend, see {@link LegendRoom.take}. */
  clearLegend(bottom: number, layout: string): void {
    // Options that stay the same: the scale is computed again.
    if (this.#legendRoom.take(bottom, layout)) this.prices.priceScale().applyOptions({});
  }

  repaint(): void {
    const [up, down] = [this.#colourOf()('--up'), this.#colourOf()('--down')];
    const look = { upColor: up, downColor: down, wickUpColor: up, wickDownColor: down };
    for (const part of this.#candles?.parts ?? []) part.applyOptions(look);
  }

  set(bars: readonly Bar[], timeAt: (index: number) => UTCTimestamp): void {
    this.#box = boxOf(bars);
    this.#candles?.setData(bars.map((bar, i) => this.#candle(bar, timeAt(i))));
    this.#figures?.setData(bars.map((bar, i) => this.#figure(bar, timeAt(i))));
    this.#volume.setData(bars.map((bar, i) => this.#column(bar, timeAt(i))));
  }

  update(bar: Bar, time: UTCTimestamp): void {
    this.#candles?.update(this.#candle(bar, time));
    this.#figures?.update(this.#figure(bar, time));
    this.#volume.update(this.#column(bar, time));
  }

  #candle(bar: Bar, time: UTCTimestamp) {
    const { open, high, low, close, complete } = bar;
    const color = this.#colourOf()('--warn');
    return { time, open, high, low, close, ...(complete ? {} : { color, wickColor: color }) };
  }

  #figure(bar: Bar, time: UTCTimestamp): FigureData {
    const { open, close, complete, direction } = bar;
    const isRising = direction >= 0;
    // Where the tape has a gap the bar is incomplete.
    const color = this.#colourOf()(complete ? (isRising ? '--up' : '--down') : '--warn');
    this.#box ??= boxOf([bar]);
    return { time, open, close, box: this.#box ?? 1, isRising, color };
  }

  #column({ volume, open, close }: Bar, time: UTCTimestamp) {
    return { time, value: volume, color: `${this.#colourOf()(close >= open ? '--up' : '--down')}55` };
  }
}

/** Height of a box of point and figure: taken from a column of several boxes. */
function boxOf(bars: readonly Bar[]): number | undefined {
  const tall = bars.findLast((bar) => bar.open !== bar.close && boxesOf(bar) > 1);
  return tall && Math.abs(tall.close - tall.open) / (boxesOf(tall) - 1);
}

function boxesOf(bar: Bar): number {
  return (bar as { boxes?: number }).boxes ?? 0;
}
