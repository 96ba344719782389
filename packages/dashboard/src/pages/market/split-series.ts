import type { Time } from 'lightweight-charts';

interface Point {
  readonly time: Time;
  /** Absent where a line has no value. */
  readonly value?: number;
}

/** A series of the chart, as far as its points are concerned. */
interface Part<Data> {
  setData(points: Data[]): void;
  update(point: Data): void;
  dataByIndex(index: number): unknown;
}

/** Points of the short series before they move to the long one. */
export const RECENT_MAX = 32;

/**
 * One line or row of bars as two series of the chart: the newest points, and all others. With each change the chart
 * builds what it draws again from all points of a series, and the newest point changes ten times a second.
 */
export class SplitSeries<Data extends Point, Api extends Part<Data>> {
  /** All others; `undefined`: a single series has all points. */
  readonly #older: Api | undefined;
  /** Has the newest point, and with it tag and price line. Added later, so that its layers are over both. */
  readonly recent: Api;
  readonly #isLine: boolean;
  #points: Data[] = [];
  #olderTime = -Infinity;

  constructor(older: Api | undefined, recent: Api, isLine: boolean) {
    this.#older = older;
    this.recent = recent;
    this.#isLine = isLine;
  }

  setData(points: readonly Data[]): void {
    if (!this.#older) return this.recent.setData([...points]);
    const older = points.slice(0, -1);
    // A line continues from the last value of its older part.
    const joint = this.#isLine ? older.findLast(({ value }) => value !== undefined) : undefined;
    this.#olderTime = timeOf(older.at(-1));
    this.#points = [...(joint ? [joint] : []), ...points.slice(-1)];
    this.#older.setData(older);
    this.recent.setData([...this.#points]);
  }

  /** Replaces the newest point, or adds a later one. */
  update(point: Data): void {
    if (!this.#older) return this.recent.update(point);
    const isSame = timeOf(this.#points.at(-1)) === timeOf(point);
    this.#points.splice(isSame ? -1 : this.#points.length, 1, point);
    this.recent.update(point);
    if (this.#points.length > RECENT_MAX) this.#moveTo(this.#older);
  }

  /** The one with the newest point last. */
  get parts(): readonly Api[] {
    return this.#older ? [this.#older, this.recent] : [this.recent];
  }

  /** The value at a bar; `undefined` if it has none. */
  valueAt(index: number): number | undefined {
    const point = this.recent.dataByIndex(index) ?? this.#older?.dataByIndex(index);
    return (point as Point | null | undefined)?.value;
  }

  #moveTo(older: Api): void {
    const moved = this.#points.slice(0, -1).filter((point) => timeOf(point) > this.#olderTime);
    for (const point of moved) older.update(point);
    this.#olderTime = timeOf(this.#points.at(-2));
    this.#points = this.#points.slice(this.#isLine ? -2 : -1);
    this.recent.setData([...this.#points]);
  }
}

function timeOf(point: Point | undefined): number {
  return point ? Number(point.time) : -Infinity;
}
