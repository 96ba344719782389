import { type FailingSource, isWorse, type SourceHealth } from '@crosstape/core';

/** The source of a venue that supplies a table or the trades; where several do, the worst of them. */
export function healthOf(
  healths: readonly SourceHealth[] | undefined,
  gives: string,
): SourceHealth | undefined {
  let worst: SourceHealth | undefined;
  for (const one of healths ?? []) {
    if (!one.gives.includes(gives)) continue;
    const health = one.concerns?.includes(gives) === false ? asOk(one) : one;
    if (!worst || isWorse(health, worst)) worst = health;
  }
  return worst;
}

function asOk({ error: _, concerns: __, ...health }: SourceHealth): SourceHealth {
  return { ...health, status: 'ok' };
}

export interface Failing {
  readonly venue: string;
  /** What is missing. */
  readonly words: string;
  readonly health: SourceHealth | undefined;
  /** Absent if nothing was ever received. */
  readonly ageMs: number | undefined;
}

/** Describes a source whose value is old or missing. */
export function failingSource({ venue, words, health, ageMs }: Failing): FailingSource {
  const isOk = health === undefined || health.status === 'ok';
  return {
    source: health?.source ?? venue,
    status: isOk ? (ageMs === undefined ? 'down' : 'stale') : health.status,
    ageMs: ageMs ?? null,
    error:
      health?.error ??
      (ageMs === undefined
        ? `No ${words} of ${venue} has been received yet.`
        : `The newest ${words} of ${venue} is old.`),
  };
}
