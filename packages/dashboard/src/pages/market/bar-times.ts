import type { Zone } from '../../format/times.ts';
import { axisTime } from './bar-axis.ts';

interface Dated {
  readonly openTs: number;
}

/** Positions of bars on the time axis, each later than the previous one. */
export class BarTimes {
  zone: Zone;
  #times: number[] = [];

  constructor(zone: Zone) {
    this.zone = zone;
  }

  set(bars: readonly Dated[]): void {
    this.#times = [];
    for (const bar of bars) this.add(bar);
  }

  add(bar: Dated): void {
    this.#times.push(this.next(bar));
  }

  /** Position of a bar after all others. */
  next({ openTs }: Dated): number {
    return axisTime(openTs, this.zone, this.#times.at(-1));
  }

  at(index: number): number | undefined {
    return this.#times[index];
  }

  /** Index of the first bar at or after a position. */
  indexOf(time: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
