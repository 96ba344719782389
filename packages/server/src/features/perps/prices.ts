import type { Price } from '@crosstape/core';
import { rowAtMs, type Snapshot } from '../../topics.ts';
import type { Dated } from './open-interest.ts';

/** The prices of each coin; of several contracts those of the last listed one. */
export function pricesByCoin(table: Snapshot<Price>): ReadonlyMap<string, Dated<Price>> {
  return new Map(table.rows.map((row, i) => [row.coin, { value: row, fetchedAtMs: rowAtMs(table, i) }]));
}
