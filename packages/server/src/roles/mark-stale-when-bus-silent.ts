import { sleep, type SourceHealth } from '@crosstape/core';
import type { Log } from '../platform/log.ts';
import type { MirroredBus } from '../platform/mirrored-bus.ts';
import { systemClock } from '../platform/system-clock.ts';
import { healthTopic, connectedVenuesTopic, type ConnectedVenue } from '../topics.ts';

/** Between tries to read the newest values again … */
const REPUBLISH_RETRY_MS = 1_000;
/** … up to this many: by then the server is in other trouble, and will be silent again. */
const REPUBLISH_TRIES_MAX = 60;

/** While the bus is silent, the last values are served and marked as stale. */
export function markStaleWhenBusSilent({
  bus,
  log,
  publishers,
}: {
  readonly bus: MirroredBus;
  readonly log: Log;
  readonly publishers: readonly { readonly id: string }[];
}): void {
  const republish = async (): Promise<void> => {
    for (let tries = 1; tries <= REPUBLISH_TRIES_MAX && !bus.isSilent; tries += 1) {
      try {
        return await bus.republish();
      } catch (error) {
        log.warn({ err: error }, 'the newest values cannot be read again yet');
        await sleep(systemClock, REPUBLISH_RETRY_MS);
      }
    }
  };
  for (const { id } of publishers) {
    bus.markStaleWhileSilent(healthTopic(id), (healths) =>
      healths.map((one) => asStale(one, bus.lastReceivedMs)),
    );
  }
  bus.markStaleWhileSilent(connectedVenuesTopic, (received) =>
    received.map((one) => connectedUntil(one, bus.lastReceivedMs)),
  );
  bus.onSilence((isSilent) => {
    if (isSilent) {
      log.warn({}, 'the bus is silent; the last values are served as stale');
      return;
    }
    log.info({}, 'the bus delivers again');
    void republish();
  });
}

function asStale(health: SourceHealth, sinceMs: number): SourceHealth {
  if (health.status !== 'ok') return health;
  const error = 'Nothing new has come from the ingester for a while.';
  return { ...health, status: 'stale', error, sinceMs, failingSinceMs: sinceMs };
}

/** A connected venue is connected to the ingester; whether it still is, is not known here. */
function connectedUntil({ venue, past, openSinceMs: from }: ConnectedVenue, untilMs: number): ConnectedVenue {
  return from === undefined
    ? { venue, past }
    : { venue, past: [...past, { venue, from, to: Math.max(from, untilMs) }] };
}
