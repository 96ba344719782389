import type { Print } from '@crosstape/core';
import type { Static } from 'typebox';
import type { WhaleTick } from '../perps/schema.ts';

/** A print as in the API. */
export function whaleTick(print: Print): Static<typeof WhaleTick> {
  const { coin, side, notionalUsd, price, ts, venue, size, fills, tid } = print;
  return { coin, side, notionalUsd, price, ts, venue, size, fills, tid };
}
