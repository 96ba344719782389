import {
  CandlestickSeries,
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

/** Room below the newest bar's tag is kept for volume. */
const VOLUME_TOP = 0.84;
const DOTTED = 3;

type FigureApi = ISeriesApi<'Custom', Time, FigureData | WhitespaceData<Time>>;

/** Draws bars as candles, or as columns of X and O, and their volume below. */
export class BarSeries {
  readonly #candles: ISeriesApi<'Candlestick'> | undefined;
  readonly #figures: FigureApi | undefined;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #colourOf: () => ColourOf;
  /** Height of a box of point and figure; `undefined` until a column shows it. */
  #box: number | undefined;

  constructor(chart: IChartApi, isFigure: boolean, colourOf: () => ColourOf) {
    this.#colourOf = colourOf;
    const look = { priceLineStyle: DOTTED };
    if (isFigure) this.#figures = chart.addCustomSeries(new FigureSeries(), look);
    else this.#candles = chart.addSeries(CandlestickSeries, { ...look, borderVisible: false });
    this.#volume = chart.addSeries(HistogramSeries, {
      priceScaleId: 'volume',
      priceFormat: { type: 'custom', formatter: (value: number) => compact(value, 1) },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: VOLUME_TOP, bottom: 0 } });
    this.prices.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.2 } });
  }

  /** The series of prices. */
  get prices(): ISeriesApi<'Candlestick'> | FigureApi {
    return (this.#candles ?? this.#figures)!;
  }

  repaint(): void {
    const [up, down] = [this.#colourOf()('--up'), this.#colourOf()('--down')];
    this.#candles?.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down });
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
