const floatBytes = new Uint8Array(8);
const floatView = new DataView(floatBytes.buffer);

const VARINT_BYTES_MAX = 8;

/** Four bytes of a varint hold what is below this. */
const FOUR_BYTES = 2 ** 28;
const FOUR_CONTINUE = 0x80808080 | 0;
/** By the leading zeros of 32 bits below 2^28: the number of bytes, and their continuation bits. */
const byteCount = Int32Array.from({ length: 33 }, (_, zeros) => Math.max(1, Math.ceil((32 - zeros) / 7)));
const continuation = byteCount.map((count) => (2 ** (8 * (count - 1)) - 1) & FOUR_CONTINUE);

/** Bytes that grow as they are written. Whole numbers are LEB128 varints, signed ones zigzag first. */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** The bytes written, not copied: nothing may be written afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
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
    this.#reserve(VARINT_BYTES_MAX);
    this.#length = writeVarint(this.#bytes, this.#length, value);
  }

  /** As many whole numbers from -2^52 to 2^52 as the column has. */
  signedColumn(column: Float64Array): void {
    this.#reserve((column.length + 1) * VARINT_BYTES_MAX);
    if (isZero(column)) {
      this.#bytes.fill(0, this.#length, this.#length + column.length);
      this.#length += column.length;
      return;
    }
    const view = new DataView(this.#bytes.buffer);
    let at = this.#length;
    for (let i = 0; i < column.length; i += 1) at = writeSigned(view, at, column[i]!);
    this.#length = at;
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

/** Guesses are often exact, and checking is cheaper than writing. */
function isZero(column: Float64Array): boolean {
  for (let i = 0; i < column.length; i += 1) if (column[i] !== 0) return false;
  return true;
}

/** Returns where the next byte goes. */
function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  if (value >= 2 ** 31) {
    // Bit operations use 31 bits: the lowest 28 go first.
    rest = Math.floor(value / 2 ** 28);
    let low = value - rest * 2 ** 28;
    for (let i = 0; i < 4; i += 1) {
      bytes[at] = (low & 127) | 128;
      at += 1;
      low >>>= 7;
    }
  }
  let bits = rest | 0;
  while (bits > 127) {
    bytes[at] = (bits & 127) | 128;
    at += 1;
    bits >>>= 7;
  }
  bytes[at] = bits;
  return at + 1;
}

/** The same for a signed number, without branches on sign and length. May write three bytes too many. */
function writeSigned(view: DataView, start: number, value: number): number {
  let at = start;
  let bits = (value << 1) ^ (value >> 31);
  if (value >= FOUR_BYTES / 2 || value < -FOUR_BYTES / 2) {
    const zigzag = value < 0 ? -2 * value - 1 : 2 * value;
    bits = Math.floor(zigzag / FOUR_BYTES) | 0;
    view.setInt32(at, inSevens(zigzag - bits * FOUR_BYTES) | FOUR_CONTINUE, true);
    at += 4;
  }
  const zeros = Math.clz32(bits);
  view.setInt32(at, inSevens(bits) | continuation[zeros]!, true);
  return at + byteCount[zeros]!;
}

/** 28 bits as the low seven of each of four bytes. */
function inSevens(bits: number): number {
  return (bits & 0x7f) | ((bits << 1) & 0x7f00) | ((bits << 2) & 0x7f0000) | ((bits << 3) & 0x7f000000);
}
