import { assets, type TableName, type Tables } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { choice, defaulted } from '../../http/parameter.ts';
import type { Meta } from '../../http/envelope.ts';
import { joinedMeta, readTables } from '../markets/read-tables.ts';
import type { Context } from '../context.ts';

/** Daily figures are served for a week. */
const LAST_GOOD_MS = 7 * 86_400_000;

/** The parameter of endpoints about one asset. */
export const assetQuery = Type.Object({
  asset: defaulted(choice(assets, { description: 'The asset.', examples: ['ethereum'] }), 'bitcoin'),
});

export interface OnchainReading<Name extends TableName> {
  /** By table: its rows. */
  readonly rows: { readonly [One in Name]: readonly Tables[One][] };
  readonly meta: Static<typeof Meta>;
  /** The time at which the newest of them was confirmed by its source. */
  readonly asOfMs: number;
  readonly validUntilMs: number;
}

/** Tables of one publisher; all are needed. */
export async function readOnchain<const Name extends TableName>(
  context: Context,
  wanted: {
    readonly publisher: string;
    readonly tables: readonly Name[];
    readonly cacheSeconds: number;
    readonly retryAfterSeconds: number;
  },
): Promise<OnchainReading<Name>> {
  const { publisher, tables, cacheSeconds, retryAfterSeconds } = wanted;
  const readings = await Promise.all(
    tables.map((table) =>
      readTables(context, {
        table,
        venues: [publisher],
        cacheSeconds,
        lastGoodMs: LAST_GOOD_MS,
        retryAfterSeconds,
        isOnDemand: true,
      }),
    ),
  );
  const rows = Object.fromEntries(readings.map((reading, i) => [tables[i], reading.tables[0]?.rows ?? []]));
  return {
    rows: rows as OnchainReading<Name>['rows'],
    meta: joinedMeta(readings.map(({ meta }) => meta)),
    asOfMs: Math.max(...readings.map(({ asOfMs }) => asOfMs)),
    validUntilMs: Math.min(...readings.map(({ validUntilMs }) => validUntilMs)),
  };
}
