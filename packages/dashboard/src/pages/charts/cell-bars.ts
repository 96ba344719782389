import { barKinds, type KindChoice, type KindParam } from '../market/bar-kinds.ts';

/** Bars of a chart that are not of time. */
export interface CellBars {
  readonly kind: KindChoice['name'];
  /** The numbers of its fields, in their order; those that are not given have defaults. */
  readonly values: readonly (number | undefined)[];
}

/** Kinds of bars besides those of time. */
export const otherKinds: readonly KindChoice[] = barKinds.filter(({ name }) => name !== 'time');

/** The fields of a kind. */
export function paramsOf(bars: Pick<CellBars, 'kind'> | undefined): readonly KindParam[] {
  return otherKinds.find(({ name }) => name === bars?.kind)?.params ?? [];
}

/** `range`, `range:40`, `trend_reversal::20`. */
export function printBars({ kind, values }: CellBars): string {
  return [kind, ...values.map((value) => value ?? '')].join(':').replace(/:+$/, '');
}

/** The bars of a text that was split at its colons; `undefined`: those of time. */
export function parseBars([name, ...texts]: readonly string[]): CellBars | undefined {
  const kind = otherKinds.find((one) => one.name === name)?.name;
  if (!kind) return undefined;
  return { kind, values: paramsOf({ kind }).map((_, i) => sizeOf(texts[i])) };
}

/** A number above zero; `undefined`: none was given. */
export function sizeOf(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** The parameters that the address of the market page has for the same bars. */
export function barsQuery(interval: string, bars: CellBars | undefined): URLSearchParams {
  const query = new URLSearchParams({ interval });
  if (bars) query.set('kind', bars.kind);
  for (const [i, { name }] of paramsOf(bars).entries()) {
    const value = bars?.values[i];
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}
