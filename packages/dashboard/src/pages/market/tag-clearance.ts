import type { ISeriesApi, SeriesType } from 'lightweight-charts';

/** A label of the axis nearer than this to the tag of the last value would be partly covered, in pixels. */
const CLEAR_PX = 15;

/** Prints the labels of a price axis, and leaves out those that the tag of the last value would cover. */
export class TagClearance {
  readonly #series: ISeriesApi<SeriesType>;
  #text: (value: number) => string;
  #minMove: number;
  #last: number | undefined;
  #ticks: readonly number[] = [];
  #covered = '';
  #printed: { readonly value: number; readonly text: string } | undefined;
  /** Read once: the chart copies all options of a series with each question. */
  readonly #isTagged: boolean;

  constructor(series: ISeriesApi<SeriesType>, text: (value: number) => string, minMove: number) {
    this.#series = series;
    this.#text = text;
    this.#minMove = minMove;
    this.#isTagged = series.options().lastValueVisible;
    this.#apply();
  }

  setFormat(text: (value: number) => string, minMove: number): void {
    this.#text = text;
    this.#minMove = minMove;
    this.#printed = undefined;
    this.#apply();
  }

  /** A value as text. The chart requests that of the last one several times a frame, whether it is shown or not. */
  print(value: number): string {
    if (this.#printed?.value !== value) this.#printed = { value, text: this.#text(value) };
    return this.#printed.text;
  }

  /** The labels are printed again only when the tag covers others. */
  refresh(last: number | undefined): void {
    if (!this.#isTagged) return;
    this.#last = last;
    if (this.#ticks.filter((tick) => this.#isCovered(tick)).join() !== this.#covered) this.#apply();
  }

  #apply(): void {
    this.#series.applyOptions({
      priceFormat: {
        type: 'custom',
        minMove: this.#minMove,
        formatter: (value: number) => this.print(value),
        tickmarksFormatter: (prices: readonly number[]) => {
          this.#ticks = prices;
          this.#covered = prices.filter((tick) => this.#isCovered(tick)).join();
          return prices.map((tick) => (this.#isCovered(tick) ? '' : this.#text(tick)));
        },
      },
    });
  }

  #isCovered(tick: number): boolean {
    if (this.#last === undefined) return false;
    const [at, tag] = [this.#series.priceToCoordinate(tick), this.#series.priceToCoordinate(this.#last)];
    return at !== null && tag !== null && Math.abs(at - tag) < CLEAR_PX;
  }
}
