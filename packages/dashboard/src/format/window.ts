import { minuteTime, type Zone } from './times.ts';

/** Since when figures of 24 hours are complete, while the record is shorter than that; `undefined` once it is not. */
export function sinceOf(rows: readonly { readonly sinceTs?: number }[] | undefined): number | undefined {
  return rows?.reduce((latest, { sinceTs = 0 }) => Math.max(latest, sinceTs), 0) || undefined;
}

/** `24 h`, or `24 h, since 09:12` while the record is shorter. */
export function windowName(sinceMs: number | undefined, zone: Zone): string {
  return sinceMs === undefined ? '24 h' : `24 h, since ${minuteTime(sinceMs, zone)}`;
}
