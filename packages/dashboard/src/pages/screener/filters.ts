import { type Figure, figureNames, type ScreenerRow } from './screener-rows.ts';

/** A condition that rows meet: `funding>20`. */
export interface Filter {
  readonly figure: Figure;
  readonly sign: '>' | '<';
  readonly value: number;
}

/** More are cut off. */
const FILTERS_MAX = 12;
const units: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** The conditions of a URL: `funding>20,volume>5m`; invalid ones are left out. */
export function parseFilters(text: string): readonly Filter[] {
  return text
    .split(',')
    .flatMap((part): Filter[] => {
      const found = /^(\w+)([<>])(.+)$/.exec(part.trim());
      const figure = figureNames.find((name) => name === found?.[1]);
      const value = amountOf(found?.[3] ?? '');
      return figure && value !== undefined ? [{ figure, sign: found?.[2] === '<' ? '<' : '>', value }] : [];
    })
    .slice(0, FILTERS_MAX);
}

export function filtersText(filters: readonly Filter[]): string {
  return filters.map(({ figure, sign, value }) => `${figure}${sign}${value}`).join(',');
}

/** `5m` is 5,000,000; `undefined`: not a number. */
export function amountOf(text: string): number | undefined {
  const found = /^\s*([-−+]?\d*\.?\d+)\s*([kmb]?)\s*%?\s*$/i.exec(text);
  if (!found) return undefined;
  return Number(found[1]?.replace('−', '-')) * (units[found[2]?.toLowerCase() ?? ''] ?? 1);
}

/** The conditions with another one, which takes the place of one of the same figure and side. */
export function withFilter(filters: readonly Filter[], added: Filter): readonly Filter[] {
  const others = filters.filter(({ figure, sign }) => figure !== added.figure || sign !== added.sign);
  return [...others, added];
}

/** Rows that meet every condition; an unknown figure meets none. */
export function filtered(rows: readonly ScreenerRow[], filters: readonly Filter[]): readonly ScreenerRow[] {
  return rows.filter((row) =>
    filters.every(({ figure, sign, value }) => {
      const known = row[figure];
      return known !== undefined && (sign === '>' ? known > value : known < value);
    }),
  );
}
