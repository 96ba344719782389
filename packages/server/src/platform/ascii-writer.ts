import { decimalOf } from '@crosstape/core';

/** A text of plain ASCII that is written often: four bytes at a time. */
export interface Fragment {
  readonly words: Int32Array;
  readonly length: number;
}

export function fragmentOf(text: string): Fragment {
  const bytes = new Uint8Array(4 * Math.ceil(text.length / 4));
  new TextEncoder().encodeInto(text, bytes);
  return { words: new Int32Array(bytes.buffer), length: text.length };
}

/** Up to 15 digits a number prints exactly the decimal that it was made from. */
const DIGITS_EXACT = 15;
const EXACT_MAX = 10 ** DIGITS_EXACT;
/** Below it JavaScript prints an exponent. */
const PLAIN_DECIMALS_MAX = 6;
const HALF = 1_000_000_000;
const HALF_DIGITS = 9;
/** Longest text of a number, with what a fragment writes past its end. */
const NUMBER_BYTES_MAX = 32;
const tens: readonly number[] = Array.from({ length: DIGITS_EXACT + 1 }, (_, n) => 10 ** n);
/** `00` to `99` as two bytes each. */
const pairs = Uint16Array.from({ length: 100 }, (_, i) => (48 + (i % 10)) * 256 + 48 + Math.floor(i / 10));
const DOT = 46;
const ZERO = 48;

/** Writes text of fragments and decimals into bytes, without a string for each. Room for them is reserved before. */
export class AsciiWriter {
  readonly #start: number;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at: number;

  /** With `room`, as many bytes before the text are free. */
  constructor(capacity: number, room = 0) {
    this.#start = room;
    this.#at = room;
    this.#bytes = new Uint8Array(room + Math.max(capacity, NUMBER_BYTES_MAX));
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Makes room for numbers and fragments, which take at most `NUMBER_BYTES_MAX` more than their text. */
  reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * (this.#bytes.length + bytes));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  fragment({ words, length }: Fragment): void {
    const view = this.#view;
    let at = this.#at;
    for (let i = 0; i < words.length; i += 1, at += 4) view.setInt32(at, words[i]!, true);
    this.#at += length;
  }

  /** `value` / 10^`decimals` exactly as `JSON.stringify` prints the nearest number; neither is negative. */
  decimal(value: number, decimals: number): void {
    if (value === 0) {
      this.#bytes[this.#at++] = ZERO;
      return;
    }
    const scale = tens[decimals];
    if (value >= EXACT_MAX || scale === undefined || (decimals > PLAIN_DECIMALS_MAX && value < scale)) {
      this.number(decimalOf(value, decimals));
      return;
    }
    if (decimals === 0) {
      this.#whole(value);
      return;
    }
    const whole = Math.floor(value / scale);
    this.#whole(whole);
    this.#fraction(value - whole * scale, decimals);
  }

  /** Text that was written before; makes its own room. */
  bytes(text: Uint8Array): void {
    this.reserve(text.length + NUMBER_BYTES_MAX);
    this.#bytes.set(text, this.#at);
    this.#at += text.length;
  }

  /** Any number, as `JSON.stringify` prints it. */
  number(value: number): void {
    const { written } = new TextEncoder().encodeInto(String(value), this.#bytes.subarray(this.#at));
    this.#at += written;
  }

  /** Where the next byte is written. */
  get position(): number {
    return this.#at;
  }

  /** What was written from a position on, until more is written. */
  from(position: number): Uint8Array {
    return this.#bytes.subarray(position, this.#at);
  }

  /** What was written. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#start, this.#at);
  }

  #whole(value: number): void {
    if (value < HALF) {
      this.#digits(value | 0, digitsOf(value | 0));
      return;
    }
    const high = Math.floor(value / HALF);
    this.#digits(high | 0, digitsOf(high | 0));
    this.#digits((value - high * HALF) | 0, HALF_DIGITS);
  }

  #fraction(value: number, decimals: number): void {
    if (value === 0) return;
    const bytes = this.#bytes;
    bytes[this.#at++] = DOT;
    let low = value;
    let width = decimals;
    if (decimals > HALF_DIGITS) {
      const high = Math.floor(value / HALF);
      this.#digits(high | 0, decimals - HALF_DIGITS);
      low = value - high * HALF;
      width = HALF_DIGITS;
    }
    this.#digits(low | 0, width);
    while (bytes[this.#at - 1] === ZERO) this.#at -= 1;
  }

  /** The last `width` digits, with zeros in front. */
  #digits(value: number, width: number): void {
    const start = this.#at;
    let left = value;
    let at = start + width;
    this.#at = at;
    while (at > start + 1) {
      const rest = (left / 100) | 0;
      at -= 2;
      this.#view.setUint16(at, pairs[left - rest * 100]!, true);
      left = rest;
    }
    if (at > start) this.#bytes[start] = ZERO + left;
  }
}

/** Of a whole number below 2^31. */
function digitsOf(value: number): number {
  if (value < 100_000) {
    if (value < 100) return value < 10 ? 1 : 2;
    if (value < 1_000) return 3;
    return value < 10_000 ? 4 : 5;
  }
  if (value < 10_000_000) return value < 1_000_000 ? 6 : 7;
  if (value < 100_000_000) return 8;
  return value < HALF ? 9 : 10;
}
