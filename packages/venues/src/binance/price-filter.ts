import type { Fields } from '../reading.ts';

/** `{"filterType":"PRICE_FILTER","tickSize":"0.10", … }` among the filters [D]. */
export function priceFilterOf({ filters }: Fields): Fields | undefined {
  const list: readonly unknown[] = Array.isArray(filters) ? filters : [];
  return list.map(Object).find(({ filterType }: Fields) => filterType === 'PRICE_FILTER') as
    | Fields
    | undefined;
}
