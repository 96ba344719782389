import { BAR_JSON_BYTES_MIN, barsInPack, barsToJson, decodePack } from '@crosstape/core';
import { gunzipSync } from 'node:zlib';
import type { Task } from '../../platform/jobs.ts';

/** Longer results are refused as JSON. */
export const JSON_BYTES_MAX = 4_194_304;
/** A larger unpacked pack is not ours. */
const PACK_BYTES_MAX = 2 ** 28;

export type PrintedBars = { readonly json: Uint8Array<ArrayBuffer> } | { readonly tooLarge: true };

/** Prints a result on a worker; `worker.ts` exports the function. */
export const printBarsTask: Task<Uint8Array, PrintedBars> = { name: 'printBars' };

/** A gzipped result pack as JSON, unless that is too long. */
export function printBars(gzipped: Uint8Array): PrintedBars {
  const bytes = gunzipSync(gzipped, { maxOutputLength: PACK_BYTES_MAX });
  if (barsInPack(bytes) * BAR_JSON_BYTES_MIN > JSON_BYTES_MAX) return { tooLarge: true };
  const json = new TextEncoder().encode(JSON.stringify(barsToJson(decodePack(bytes))));
  return json.length > JSON_BYTES_MAX ? { tooLarge: true } : { json };
}
