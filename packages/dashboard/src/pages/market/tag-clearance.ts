import type { ISeriesApi, SeriesType } from 'lightweight-charts';

/** A label of the axis nearer than this to the tag of the last value would be partly covered, in pixels. */
const CLEAR_PX = 15;
/** Texts that are kept: more than the lines of a scale. */
const PRINTED_MAX = 100;

/** Prints the labels of a price axis, and leaves out those that the tag of the last value would cover. */
export class TagClearance {
  readonly #series: ISeriesApi<SeriesType>;
  /** The first series of a scale prints its labels, another one its own tag. */
  readonly #parts: readonly ISeriesApi<SeriesType>[];
  #text: (value: number) => string;
  #minMove: number;
  #last: number | undefined;
  #ticks: readonly number[] = [];
  #covered = '';
  readonly #printed = new Map<number, string>();
  /** Read once: the chart copies all options of a series with each question. */
  readonly #isTagged: boolean;

  /** The tag is that of the last part. */
  constructor(parts: readonly ISeriesApi<SeriesType>[], text: (value: number) => string, minMove: number) {
    const series = parts.at(-1)!;
    this.#parts = parts;
    this.#series = series;
    this.#text = text;
    this.#minMove = minMove;
    this.#isTagged = series.options().lastValueVisible;
    this.#apply(this.#parts);
  }

  setFormat(text: (value: number) => string, minMove: number): void {
    this.#text = text;
    this.#minMove = minMove;
    this.#printed.clear();
    this.#apply(this.#parts);
  }

  /**
   * A value as text. The chart requests those of the last values of all lines on a scale several times a frame, whether
   * they are shown or not.
   */
  print(value: number): string {
    const known = this.#printed.get(value);
    if (known !== undefined) return known;
    const text = this.#text(value);
    if (this.#printed.size >= PRINTED_MAX) this.#printed.clear();
    this.#printed.set(value, text);
    return text;
  }

  /** The labels are printed again only when the tag covers others: by the short part, which the chart renews sooner. */
  refresh(last: number | undefined): void {
    if (!this.#isTagged) return;
    this.#last = last;
    const covered = this.#ticks.filter((tick) => this.#isCovered(tick)).join();
    if (covered !== this.#covered) this.#apply([this.#series]);
  }

  #apply(parts: readonly ISeriesApi<SeriesType>[]): void {
    const priceFormat = {
      type: 'custom',
      minMove: this.#minMove,
      formatter: (value: number) => this.print(value),
      tickmarksFormatter: (prices: readonly number[]) => {
        this.#ticks = prices;
        this.#covered = prices.filter((tick) => this.#isCovered(tick)).join();
        return prices.map((tick) => (this.#isCovered(tick) ? '' : this.#text(tick)));
      },
    } as const;
    for (const part of parts) part.applyOptions({ priceFormat });
  }

  #isCovered(tick: number): boolean {
    if (this.#last === undefined) return false;
    const [at, tag] = [this.#series.priceToCoordinate(tick), this.#series.priceToCoordinate(this.#last)];
    return at !== null && tag !== null && Math.abs(at - tag) < CLEAR_PX;
  }
}
