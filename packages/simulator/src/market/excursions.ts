import { mix, uniformOf } from './noise.ts';

export interface ExcursionShape {
  /** There is one in every stretch of this length, at a time of its own. */
  readonly everyMs: number;
  readonly lengthMs: number;
  /** How far it goes. */
  readonly least: number;
  readonly most: number;
}

/** Of an excursion, how much is the way out, and how much the way back. */
const RAMP = 0.25;

/**
 * Something that stays in its place and leaves it once in a while, to either side. Between the beginnings of two there is
 * never more than twice `everyMs` less `lengthMs`.
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

  /** Belongs to the stretch that a time lies in. */
  hashAt(atMs: number): number {
    return mix(this.#salt, Math.floor(atMs / this.#shape.everyMs));
  }
}
