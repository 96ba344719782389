import { roundTo } from '@crosstape/core';

/** Minutes that the deviation is taken over. */
const SAMPLES_MAX = 1_440;
/** Fewer minutes than this say nothing of what is usual. */
export const DEVIATION_SAMPLES_MIN = 30;
const MINUTE_MS = 60_000;
const USD_DECIMALS = 2;

export interface Deviation {
  /** Population standard deviation. */
  readonly sigmaUsd: number;
  /** Minutes that it is made of. */
  readonly samples: number;
}

/** How far a net is usually from its mean: one sample of each minute, of the last 24 hours. */
export class NetDeviation {
  readonly #samples: { readonly minuteMs: number; readonly netUsd: number }[] = [];
  #deviation: Deviation | undefined;

  /** Minutes come in order; told again, the later word holds. A minute that is missing is missing. */
  add(minuteMs: number, netUsd: number): void {
    const fromMs = minuteMs - (SAMPLES_MAX - 1) * MINUTE_MS;
    while ((this.#samples.at(-1)?.minuteMs ?? -Infinity) >= minuteMs) this.#samples.pop();
    while ((this.#samples[0]?.minuteMs ?? Infinity) < fromMs) this.#samples.shift();
    this.#samples.push({ minuteMs, netUsd });
    this.#deviation = undefined;
  }

  /** `undefined` while too few minutes are known, or nothing ever moved. */
  get value(): Deviation | undefined {
    if (this.#samples.length < DEVIATION_SAMPLES_MIN) return undefined;
    // From the samples, once a minute: sums that are kept up would drift.
    this.#deviation ??= {
      sigmaUsd: roundTo(deviationOf(this.#samples.map((sample) => sample.netUsd)), USD_DECIMALS),
      samples: this.#samples.length,
    };
    return this.#deviation.sigmaUsd > 0 ? this.#deviation : undefined;
  }
}

/** Population standard deviation; 0 of nothing. */
export function deviationOf(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
