import type { Health, Readiness } from '@crosstape/client';
import { stateWords } from '../format/source-states.ts';

/** Something that does not work, as the bar over every page names it. */
export interface Outage {
  readonly name: string;
  /** `down`, `blocked`, `partly down`, …. */
  readonly word: string;
  /** By this machine's clock. */
  readonly sinceMs: number;
  readonly details: string;
}

/** Shorter ones are reconnects or part of the start. */
const SHORT_MS = 5_000;

/** Failures that the service reports, in the order of `/sources`; `receivedMs` is when they were received. */
export function outagesOf(
  { failing = [], recording }: Pick<Health, 'failing' | 'recording'>,
  receivedMs: number,
): readonly Outage[] {
  const sources = failing
    .filter(({ forMs }) => forMs >= SHORT_MS)
    .map(
      ({ name, status, forMs, error, feeds, partial }): Outage => ({
        name,
        word: `${partial ? 'partly ' : ''}${stateWords[status]}`,
        sinceMs: receivedMs - forMs,
        details: `${feeds.join(', ')}: ${error}`,
      }),
    );
  if (recording?.status !== 'failing') return sources;
  const { error = 'Trades cannot be written to the store.', sinceMs = receivedMs } = recording;
  return [{ name: 'Trade recording', word: 'failing', sinceMs, details: error }, ...sources];
}

/** Without these the service cannot do its work: the store and the primary venue's tape. */
export function isGrave({ recording }: Pick<Health, 'recording'>, { checks }: Readiness): boolean {
  return recording?.status === 'failing' || checks.some(({ ok }) => !ok);
}
