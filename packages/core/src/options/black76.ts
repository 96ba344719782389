import type { OptionType } from '../records.ts';
import { normalBelow, normalDensity } from './normal.ts';

/** Inputs of Black's model of 1976, at a rate of zero. All must be above zero. */
export interface Black76 {
  readonly forward: number;
  readonly strike: number;
  /** Per year, as a fraction. */
  readonly volatility: number;
  readonly years: number;
}

/** Distance of the forward above the strike in standard deviations, plus half the variance. */
export function d1Of({ forward, strike, volatility, years }: Black76): number {
  const deviation = volatility * Math.sqrt(years);
  return Math.log(forward / strike) / deviation + deviation / 2;
}

/** Change of delta per dollar of the forward: the same for calls and puts. */
export function gammaOf(option: Black76): number {
  const { forward, volatility, years } = option;
  return normalDensity(d1Of(option)) / (forward * volatility * Math.sqrt(years));
}

/** Delta of the call; that of the put is one less. */
export function callDeltaOf(option: Black76): number {
  return normalBelow(d1Of(option));
}

/** In the unit of the forward. */
export function priceOf(type: OptionType, option: Black76): number {
  const { forward, strike, volatility, years } = option;
  const sign = type === 'C' ? 1 : -1;
  const d1 = d1Of(option);
  const d2 = d1 - volatility * Math.sqrt(years);
  // Far out of the money rounding could make it negative.
  return Math.max(0, sign * (forward * normalBelow(sign * d1) - strike * normalBelow(sign * d2)));
}

/** Sensitivities of an option's price, in the unit of the forward. */
export interface Greeks {
  /** Per unit of the forward. */
  readonly delta: number;
  /** Change of delta per unit of the forward. */
  readonly gamma: number;
  /** Per percentage point of volatility. */
  readonly vega: number;
  /** Per day that passes; never above zero. */
  readonly theta: number;
}

export function greeksOf(type: OptionType, option: Black76): Greeks {
  const { forward, volatility, years } = option;
  const d1 = d1Of(option);
  const density = forward * normalDensity(d1);
  return {
    delta: normalBelow(d1) - (type === 'C' ? 0 : 1),
    gamma: gammaOf(option),
    vega: (density * Math.sqrt(years)) / 100,
    theta: -(density * volatility) / (2 * Math.sqrt(years)) / 365,
  };
}
