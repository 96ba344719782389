import type { Bus } from '../../platform/bus.ts';
import { clockTopic } from '../../topics.ts';

const AHEAD_MS = 60_000;

/** Whether the time that the service goes by is ahead of the venues': a day that is over by it is not. */
export function isClockAhead(bus: Pick<Bus, 'latest'>): boolean {
  const { skewMs, stepMs } = bus.latest(clockTopic)?.message ?? { skewMs: 0, stepMs: 0 };
  return skewMs - stepMs > AHEAD_MS;
}
