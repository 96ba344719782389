const CAPACITY_MIN = 16;
/** Eight decimals are tried before numbers are kept as they are. */
const SCALE_MAX = 1e8;

type Narrow = Uint8Array | Uint16Array | Uint32Array;
const NONE = new Uint8Array(0);

/**
 * Numbers, added one by one until the column is sealed: from then on each takes no more bytes than the range of all
 * needs, none where they are equal. What comes out is exactly what was put in.
 */
export class NumberColumn {
  #values: Float64Array | Narrow = new Float64Array(CAPACITY_MIN);
  #length = 0;
  /** Of narrow values: each stands for `(base + value) / scale`. */
  #narrowed: { readonly base: number; readonly scale: number } | undefined;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.put(this.#length, value);
  }

  /** Puts a number at a place; those before it that nothing was put at are 0. */
  put(i: number, value: number): void {
    if (i >= this.#values.length) {
      const grown = new Float64Array(Math.max(2 * this.#values.length, i + 1));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[i] = value;
    this.#length = Math.max(this.#length, i + 1);
  }

  at(i: number): number {
    // Without values all are the same.
    const value = this.#values[i] ?? 0;
    return this.#narrowed ? (this.#narrowed.base + value) / this.#narrowed.scale : value;
  }

  seal(): void {
    const values = this.#values.subarray(0, this.#length);
    const scale = scaleOf(values);
    if (scale === undefined) {
      this.#values = values.slice();
      return;
    }
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < values.length; i += 1) {
      const scaled = Math.round((values[i] as number) * scale);
      if (scaled < least) least = scaled;
      if (scaled > most) most = scaled;
    }
    const narrow = arrayFor(most - least, values.length);
    if (!narrow) {
      this.#values = values.slice();
      return;
    }
    for (let i = 0; i < narrow.length; i += 1) narrow[i] = Math.round((values[i] as number) * scale) - least;
    this.#values = narrow;
    this.#narrowed = { base: least, scale };
  }
}

/** The power of ten by which every value becomes an integer that leads back to it; `undefined` when there is none. */
function scaleOf(values: Float64Array | Narrow): number | undefined {
  let scale = 1;
  for (let i = 0; i < values.length; ) {
    const value = values[i] as number;
    const scaled = Math.round(value * scale);
    const isExact = scaled / scale === value && Number.isSafeInteger(scaled) && !Object.is(value, -0);
    if (isExact) i += 1;
    else if (scale < SCALE_MAX) scale *= 10;
    else return undefined;
  }
  return scale;
}

function arrayFor(range: number, length: number): Narrow | undefined {
  if (range === 0) return NONE;
  if (range <= 0xff) return new Uint8Array(length);
  if (range <= 0xffff) return new Uint16Array(length);
  return range <= 0xffff_ffff ? new Uint32Array(length) : undefined;
}
