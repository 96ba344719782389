import type { Bus } from '../../platform/bus.ts';
import { marketSeedingTopic, seedingTopic } from '../../topics.ts';

/** Whether trades of the past are still being created, on any venue: a day is not sealed meanwhile. */
export function isHistoryGrowing(bus: Pick<Bus, 'latest'>): boolean {
  const states = [bus.latest(seedingTopic), bus.latest(marketSeedingTopic)];
  return states.some((state) => state?.message.isDone === false);
}
