import type { Schemas } from '@crosstape/client';

export type SourceInfo = Schemas['SourceInfo'];
export type SourceFeed = Schemas['SourceFeed'];

/** From good to bad, in words. */
export const stateWords = {
  ok: 'up',
  stale: 'stale',
  limited: 'limited',
  changed: 'changed',
  blocked: 'blocked',
  down: 'down',
} as const;

export type State = keyof typeof stateWords;

/** Label of a source that has not been polled yet: it has no state. */
export const IDLE = 'idle';

const ranks = Object.keys(stateWords);

/** Severity of a state; an idle one ranks above none. */
export function rankOf(state: State | null): number {
  return state === null ? -1 : ranks.indexOf(state);
}

export interface SourceSums {
  readonly perMinute: number | undefined;
  readonly ageMs: number | undefined;
  readonly reconnects: number;
  readonly refused: number;
}

/** Summary of a source's feeds: the newest message determines its age. */
export function sumsOf({ feeds }: SourceInfo): SourceSums {
  const rates = feeds.flatMap(({ messagesLastMinute: rate }) => rate ?? []);
  const ages = feeds.flatMap(({ ageMs }) => ageMs ?? []);
  const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
  return {
    perMinute: rates.length === 0 ? undefined : sum(rates),
    ageMs: ages.length === 0 ? undefined : Math.min(...ages),
    reconnects: sum(feeds.map(({ reconnects }) => reconnects)),
    refused: sum(feeds.map(({ refused }) => refused)),
  };
}
