import { decimalOf } from '@crosstape/core';

/** A text of plain ASCII that is written often: sixteen bytes at a time, as two floats, which are never NaN. */
export interface Fragment {
  readonly a: number;
  readonly b: number;
  readonly length: number;
  /** What follows the first sixteen bytes. */
  readonly rest: Fragment | undefined;
}

const FRAGMENT_BYTES = 16;

export function fragmentOf(text: string): Fragment {
  const bytes = new Uint8Array(FRAGMENT_BYTES);
  new TextEncoder().encodeInto(text.slice(0, FRAGMENT_BYTES), bytes);
  const [a = 0, b = 0] = new Float64Array(bytes.buffer);
  const length = Math.min(text.length, FRAGMENT_BYTES);
  const rest = text.length > FRAGMENT_BYTES ? fragmentOf(text.slice(FRAGMENT_BYTES)) : undefined;
  return { a, b, length, rest };
}

/** Up to 15 digits a number prints exactly the decimal that it was made from. */
const DIGITS_EXACT = 15;
const EXACT_MAX = 10 ** DIGITS_EXACT;
/** JavaScript prints an exponent below 10^-this. */
const PLAIN_DECIMALS_MAX = 6;
/** Digits are written four at a time, fractions in two such groups. */
const GROUP_DIGITS = 4;
const GROUP = 10_000;
const TWO_GROUPS = GROUP * GROUP;
const TWO_GROUPS_DIGITS = 8;
const INT_MAX = 2 ** 31;
/** Longest text of a number, with what is written past its end. */
const NUMBER_BYTES_MAX = 32;
const tens = Float64Array.from({ length: DIGITS_EXACT + 1 }, (_, n) => 10 ** n);
/** What to multiply by in place of a division, which takes longer; the result is then corrected. */
const tenths = tens.map((scale) => 1 / scale);
const ZERO = 48;
/** `0000` to `9999` as four bytes each, the first digit in the lowest byte. */
const groups = Int32Array.from({ length: GROUP }, (_, i) => {
  const digit = (scale: number): number => ZERO + (Math.floor(i / scale) % 10);
  return digit(1_000) | (digit(100) << 8) | (digit(10) << 16) | (digit(1) << 24);
});
/** The same digits without the 48 of each. */
const DIGITS = 0x0f_0f_0f_0f;
const DOT = 46;

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

  fragment(fragment: Fragment): void {
    const view = this.#view;
    let at = this.#at;
    for (let part: Fragment | undefined = fragment; part !== undefined; part = part.rest)
      at = writeFragment(view, at, part);
    this.#at = at;
  }

  /** A short fragment, then `value` / 10^`decimals` exactly as `JSON.stringify` prints the nearest number; neither is negative. */
  field(before: Fragment, value: number, decimals: number): void {
    const view = this.#view;
    const at = writeFragment(view, this.#at, before);
    if (decimals === 0 && value < EXACT_MAX) this.#at = writeWhole(view, at, value);
    else if (
      decimals > DIGITS_EXACT ||
      value >= EXACT_MAX ||
      (decimals > PLAIN_DECIMALS_MAX && value < tens[decimals - PLAIN_DECIMALS_MAX]! && value > 0)
    ) {
      this.#at = at;
      this.number(decimalOf(value, decimals));
    } else {
      const scale = tens[decimals]!;
      let whole = Math.floor(value * tenths[decimals]!);
      let fraction = value - whole * scale;
      if (fraction < 0) {
        whole -= 1;
        fraction += scale;
      } else if (fraction >= scale) {
        whole += 1;
        fraction -= scale;
      }
      const end = writeWhole(view, at, whole);
      this.#at = fraction === 0 ? end : writeFraction(view, end, fraction, decimals);
    }
  }

  /** Appends text that was written before; reserves its own space. */
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
}

// Each writes at a position and gives where its text ends. Bytes after it may be overwritten.

function writeFragment(view: DataView, at: number, { a, b, length }: Fragment): number {
  view.setFloat64(at, a, true);
  view.setFloat64(at + 8, b, true);
  return at + length;
}

/** A whole number below 10^15. */
function writeWhole(view: DataView, at: number, value: number): number {
  if (value < INT_MAX) return writeInt(view, at, value | 0);
  const high = Math.floor(value / TWO_GROUPS);
  return writeTwoGroups(view, writeInt(view, at, high | 0), (value - high * TWO_GROUPS) | 0);
}

function writeInt(view: DataView, at: number, value: number): number {
  if (value < GROUP) return writeFirstGroup(view, at, value);
  if (value < TWO_GROUPS) {
    const high = (value / GROUP) | 0;
    const end = writeFirstGroup(view, at, high);
    view.setInt32(end, groups[value - high * GROUP]!, true);
    return end + 4;
  }
  const high = (value / TWO_GROUPS) | 0;
  return writeTwoGroups(view, writeFirstGroup(view, at, high), value - high * TWO_GROUPS);
}

/** Up to four digits, without zeros before them. */
function writeFirstGroup(view: DataView, at: number, value: number): number {
  const zeros = value < 100 ? (value < 10 ? 3 : 2) : value < 1_000 ? 1 : 0;
  view.setInt32(at, groups[value]! >> (8 * zeros), true);
  return at + 4 - zeros;
}

function writeTwoGroups(view: DataView, at: number, value: number): number {
  const high = (value / GROUP) | 0;
  view.setInt32(at, groups[high]!, true);
  view.setInt32(at + 4, groups[value - high * GROUP]!, true);
  return at + 8;
}

/** A point and the digits of a fraction of 10^`decimals` that is not zero, without zeros at the end. */
function writeFraction(view: DataView, at: number, value: number, decimals: number): number {
  view.setInt8(at, DOT);
  if (decimals <= GROUP_DIGITS) {
    const group = groups[(value * tens[GROUP_DIGITS - decimals]!) | 0]!;
    view.setInt32(at + 1, group, true);
    return at + 1 + digitsUsed(group);
  }
  const more = decimals - TWO_GROUPS_DIGITS;
  if (more <= 0) return writeTrimmed(view, at + 1, (value * tens[-more]!) | 0);
  const scale = tens[more]!;
  const high = Math.floor(value / scale);
  const low = value - high * scale;
  if (low === 0) return writeTrimmed(view, at + 1, high | 0);
  return writeTrimmed(
    view,
    writeTwoGroups(view, at + 1, high | 0),
    (low * tens[TWO_GROUPS_DIGITS - more]!) | 0,
  );
}

/** Eight digits, which are not all zero, without zeros at their end. */
function writeTrimmed(view: DataView, at: number, value: number): number {
  const high = (value / GROUP) | 0;
  const low = value - high * GROUP;
  const first = groups[high]!;
  view.setInt32(at, first, true);
  if (low === 0) return at + digitsUsed(first);
  const last = groups[low]!;
  view.setInt32(at + 4, last, true);
  return at + 4 + digitsUsed(last);
}

/** How many digits of a group there are before the zeros at its end. */
function digitsUsed(group: number): number {
  return 4 - (Math.clz32(group & DIGITS) >> 3);
}
