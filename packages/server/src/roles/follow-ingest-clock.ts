import { type Clock, SteadyClock } from '@crosstape/core';
import type { Bus, Unsubscribe } from '../platform/bus.ts';
import { clockTopic } from '../topics.ts';

/**
 * Has the clock of this thread treat a step as the ingest thread does, which knows the venues' times. Both threads are on
 * one machine, so that they see the same step.
 */
export function followIngestClock(clock: Clock, bus: Bus): Unsubscribe {
  if (!(clock instanceof SteadyClock)) return () => undefined;
  return bus.subscribe(clockTopic, ({ stepMs }) => {
    if (stepMs !== 0) clock.hold();
    else if (clock.stepMs !== 0) clock.follow();
  });
}
