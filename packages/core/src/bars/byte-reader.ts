/** Most bytes of a whole number of any size. */
const BIG_BYTES_MAX = 32;

/** Reads what `ByteWriter` wrote. Malformed input throws the error that `refuse` makes of a reason. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #refuse: (reason: string) => Error;
  #at = 0;

  constructor(bytes: Uint8Array, refuse: (reason: string) => Error) {
    this.#bytes = bytes;
    this.#refuse = refuse;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw this.#refuse('it ends too early');
    this.#at += 1;
    return value;
  }

  /** The next bytes, not copied. */
  bytes(count: number): Uint8Array {
    if (count > this.left) throw this.#refuse('it ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** A whole number from 0 to 2^53. */
  varint(): number {
    let value = 0;
    // Four bytes fit the integers of the machine.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    let weight = 2 ** 28;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (value > 2 ** 53) throw this.#refuse('a number in it is too large');
      if (byte < 128) return value;
      weight *= 128;
      if (weight > 2 ** 53) throw this.#refuse('a number in it is too long');
    }
  }

  /** Fills the column with signed numbers. */
  signedColumn(column: Float64Array): void {
    for (let i = 0; i < column.length; i += 1) {
      const value = this.varint();
      const half = Math.floor(value / 2);
      column[i] = half * 2 === value ? half : -half - 1;
    }
  }

  signedBig(): bigint {
    let value = 0n;
    for (let read = 0; read < BIG_BYTES_MAX; read += 1) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << BigInt(7 * read);
      if (byte < 128) return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n;
    }
    throw this.#refuse('a number in it is too long');
  }

  /** A 64-bit float, low byte first. */
  float(): number {
    const bytes = this.bytes(8);
    const value = new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
    if (!Number.isFinite(value)) throw this.#refuse('a number in it is not finite');
    return value;
  }

  /** Fills the column with floats. */
  floatColumn(column: Float64Array): void {
    for (let i = 0; i < column.length; i += 1) column[i] = this.float();
  }

  json(lengthMax: number): unknown {
    const length = this.varint();
    if (length > lengthMax) throw this.#refuse(`its JSON is longer than ${lengthMax} bytes`);
    const bytes = this.bytes(length);
    if (bytes.some((byte) => byte > 127)) throw this.#refuse('its JSON is not plain ASCII');
    const parts: string[] = [];
    for (let i = 0; i < length; i += 4096) parts.push(String.fromCharCode(...bytes.subarray(i, i + 4096)));
    try {
      return JSON.parse(parts.join(''));
    } catch {
      throw this.#refuse('its JSON cannot be parsed');
    }
  }

  /** Throws unless every byte was read. */
  end(): void {
    if (this.left > 0) throw this.#refuse('bytes are left over at its end');
  }
}
