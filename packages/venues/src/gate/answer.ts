import { parseDecimal } from '@crosstape/core';
import { readArray } from '../reading.ts';
import { Declined, Malformed } from '../venue.ts';

/** Without it sizes are whole numbers, cut off where the contract trades in fractions [D, T]. */
export const SIZE_HEADERS = { 'X-Gate-Size-Decimal': '1' } as const;

const LIMITED_LABELS: readonly unknown[] = ['TOO_MANY_REQUESTS', 'TOO_FAST'];

/**
 * A list comes bare; a refusal is an object with a label [C], with an HTTP error as a rule:
 * ```json
 * {"label":"TOO_MANY_REQUESTS","message":"Request Rate limit Exceeded"}
 * ```
 * https://www.gate.com/docs/developers/apiv4/en/#error-handling
 */
export function readList(body: unknown): readonly unknown[] {
  const { label, message } = Object(body) as Readonly<Record<string, unknown>>;
  if (typeof label === 'string') {
    const status = LIMITED_LABELS.includes(label) ? 'limited' : 'down';
    throw new Declined(status, `the venue says ${label}: ${String(message)}`);
  }
  return readArray(body, 'answer');
}

/** A price or size, which is a text or, without the header or in older messages, a number [D]. */
export function readAmount(value: unknown, what: string): number {
  const number = typeof value === 'number' ? value : parseDecimal(value);
  if (number === undefined || !Number.isFinite(number))
    throw new Malformed(`${what} is not an amount: ${JSON.stringify(value)}`);
  return number;
}
