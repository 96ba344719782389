import { mix, uniformOf } from './noise.ts';

export interface ExcursionShape {
  /** One per interval of this length, at a random time. */
  readonly everyMs: number;
  readonly lengthMs: number;
  /** How far it goes. */
  readonly least: number;
  readonly most: number;
}

/** Shares of an excursion: the way out and the way back. */
const RAMP = 0.25;

/**
 * A value that stays in place and leaves it once in a while, to either side. The starts of two excursions are never
 * further apart than twice `everyMs` less `lengthMs`.
 */
export class Excursions {
  readonly #salt: number;
  readonly #shape: ExcursionShape;

  constructor(salt: number, shape: ExcursionShape) {
    this.#salt = salt;
    this.#shape = shape;
  }

  /** How far out it is; 0 between two. */
  at(atMs: number): number {
    const { everyMs, lengthMs, least, most } = this.#shape;
    const hash = this.hashAt(atMs);
    const beginMs = Math.floor(atMs / everyMs) * everyMs + uniformOf(mix(hash, 1)) * (everyMs - lengthMs);
    const done = (atMs - beginMs) / lengthMs;
    if (done <= 0 || done >= 1) return 0;
    const way = Math.min(1, done / RAMP, (1 - done) / RAMP);
    const size = least + (most - least) * uniformOf(mix(hash, 2));
    return ((hash & 1) === 0 ? size : -size) * way * way * (3 - 2 * way);
  }

  /** The hash of the interval that contains a time. */
  hashAt(atMs: number): number {
    return mix(this.#salt, Math.floor(atMs / this.#shape.everyMs));
  }
}
