/** Room for most messages; it doubles when it is not enough. */
const FIRST_BYTES = 1_024;

/** Where something begins, counted from the end of the buffer, which is written from its end to its beginning. */
export type Offset = number;

/** A field of a table: its number in the schema, its size, and what writes it. */
export interface TableField {
  readonly slot: number;
  readonly bytes: 1 | 2 | 4 | 8;
  /** A whole number, or for an offset (`bytes` is 4) what it points to. */
  readonly value: number;
  readonly isOffset?: boolean;
}

/** As much of the FlatBuffers format as the messages of Arrow need. */
export class FlatBuffer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  /** Bytes written so far. */
  #used = 0;
  #alignment = 1;

  /** A text, and its offset. */
  text(value: string): Offset {
    const utf8 = new TextEncoder().encode(value);
    this.#align(4, utf8.length + 1);
    this.#put(1, 0);
    this.#reserve(utf8.length);
    this.#used += utf8.length;
    this.#bytes.set(utf8, this.#bytes.length - this.#used);
    this.#put(4, utf8.length);
    return this.#used;
  }

  /** A vector of tables or texts. */
  offsets(items: readonly Offset[]): Offset {
    this.#align(4, 4 * items.length);
    for (const item of items.toReversed()) this.#put(4, this.#used + 4 - item);
    this.#put(4, items.length);
    return this.#used;
  }

  /** A vector of structures of two 64-bit numbers each. */
  pairs(items: readonly (readonly [number, number])[]): Offset {
    this.#align(4, 16 * items.length);
    this.#align(8, 16 * items.length);
    for (const [first, second] of items.toReversed()) {
      this.#put(8, second);
      this.#put(8, first);
    }
    this.#put(4, items.length);
    return this.#used;
  }

  /** A table with the fields that differ from their defaults. */
  table(fields: readonly TableField[]): Offset {
    const end = this.#used;
    const at: number[] = [];
    // The widest first, so that nothing is lost to alignment.
    for (const { slot, bytes, value, isOffset = false } of fields.toSorted((a, b) => b.bytes - a.bytes)) {
      this.#align(bytes, 0);
      this.#put(bytes, isOffset ? this.#used + bytes - value : value);
      at[slot] = this.#used;
    }
    this.#align(4, 0);
    this.#put(4, 0);
    const start = this.#used;
    for (let slot = at.length - 1; slot >= 0; slot -= 1) {
      const field = at[slot];
      this.#put(2, field === undefined ? 0 : start - field);
    }
    this.#put(2, start - end);
    this.#put(2, 2 * (at.length + 2));
    this.#view.setInt32(this.#bytes.length - start, this.#used - start, true);
    return start;
  }

  /** The bytes with this table as their root; their number is a multiple of eight. */
  finish(root: Offset): Uint8Array {
    this.#align(Math.max(8, this.#alignment), 4);
    this.#put(4, this.#used + 4 - root);
    return this.#bytes.slice(this.#bytes.length - this.#used);
  }

  /** Zeros, so that after `more` bytes the next value lies on a multiple of its size. */
  #align(bytes: number, more: number): void {
    this.#alignment = Math.max(this.#alignment, bytes);
    while ((this.#used + more) % bytes !== 0) this.#put(1, 0);
  }

  #put(bytes: 1 | 2 | 4 | 8, value: number): void {
    this.#reserve(bytes);
    this.#used += bytes;
    const at = this.#bytes.length - this.#used;
    if (bytes === 1) this.#view.setUint8(at, value);
    else if (bytes === 2) this.#view.setInt16(at, value, true);
    else if (bytes === 4) this.#view.setInt32(at, value, true);
    else this.#view.setBigInt64(at, BigInt(value), true);
  }

  #reserve(bytes: number): void {
    const old = this.#bytes;
    if (this.#used + bytes <= old.length) return;
    this.#bytes = new Uint8Array(2 * (old.length + bytes));
    this.#bytes.set(old, this.#bytes.length - old.length);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
