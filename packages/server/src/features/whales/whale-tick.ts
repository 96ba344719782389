import type { Print } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { choice } from '../../http/parameter.ts';
import type { VenuePrint } from '../../topics.ts';
import type { WhaleTick } from '../perps/schema.ts';

/** The parameter `venues`. */
export const venuesParameter = Type.Optional(
  choice(['primary', 'all'], {
    description: 'Prints of the primary venue (default), or of every recorded market.',
    examples: ['primary'],
  }),
);

/** A print of any venue as in the API. */
export function venueTick(print: VenuePrint): Static<typeof WhaleTick> {
  const { market, grouping } = print;
  return { ...whaleTick(print), market, ...(grouping && { grouping }) };
}

/** A print as in the API. */
export function whaleTick(print: Print): Static<typeof WhaleTick> {
  const { coin, side, notionalUsd, price, ts, venue, size, fills, tid } = print;
  return { coin, side, notionalUsd, price, ts, venue, size, fills, tid };
}
