/**
 * A whole number as a code of one byte and some extra bytes. A code stands for a range of numbers, and its extra
 * bytes, low ones first, say how far into the range. Codes compress well; what is left in the extra bytes is noise.
 *
 * | codes     | each stands for                            | extra bytes |
 * |-----------|--------------------------------------------|-------------|
 * | 0 … 63    | that number                                | 0           |
 * | 64 … 163  | 256 numbers, from 64 on                    | 1           |
 * | 164 … 226 | a digit and two to eight zeros: 100 … 9e8  | 0           |
 * | 227 … 242 | 65,536 numbers, from 25,664 on             | 2           |
 * | 243 … 250 | 2^24 numbers, from 1,074,240 on            | 3           |
 * | 251, 252  | 2^32 numbers, from 135,291,968 on          | 4           |
 * | 253       | the rest, from 8,725,226,560 on            | 7           |
 * | 254       | the previous number of its section, at first 0 | 0         |
 */
const EXACT_MAX = 63;
const ONE_BYTE_FIRST = 64;
const ROUND_FIRST = 164;
const ROUND_ZEROS_MIN = 2;
const ROUND_ZEROS_MAX = 8;
const WIDE_FIRST = 227;
const WIDE_EXTRA_BYTES = [...repeat(16, 2), ...repeat(8, 3), ...repeat(2, 4), 7];
export const AGAIN = 254;

/** In place of a number of extra bytes: an invalid code. */
export const NO_CODE = 255;

/** By code: the first number of its range. */
export const NUMBER_BASE = new Float64Array(256);
/** By code: how many extra bytes follow. */
export const NUMBER_EXTRA_BYTES = new Uint8Array(256);

for (let code = 0; code <= EXACT_MAX; code += 1) NUMBER_BASE[code] = code;
let next = EXACT_MAX + 1;
for (let code = ONE_BYTE_FIRST; code < ROUND_FIRST; code += 1) {
  NUMBER_BASE[code] = next;
  NUMBER_EXTRA_BYTES[code] = 1;
  next += 256;
}
const ONE_BYTE_END = next;
for (let code = ROUND_FIRST; code < WIDE_FIRST; code += 1) {
  const index = code - ROUND_FIRST;
  NUMBER_BASE[code] = ((index % 9) + 1) * 10 ** (ROUND_ZEROS_MIN + Math.floor(index / 9));
}
for (const [index, extraBytes] of WIDE_EXTRA_BYTES.entries()) {
  NUMBER_BASE[WIDE_FIRST + index] = next;
  NUMBER_EXTRA_BYTES[WIDE_FIRST + index] = extraBytes;
  next += 256 ** extraBytes;
}
NUMBER_EXTRA_BYTES[255] = NO_CODE;

/** The code of a number that differs from the previous one. */
export function numberCode(value: number): number {
  if (value <= EXACT_MAX) return value;
  const round = value % 100 === 0 ? roundCode(value) : -1;
  if (round >= 0) return round;
  if (value < ONE_BYTE_END) return ONE_BYTE_FIRST + ((value - ONE_BYTE_FIRST) >> 8);
  let code = WIDE_FIRST;
  while (code + 1 < AGAIN && NUMBER_BASE[code + 1]! <= value) code += 1;
  return code;
}

/** -1 for a number of more than one significant digit. */
function roundCode(value: number): number {
  let digit = value / 100;
  let zeros = ROUND_ZEROS_MIN;
  for (; digit % 10 === 0; digit /= 10) zeros += 1;
  return digit < 10 && zeros <= ROUND_ZEROS_MAX
    ? ROUND_FIRST + 9 * (zeros - ROUND_ZEROS_MIN) + digit - 1
    : -1;
}

function repeat(count: number, extraBytes: number): number[] {
  return Array.from({ length: count }, () => extraBytes);
}
