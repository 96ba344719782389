/** Figures for people: units always shown, a minus sign and not a hyphen, a dash for unknown values. */
const UNKNOWN = '–';

interface Style {
  readonly digits: number;
  readonly notation?: 'standard' | 'compact';
  readonly isSigned?: boolean;
}

const UNITS = ['', 'K', 'M', 'B', 'T'];
/** Larger amounts are rare, and have more than the units above. */
const PRINTED_MAX = 9.99e14;

function formatOf({ digits, notation = 'standard' }: Style): Intl.NumberFormat {
  return new Intl.NumberFormat('en-US', {
    notation,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Beyond it, the next larger number would show among the decimals. */
const NEXT_MAX = 1e9;

/** 10.95 is 11.0, though the nearest binary number is a little less. */
function rounded(amount: number, digits: number): string {
  return (amount < NEXT_MAX ? amount * (1 + Number.EPSILON) : amount).toFixed(digits);
}

type Figure = number | null | undefined;

function isKnown(value: Figure): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function print(value: number, style: Style): string {
  const amount = Math.abs(value);
  const text = amount < PRINTED_MAX ? digitsOf(amount, style) : formatOf(style).format(amount);
  const sign = value < 0 ? '−' : style.isSigned ? '+' : '';
  // A value that rounds to zero has no sign.
  return sign !== '' && /[1-9]/.test(text) ? sign + text : text;
}

/** What `Intl.NumberFormat` prints, in a fraction of its time: a tape has thousands of figures a second. */
function digitsOf(amount: number, { digits, notation }: Style): string {
  let text = rounded(amount, digits);
  if (notation === 'compact') {
    let unit = 0;
    for (; Number(text) >= 1_000; text = rounded(amount / 1_000 ** unit, digits)) unit += 1;
    return text + UNITS[unit];
  }
  const point = digits === 0 ? text.length : text.length - digits - 1;
  for (let at = point - 3; at > 0; at -= 3) text = `${text.slice(0, at)},${text.slice(at)}`;
  return text;
}

/** `1.24B`, `912.4M`, `12.3K`, `812`: three to four digits. */
export function compact(value: Figure, digits = 2): string {
  if (!isKnown(value)) return UNKNOWN;
  return print(value, { notation: 'compact', digits });
}

/** `$1.24B` */
export function usd(value: Figure, { signed = false, digits = 2 } = {}): string {
  if (!isKnown(value)) return UNKNOWN;
  const small = Math.abs(value) < 1_000;
  const amount = small ? plain(Math.abs(value), 0) : compact(Math.abs(value), digits);
  const sign = value < 0 ? '−' : signed && value > 0 ? '+' : '';
  return `${sign}$${amount}`;
}

export function plain(value: Figure, digits = 2): string {
  if (!isKnown(value)) return UNKNOWN;
  return print(value, { digits });
}

/** `+1.24%`; `value` is in percent. */
export function percent(value: Figure, { digits = 2, signed = true } = {}): string {
  if (!isKnown(value)) return UNKNOWN;
  return `${print(value, { digits, isSigned: signed })}%`;
}

/** `+1.2 bps` */
export function bps(value: Figure, { digits = 1, signed = true } = {}): string {
  if (!isKnown(value)) return UNKNOWN;
  return `${print(value, { digits, isSigned: signed })} bps`;
}

/** Decimals that a price of this size is read with: five significant digits, as the primary venue quotes them. */
export function priceDigits(value: number): number {
  if (!Number.isFinite(value) || value === 0) return 2;
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return Math.max(0, Math.min(8, 5 - whole + (whole > 3 ? 1 : 0)));
}

/** A price in dollars, without the sign. */
export function price(value: Figure, digits?: number): string {
  if (!isKnown(value)) return UNKNOWN;
  return plain(value, digits ?? priceDigits(value));
}

/** A size in coins: as many digits as matter. */
export function size(value: Figure): string {
  if (!isKnown(value)) return UNKNOWN;
  if (Math.abs(value) >= 10_000) return compact(value, 1);
  if (Math.abs(value) >= 100) return plain(value, 1);
  if (Math.abs(value) >= 1) return plain(value, 3);
  return plain(value, 4);
}

/** `up` or `down`, the class of a figure by its sign. */
export function trend(value: Figure): 'up' | 'down' | '' {
  if (!isKnown(value) || value === 0) return '';
  return value > 0 ? 'up' : 'down';
}

/** As wide as a digit. */
const FIGURE_SPACE = '\u2007';

/** A figure for a column that is not a table: padded to this many characters, digits aligned. */
export function inColumn(text: string, charsMin: number): string {
  return text.padStart(charsMin, FIGURE_SPACE);
}
