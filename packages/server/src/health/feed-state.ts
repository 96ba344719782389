import type { SourceHealth, SourceStatus } from '@crosstape/core';
import { isIdle } from '../topics.ts';
import { healthOf } from './failing-source.ts';

/** A source that a channel is made of: a table or feed of one publisher. */
export interface SourceRef {
  readonly publisher: string;
  /** Name of a table, or of a feed (`trades`, `books`, `liquidations`). */
  readonly gives: string;
  /**
   * It is connected only while a client subscribes: until then it counts as live while its publisher delivers anything.
   */
  readonly isOnDemand?: boolean;
}

/** The sources of a channel. Every group is needed; the sources of a group contribute independently. */
export type SourceGroups = readonly (readonly SourceRef[])[];

/** Whether a channel is current. */
export interface FeedState {
  /** `stale`: some data are old or missing; `down`: no new data can arrive. */
  readonly state: 'live' | 'stale' | 'down';
  /** When it stopped being live; of `live`, when it last became so. */
  readonly sinceTs: number;
  readonly reason: string;
  /** It is stale, but other sources of the same kind still deliver. */
  readonly partial?: true;
}

/** The newest health of a publisher's sources; `undefined` before the first. */
export type HealthsOf = (publisher: string) => readonly SourceHealth[] | undefined;

const ALL_LIVE = 'All sources deliver.';
/** Failing sources named in a reason. */
const NAMED_MAX = 3;
const ranks = { live: 0, stale: 1, down: 2 } as const;

const stateOf: Readonly<Record<SourceStatus, FeedState['state']>> = {
  ok: 'live',
  stale: 'stale',
  limited: 'stale',
  changed: 'stale',
  blocked: 'down',
  down: 'down',
};

/** The state of a channel, from the health of its sources alone, so that every process computes the same. */
export function feedState(groups: SourceGroups, healthsOf: HealthsOf, startedMs: number): FeedState {
  const sources = (refs: readonly SourceRef[]): readonly FeedState[] =>
    refs.map((ref) => sourceState(ref, healthsOf(ref.publisher), startedMs));
  const states = groups.map((refs) => groupState(sources(refs)));
  const failing = states.filter(({ state }) => state !== 'live');
  if (failing.length === 0) {
    return { state: 'live', sinceTs: Math.max(...states.map(({ sinceTs }) => sinceTs)), reason: ALL_LIVE };
  }
  const { state } = failing.reduce((worst, one) => (ranks[one.state] > ranks[worst.state] ? one : worst));
  return {
    state,
    sinceTs: Math.min(...failing.map(({ sinceTs }) => sinceTs)),
    reason: reasonOf(groups.flatMap(sources)),
    ...(failing.every(({ partial }) => partial) && { partial: true }),
  };
}

function groupState(states: readonly FeedState[]): Omit<FeedState, 'reason'> {
  const times = states.map(({ sinceTs }) => sinceTs);
  const failing = states.filter(({ state }) => state !== 'live');
  if (failing.length === 0) return { state: 'live', sinceTs: Math.max(...times) };
  const sinceTs = Math.min(...failing.map((one) => one.sinceTs));
  if (failing.length < states.length) return { state: 'stale', sinceTs, partial: true };
  return { state: failing.every(({ state }) => state === 'down') ? 'down' : 'stale', sinceTs };
}

function sourceState(
  { publisher, gives, isOnDemand = false }: SourceRef,
  healths: readonly SourceHealth[] | undefined,
  startedMs: number,
): FeedState {
  const health = healthOf(healths, gives);
  if (!health || isIdle(health)) {
    const sinceTs = health?.sinceMs ?? startedMs;
    if (isOnDemand && healths?.some(({ status }) => status === 'ok'))
      return { state: 'live', sinceTs, reason: '' };
    return { state: 'down', sinceTs, reason: `${publisher} ${gives}: no data received yet.` };
  }
  const { source, status, sinceMs, failingSinceMs = sinceMs, error = `The source is ${status}.` } = health;
  if (status === 'ok') return { state: 'live', sinceTs: sinceMs, reason: '' };
  return { state: stateOf[status], sinceTs: failingSinceMs, reason: `${source.replace(':', ' ')}: ${error}` };
}

function reasonOf(states: readonly FeedState[]): string {
  const reasons = [...new Set(states.flatMap(({ state, reason }) => (state === 'live' ? [] : reason)))];
  const more = reasons.length - NAMED_MAX;
  return [...reasons.slice(0, NAMED_MAX), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
