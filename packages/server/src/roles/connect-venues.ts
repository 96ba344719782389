import { sleep } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import { type EngineOptions, startEngine } from '../ingest/engine.ts';
import type { KeptAnswer } from '../ingest/kept-answer.ts';
import { logIfSlow } from '../platform/slow-step.ts';
import { ResponseCache } from '../store/response-cache.ts';
import { originsOf } from '../upstream.ts';
import { publishersOfGroup } from './configured-publishers.ts';
import type { IngestDependencies } from './ingest.ts';
import type { Stops } from './role-dependencies.ts';

/** Between attempts to read the cached responses of the previous ingester. */
const KEPT_RETRY_MS = 500;

/** Receivers of the venues' data. */
export type VenueParts = Pick<
  EngineOptions,
  'sink' | 'markets' | 'books' | 'onCandles' | 'onHistory' | 'onOptionTrades' | 'fills'
>;

/** Connects to the venues that this ingester reads. */
export async function connectVenues(
  { settings, clock, random, bus, log, store, jobs, upstream, turn, begin }: IngestDependencies,
  parts: VenueParts,
  stops: Stops,
): Promise<void> {
  const opened = ResponseCache.open<KeptAnswer>(store, 'kept-answers', log);
  const kept = await logIfSlow('the answers kept from the last run', opened, { log });
  stops.add(() => kept.close());
  let isOver = false;
  stops.add(() => {
    isOver = true;
  });
  // Nothing is requested before the previous ingester's request times are known.
  const loadCached = async (): Promise<void> => {
    while (!isOver) {
      try {
        return await kept.reload();
      } catch (error) {
        log.warn({ err: error }, "cannot read the previous ingester's cached responses; retrying");
        await sleep(clock, KEPT_RETRY_MS);
      }
    }
  };
  await begin?.();
  const engine = startEngine({
    venues: publishersOfGroup(settings),
    primaryVenue: primaryVenue.id,
    originsOf: (venue) => originsOf(upstream, settings, venue),
    bus,
    clock,
    random,
    jobs,
    log,
    kept,
    ...parts,
    ...(turn && { turn: turn.led.then(loadCached) }),
    // A simulator and a replay are on the loopback, where no proxy is used.
    ...(settings.proxy === undefined || upstream.mode !== 'live' ? {} : { proxy: settings.proxy }),
  });
  stops.add(() => engine.stop());
}
