const floatBytes = new Uint8Array(8);
const floatView = new DataView(floatBytes.buffer);

/** Bytes that grow as they are written. Whole numbers are LEB128 varints, signed ones zigzag first. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  /** What was written so far. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  /** A whole number from 0 to 2^53. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7fff_ffff) {
      this.#bytes[this.#length] = (rest % 128) | 128;
      this.#length += 1;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#length] = (rest & 127) | 128;
      this.#length += 1;
      rest >>>= 7;
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** A whole number from -2^52 to 2^52. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** A signed whole number of any size. */
  signedBig(value: bigint): void {
    let rest = value < 0n ? -2n * value - 1n : 2n * value;
    while (rest > 127n) {
      this.byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  /** A 64-bit float, low byte first. */
  float(value: number): void {
    floatView.setFloat64(0, value, true);
    this.bytes(floatBytes);
  }

  /** A value as JSON in plain ASCII, after its length. */
  json(value: unknown): void {
    const text = JSON.stringify(value).replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    this.varint(text.length);
    this.bytes(Uint8Array.from(text, (unit) => unit.charCodeAt(0)));
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#length + count, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
