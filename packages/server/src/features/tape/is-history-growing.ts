import type { Bus } from '../../platform/bus.ts';
import { marketSeedingTopic, seedingTopic } from '../../topics.ts';

/** Whether trades of the past are still being created, of the primary venue or of any: a day is not sealed meanwhile. */
export function isHistoryGrowing(bus: Pick<Bus, 'latest'>, of: 'primary' | 'any'): boolean {
  const states = [bus.latest(seedingTopic), of === 'any' ? bus.latest(marketSeedingTopic) : undefined];
  return states.some((state) => state?.message.isDone === false);
}
