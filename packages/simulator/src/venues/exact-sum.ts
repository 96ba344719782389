const POWERS = Array.from({ length: 40 }, (_, i) => 10n ** BigInt(i));
const powerOf = (exponent: number): bigint => POWERS[exponent] ?? 10n ** BigInt(exponent);
/** Decimals that most printed numbers need, and the units of them that a float holds exactly. */
const USUAL_DECIMALS = 8;
const USUAL_UNIT = 10 ** USUAL_DECIMALS;
const USUAL_UNITS_MAX = 1e15;

/** A sum of decimals without floating-point error: a venue sums exactly what it prints. */
export class ExactSum {
  static readonly zero = new ExactSum(0n, 0);
  readonly #units: bigint;
  readonly #decimals: number;

  constructor(units: bigint, decimals: number) {
    this.#units = units;
    this.#decimals = decimals;
  }

  /** A printed number, exactly. */
  static of(value: number): ExactSum {
    const usual = Math.round(value * USUAL_UNIT);
    if (Math.abs(usual) < USUAL_UNITS_MAX && usual / USUAL_UNIT === value)
      return new ExactSum(BigInt(usual), USUAL_DECIMALS);
    const [mantissa = '', exponent = '0'] = String(value).split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    const decimals = fraction.length - Number(exponent);
    const units = BigInt(whole + fraction);
    return decimals < 0 ? new ExactSum(units * powerOf(-decimals), 0) : new ExactSum(units, decimals);
  }

  plus(other: ExactSum): ExactSum {
    const decimals = Math.max(this.#decimals, other.#decimals);
    return new ExactSum(this.unitsAt(decimals) + other.unitsAt(decimals), decimals);
  }

  times(other: ExactSum): ExactSum {
    return new ExactSum(this.#units * other.#units, this.#decimals + other.#decimals);
  }

  /** Like `Number.toFixed`, for a sum of 0 or more. */
  toFixed(decimals: number): string {
    const more = this.#decimals - decimals;
    const unit = more > 0 ? powerOf(more) : 1n;
    const units = more > 0 ? (this.#units + unit / 2n) / unit : this.unitsAt(decimals);
    const text = String(units).padStart(decimals + 1, '0');
    return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
  }

  /** In units of 10^-`decimals`, which are at least its own. */
  unitsAt(decimals: number): bigint {
    return this.#units * powerOf(decimals - this.#decimals);
  }
}
