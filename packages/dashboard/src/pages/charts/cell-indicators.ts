import { parseChoices } from '../market/indicator-choice.ts';
import { CELLS_MAX } from './layout.ts';

/** Indicators of the charts without any of their own: all of them in earlier addresses. */
const COMMON = 'ind';

type Params = Readonly<Record<string, string | undefined>>;

/** `ind2`: the indicators of the second chart. */
const paramOf = (place: number): string => `${COMMON}${place + 1}`;
const printed = (indicators: readonly string[]): string => indicators.join(',') || 'none';

/** The indicators of a chart of an address. */
export function indicatorsOf(query: URLSearchParams, place: number): readonly string[] {
  return parseChoices(query.get(paramOf(place)) ?? query.get(COMMON) ?? '');
}

/** The parameters that change those of one chart. */
export function ownIndicators(query: URLSearchParams, place: number, next: readonly string[]): Params {
  const isCommon = printed(next) === printed(parseChoices(query.get(COMMON) ?? ''));
  return { [paramOf(place)]: isCommon ? undefined : printed(next) };
}

/** The parameters that give all charts the same. */
export function sameIndicators(next: readonly string[]): Params {
  return { [COMMON]: next.length > 0 ? printed(next) : undefined, ...ownIndicatorsFrom(0) };
}

/** The parameters that take those of their own from the charts after the first `count`. */
export function ownIndicatorsFrom(count: number): Params {
  const places = Array.from({ length: CELLS_MAX - count }, (_, i) => paramOf(count + i));
  return Object.fromEntries(places.map((name) => [name, undefined]));
}
