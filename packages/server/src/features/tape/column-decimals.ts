import { type TickColumns, tenTo, type Trade } from '@crosstape/core';

/** Digits that a number is sure to keep, and the most decimals of a column. */
const DIGITS_MAX = 15;

/**
 * What prices or sizes need to be in one column: its decimals are those of the number with the most, and all of them
 * are whole numbers below 2^53 with these. 300,000,000 and 0.12345678 are not.
 */
class ColumnDecimals {
  #decimals = 0;
  /** The largest number, in units of the last decimal. */
  #units = 0;
  #factor = 1;

  takes(value: number): boolean {
    if (this.#covers(value)) return true;
    const decimals = this.#with(value);
    return this.takesUnits(Math.round(value * tenTo(decimals)), decimals);
  }

  add(value: number): void {
    if (this.#covers(value)) return;
    const decimals = this.#with(value);
    this.addUnits(Math.round(value * tenTo(decimals)), decimals);
  }

  /** The same of several numbers with these decimals; `units` is the largest, in units of the last one. */
  takesUnits(units: number, decimals: number): boolean {
    const most = Math.max(decimals, this.#decimals);
    const isWhole = isMagnitude(units * tenTo(most - decimals));
    return isWhole && isMagnitude(this.#units * tenTo(most - this.#decimals)) && most <= DIGITS_MAX;
  }

  addUnits(units: number, decimals: number): void {
    const most = Math.max(decimals, this.#decimals);
    this.#units = Math.max(this.#units * tenTo(most - this.#decimals), units * tenTo(most - decimals));
    this.#decimals = most;
    this.#factor = tenTo(most);
  }

  /** Whether a number changes nothing, as nearly all do: it is not larger than others, with no more decimals. */
  #covers(value: number): boolean {
    const units = Math.round(value * this.#factor);
    return units >= 0 && units <= this.#units && units / this.#factor === value;
  }

  /** The decimals of a column with one number more. */
  #with(value: number): number {
    return fits(value, this.#decimals) ? this.#decimals : Math.max(this.#decimals, decimalsOf(value));
  }
}

/** The decimals of the trades of a chunk. */
export class ChunkDecimals {
  readonly #prices = new ColumnDecimals();
  readonly #sizes = new ColumnDecimals();

  /** Whether a trade can be in columns with the others; one that cannot even be alone is in no chunk. */
  takes({ price, size }: Pick<Trade, 'price' | 'size'>): boolean {
    return this.#prices.takes(price) && this.#sizes.takes(size);
  }

  add({ price, size }: Pick<Trade, 'price' | 'size'>): void {
    this.#prices.add(price);
    this.#sizes.add(size);
  }

  /** The same of trades that are columns already. */
  takesColumns({ price, size, length, priceDecimals, sizeDecimals }: TickColumns): boolean {
    return (
      this.#prices.takesUnits(largest(price, length), priceDecimals) &&
      this.#sizes.takesUnits(largest(size, length), sizeDecimals)
    );
  }

  addColumns({ price, size, length, priceDecimals, sizeDecimals }: TickColumns): void {
    this.#prices.addUnits(largest(price, length), priceDecimals);
    this.#sizes.addUnits(largest(size, length), sizeDecimals);
  }
}

function largest(units: Float64Array, length: number): number {
  let most = 0;
  for (let i = 0; i < length; i += 1) most = Math.max(most, units[i] as number);
  return most;
}

function isMagnitude(units: number): boolean {
  return Number.isSafeInteger(units) && units >= 0;
}

/** Whether a number has at most these decimals. Printing it, which is equivalent, takes ten times as long. */
export function fits(value: number, decimals: number): boolean {
  const factor = tenTo(decimals);
  const units = Math.round(value * factor);
  return units / factor === value && Number.isSafeInteger(units) && decimals <= DIGITS_MAX;
}

/** How many decimals a number prints with. */
export function decimalsOf(value: number): number {
  const text = String(value);
  const exponent = text.indexOf('e-');
  const point = text.indexOf('.');
  if (exponent < 0) return point < 0 ? 0 : text.length - point - 1;
  const decimals = point < 0 ? 0 : exponent - point - 1;
  return decimals + Number(text.slice(exponent + 2));
}

/** Reduces units to as few decimals as they need; returns how many. */
export function shorten(values: Float64Array, length: number, decimals: number): number {
  // Numbers with very many decimals may be a little off, but never in their own digits.
  const plain = Array.from(values.subarray(0, length), (value) =>
    Number((value / 10 ** decimals).toPrecision(DIGITS_MAX)),
  );
  const needed = plain.reduce((most, value) => Math.max(most, decimalsOf(value)), 0);
  plain.forEach((value, i) => {
    values[i] = Math.round(value * 10 ** needed);
  });
  return needed;
}
