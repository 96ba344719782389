import { HOUR_MS } from '../durations.ts';

const YEAR_MS = 365 * 24 * HOUR_MS;
/** In the last hour gamma would grow without bound, while the delivery price is already an average. */
const TIME_MIN_MS = HOUR_MS;

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] as const;

/** Years of 365 days that an option has left, never less than an hour; `undefined` once it has expired. */
export function yearsToExpiry(expiryMs: number, atMs: number): number | undefined {
  return expiryMs > atMs ? Math.max(expiryMs - atMs, TIME_MIN_MS) / YEAR_MS : undefined;
}

/** `27NOV26`, day with two digits, in UTC. */
export function expiryLabel(expiryMs: number): string {
  const date = new Date(expiryMs);
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${day}${MONTHS[date.getUTCMonth()]}${String(date.getUTCFullYear() % 100).padStart(2, '0')}`;
}

/** Midnight UTC of a label's day, with one or two digits; `undefined` if it is not a date. */
export function dayOfLabel(label: string): number | undefined {
  const [, day, name, year] = /^(\d{1,2})([A-Z]{3})(\d{2})$/.exec(label) ?? [];
  const month = MONTHS.findIndex((one) => one === name);
  const dayMs = Date.UTC(2000 + Number(year), month, Number(day));
  return month >= 0 && new Date(dayMs).getUTCDate() === Number(day) ? dayMs : undefined;
}
