import { isWorse, type SourceHealth, type SourceStatus } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { healthTopic, isIdle } from '../../topics.ts';

/** A venue or site with a failing part. */
export interface FailingPublisher {
  readonly source: string;
  readonly name: string;
  /** The worst of its failing feeds. */
  readonly status: SourceStatus;
  /** Since when something of it fails, and for how long by the service's own clock. */
  readonly sinceTs: number;
  readonly forMs: number;
  readonly error: string;
  /** The feeds and tables that fail, as `/sources` names them. */
  readonly feeds: readonly string[];
  /** Other feeds and tables of it have delivered since. */
  readonly partial?: true;
}

export interface PublisherNames {
  readonly publishers: readonly { readonly id: string; readonly venue?: string }[];
  readonly sources: readonly { readonly id: string; readonly name: string }[];
}

/** Publishers with old or missing data, in the order of `/sources`; a venue and its parts are one. */
export function failingPublishers(
  bus: Pick<Bus, 'latest'>,
  { publishers, sources }: PublisherNames,
  nowMs: number,
): readonly FailingPublisher[] {
  return sources.flatMap(({ id, name }): readonly FailingPublisher[] => {
    const active = publishers
      .filter((one) => (one.venue ?? one.id) === id)
      .flatMap((one) => bus.latest(healthTopic(one.id))?.message ?? [])
      .filter((health) => !isIdle(health));
    const failing = active.filter(({ status }) => status !== 'ok');
    const [first, ...others] = failing;
    if (!first) return [];
    const { status, error = `It is ${status}.` } = others.reduce(
      (worst, one) => (isWorse(one, worst) ? one : worst),
      first,
    );
    const sinceTs = Math.min(...failing.map(failingSince));
    return [
      {
        source: id,
        name,
        status,
        sinceTs,
        forMs: Math.max(0, nowMs - sinceTs),
        error,
        feeds: failing.map(({ source }) => source),
        ...(active.some((one) => hasDelivered(one, sinceTs)) && { partial: true }),
      },
    ];
  });
}

/** A table that is polled rarely is no proof that its publisher can be reached. */
function hasDelivered({ status, lastGoodMs = 0 }: SourceHealth, sinceMs: number): boolean {
  return status === 'ok' && lastGoodMs > sinceMs;
}

function failingSince({ sinceMs, failingSinceMs = sinceMs }: SourceHealth): number {
  return failingSinceMs;
}
