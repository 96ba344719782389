import type { Bus } from '../../platform/bus.ts';
import { clockTopic } from '../../topics.ts';

const AHEAD_MS = 60_000;

/**
 * Whether the service's clock is ahead of the venues': then a day that it considers over is not. `undefined` before
 * it was compared with any.
 */
export function isClockAhead(bus: Pick<Bus, 'latest'>): boolean | undefined {
  const state = bus.latest(clockTopic)?.message;
  return state && state.skewMs - state.stepMs > AHEAD_MS;
}
