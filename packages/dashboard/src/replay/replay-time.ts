import type { Zone } from '../format/times.ts';

/** Format in a URL: `2026-11-17T05:00:00Z`. */
export function addressTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Parses the time of a URL, in ms; `undefined` if invalid. A time without a zone is UTC. */
export function parseAddressTime(text: string): number | undefined {
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  const ms = /^\d{12,14}$/.test(text) ? Number(text) : Date.parse(isZoned ? text : `${text}Z`);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const DAY_MS = 86_400_000;
/** The short histories are kept for 7 days, ten-minute samples for 30: a day is left for data about to expire. */
const SHORT_KEPT_MS = 6 * DAY_MS;
const TEN_MINUTES_KEPT_MS = 29 * DAY_MS;

/** Which samples of open interest and funding reach back to a time; absent: the short histories do. */
export function samplesAt(ms: number, presentMs: number): { readonly interval?: '10m' | '1h' } {
  const ageMs = presentMs - ms;
  if (ageMs < SHORT_KEPT_MS) return {};
  return { interval: ageMs < TEN_MINUTES_KEPT_MS ? '10m' : '1h' };
}

/** The text of a `datetime-local` field, and its parsed input, in the zone of the page. */
export function fieldTime(ms: number, zone: Zone): string {
  const offsetMs = zone === 'UTC' ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}

export function parseFieldTime(text: string, zone: Zone): number | undefined {
  const ms = Date.parse(zone === 'UTC' ? `${text}Z` : text);
  return Number.isFinite(ms) ? ms : undefined;
}
