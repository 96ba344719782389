/** The longest ban that a venue documents (Binance); longer ones are ignored. */
const RETRY_AFTER_MAX_MS = 3 * 24 * 3_600_000;

/** Delay of a `Retry-After` header: seconds, or an HTTP date. `undefined` if it is neither. */
export function parseRetryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  // Every HTTP date begins with the name of a day.
  const waitMs = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1_000
    : /^[a-z]/i.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), RETRY_AFTER_MAX_MS);
}
