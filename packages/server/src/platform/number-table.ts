const ROWS_MIN = 8;
/** Eight decimals are tried before numbers are kept as they are. */
const SCALE_MAX = 1e8;
/** For a column that cannot be narrowed. */
const WHOLE_BYTES = 8;

/** A column of a sealed table: each of its numbers is `(base + value) / scale`. */
interface Packed {
  /** Where its values begin. */
  readonly start: number;
  /** Bytes per value: 0 where all numbers are equal, 8 for numbers stored as they are. */
  readonly bytes: 0 | 1 | 2 | 4 | typeof WHOLE_BYTES;
  readonly base: number;
  readonly scale: number;
}

const LAYOUT = ['start', 'bytes', 'base', 'scale'] as const;

const whole = new Float64Array(1);
const wholeBytes = new Uint8Array(whole.buffer);

/**
 * Columns of numbers in one buffer: there are very many tables, most of them with few rows. Once sealed, a number takes
 * only as many bytes as the range of its column needs, none where all are equal. Lossless.
 */
export class NumberTable {
  #columns = 0;
  #rows = 0;
  /** Row after row while the table is open; column after column, packed, once it is sealed. */
  #values: Float64Array | Uint8Array = new Float64Array(0);
  /** Of a sealed table: the figures of `Packed` for each column. */
  #layout: Float64Array | undefined;

  /** Adds a column, which is 0 in every row, and returns its place. */
  add(): number {
    const wider = new Float64Array(this.#room * (this.#columns + 1));
    for (let row = 0; row < this.#rows; row += 1)
      for (let column = 0; column < this.#columns; column += 1)
        wider[row * (this.#columns + 1) + column] = this.at(column, row);
    this.#values = wider;
    this.#columns += 1;
    return this.#columns - 1;
  }

  put(column: number, row: number, value: number): void {
    const place = row * this.#columns + column;
    if (place >= this.#values.length) {
      const larger = new Float64Array(Math.max(ROWS_MIN, 2 * row) * this.#columns);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[place] = value;
    if (row >= this.#rows) this.#rows = row + 1;
  }

  at(column: number, row: number): number {
    const layout = this.#layout;
    if (!layout) return this.#values[row * this.#columns + column] as number;
    const own = column * LAYOUT.length;
    const bytes = layout[own + 1] as number;
    const value = this.#unpack((layout[own] as number) + row * bytes, bytes);
    return bytes === WHOLE_BYTES
      ? value
      : ((layout[own + 2] as number) + value) / (layout[own + 3] as number);
  }

  /** No more rows will be added. */
  seal(): void {
    let start = 0;
    const packed = Array.from({ length: this.#columns }, (_, column) => {
      const own = this.#packed(column, start);
      start += own.bytes * this.#rows;
      return own;
    });
    const bytes = new Uint8Array(start);
    packed.forEach((own, column) => {
      this.#pack(column, own, bytes);
    });
    this.#layout = new Float64Array(packed.flatMap((own) => LAYOUT.map((name) => own[name])));
    this.#values = bytes;
  }

  /** Size of its numbers. */
  get bytes(): number {
    return this.#values.byteLength;
  }

  get #room(): number {
    return this.#columns === 0 ? 0 : this.#values.length / this.#columns;
  }

  #packed(column: number, start: number): Packed {
    const scale = this.#scale(column);
    if (scale === undefined) return { start, bytes: WHOLE_BYTES, base: 0, scale: 1 };
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < this.#rows; row += 1) {
      const scaled = Math.round(this.at(column, row) * scale);
      if (scaled < least) least = scaled;
      if (scaled > most) most = scaled;
    }
    return { start, bytes: bytesFor(most - least), base: least, scale };
  }

  /** The power of ten that turns all numbers into integers without loss; `undefined` if there is none. */
  #scale(column: number): number | undefined {
    let scale = 1;
    for (let row = 0; row < this.#rows; ) {
      const value = this.at(column, row);
      const scaled = Math.round(value * scale);
      const isExact = scaled / scale === value && Number.isSafeInteger(scaled) && !Object.is(value, -0);
      if (isExact) row += 1;
      else if (scale < SCALE_MAX) scale *= 10;
      else return undefined;
    }
    return scale;
  }

  #pack(column: number, { start, bytes, base, scale }: Packed, into: Uint8Array): void {
    for (let row = 0; row < this.#rows; row += 1) {
      const value = this.at(column, row);
      const place = start + row * bytes;
      if (bytes === WHOLE_BYTES) {
        whole[0] = value;
        into.set(wholeBytes, place);
      } else {
        const narrow = Math.round(value * scale) - base;
        for (let i = 0; i < bytes; i += 1) into[place + i] = narrow >>> (8 * i);
      }
    }
  }

  #unpack(place: number, bytes: number): number {
    const values = this.#values;
    if (bytes === WHOLE_BYTES) {
      for (let i = 0; i < WHOLE_BYTES; i += 1) wholeBytes[i] = values[place + i] as number;
      return whole[0] as number;
    }
    let value = 0;
    for (let i = bytes - 1; i >= 0; i -= 1) value = value * 256 + (values[place + i] as number);
    return value;
  }
}

function bytesFor(range: number): Packed['bytes'] {
  if (range === 0) return 0;
  if (range <= 0xff) return 1;
  if (range <= 0xffff) return 2;
  return range <= 0xffff_ffff ? 4 : WHOLE_BYTES;
}
