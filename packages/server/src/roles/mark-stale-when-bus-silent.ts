import { sleep, type SourceHealth } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import type { MirroredBus } from '../platform/mirrored-bus.ts';
import { systemClock } from '../platform/system-clock.ts';
import { healthTopic, connectedVenuesTopic, type ConnectedVenue } from '../topics.ts';

/** Between tries to read the newest values again … */
const REPUBLISH_RETRY_MS = 1_000;
/** … up to this many times: by then the server has another problem, and will be silent again. */
const REPUBLISH_TRIES_MAX = 60;

/** While the bus, or that of a group of ingesters, is silent, its last values are served and marked as stale. */
export function markStaleWhenBusSilent({
  bus,
  log,
  publishers,
  describe = () => undefined,
}: {
  readonly bus: MirroredBus;
  readonly log: Log;
  readonly publishers: readonly { readonly id: string }[];
  /** The venues of a group of ingesters; `undefined` of the one that is always there. */
  readonly describe?: (group: string) => string | undefined;
}): void {
  const republish = async (group: string): Promise<void> => {
    for (let tries = 1; tries <= REPUBLISH_TRIES_MAX && !bus.isSilentOf(group); tries += 1) {
      try {
        return await bus.republish();
      } catch (error) {
        log.warn({ err: error }, 'the newest values cannot be read again yet');
        await sleep(systemClock, REPUBLISH_RETRY_MS);
      }
    }
  };
  for (const { id } of publishers) {
    bus.markStaleWhileSilent(healthTopic(id), (healths, sinceMs, group) =>
      healths.map((one) => asStale(one, sinceMs, describe(group))),
    );
  }
  bus.markStaleWhileSilent(connectedVenuesTopic, (received, sinceMs) =>
    received.map((one) => connectedUntil(one, sinceMs)),
  );
  bus.onSilence((isSilent, group) => {
    const venues = describe(group);
    const fields = venues === undefined ? {} : { venues };
    if (isSilent) {
      log.warn(fields, 'the bus is silent; the last values are served as stale');
      return;
    }
    log.info(fields, 'the bus has recovered');
    void republish(group);
  });
}

function asStale(health: SourceHealth, sinceMs: number, venues: string | undefined): SourceHealth {
  if (health.status !== 'ok') return health;
  const which = venues === undefined ? 'the ingester' : `the ingesters of ${venues}`;
  const error = `Nothing new has come from ${which} for a while.`;
  return { ...health, status: 'stale', error, sinceMs, failingSinceMs: sinceMs };
}

/** Venues are connected to the ingester; whether they still are is unknown here. */
function connectedUntil({ venue, past, openSinceMs: from }: ConnectedVenue, untilMs: number): ConnectedVenue {
  return from === undefined
    ? { venue, past }
    : { venue, past: [...past, { venue, from, to: Math.max(from, untilMs) }] };
}
