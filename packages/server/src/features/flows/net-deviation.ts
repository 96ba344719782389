import { MINUTE_MS, roundTo } from '@crosstape/core';

/** Minutes that the deviation is taken over. */
const SAMPLES_MAX = 1_440;
/** Minimum number of minutes for a baseline. */
export const DEVIATION_SAMPLES_MIN = 30;
const USD_DECIMALS = 2;

export interface Deviation {
  /** Population standard deviation. */
  readonly sigmaUsd: number;
  /** Minutes that it is made of. */
  readonly samples: number;
}

/** How far a net is usually from its mean: one sample of each minute, of the last 24 hours. */
export class NetDeviation {
  /** Side by side: when, and how much. */
  readonly #minutesMs: number[] = [];
  readonly #netsUsd: number[] = [];
  #deviation: Deviation | undefined;

  /** Minutes must be in order; a repeated one is replaced. Missing minutes are skipped. */
  add(minuteMs: number, netUsd: number): void {
    const fromMs = minuteMs - (SAMPLES_MAX - 1) * MINUTE_MS;
    for (; (this.#minutesMs.at(-1) ?? -Infinity) >= minuteMs; this.#netsUsd.pop()) this.#minutesMs.pop();
    for (; (this.#minutesMs[0] ?? Infinity) < fromMs; this.#netsUsd.shift()) this.#minutesMs.shift();
    this.#minutesMs.push(minuteMs);
    this.#netsUsd.push(netUsd);
    this.#deviation = undefined;
  }

  /** Puts minutes before those that are known, in order. */
  putBefore(past: readonly { readonly minuteMs: number; readonly netUsd: number }[]): void {
    const firstMs = this.#minutesMs[0] ?? Infinity;
    const newestMs = this.#minutesMs.at(-1) ?? past.at(-1)?.minuteMs ?? 0;
    const fromMs = newestMs - (SAMPLES_MAX - 1) * MINUTE_MS;
    const older = past.filter(({ minuteMs }) => minuteMs < firstMs && minuteMs >= fromMs);
    this.#minutesMs.unshift(...older.map(({ minuteMs }) => minuteMs));
    this.#netsUsd.unshift(...older.map(({ netUsd }) => netUsd));
    this.#deviation = undefined;
  }

  /** `undefined` while too few minutes are known, or if nothing ever moved. */
  get value(): Deviation | undefined {
    if (this.#netsUsd.length < DEVIATION_SAMPLES_MIN) return undefined;
    // Computed from the samples, once a minute: running sums would drift.
    this.#deviation ??= {
      sigmaUsd: roundTo(deviationOf(this.#netsUsd), USD_DECIMALS),
      samples: this.#netsUsd.length,
    };
    return this.#deviation.sigmaUsd > 0 ? this.#deviation : undefined;
  }
}

/** Population standard deviation; 0 for an empty list. */
export function deviationOf(values: readonly number[]): number {
  if (values.length === 0) return 0;
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / values.length);
}
