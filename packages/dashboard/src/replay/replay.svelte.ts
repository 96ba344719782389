import type { Topic } from '../live/topic.ts';
import type { ReplayStatus } from './replay-player.ts';

/** Whether the page shows the record of a past time instead of the present, and where that is. */
class ReplayState {
  isOn = $state(false);
  /** Grows whenever the replay begins at another time. */
  epoch = $state(0);
  /** Where it began. */
  startMs = $state(0);
  status = $state.raw<ReplayStatus>();
}

export const replay = new ReplayState();

const replayedPaths: readonly string[] = [
  '/candles',
  '/flows/cvd',
  '/perps/oi/history',
  '/perps/funding/history',
  '/perps/positioning/history',
  '/perps/liquidations/events',
];

/** Whether a replay has this topic as it was; others, such as the list of markets, stay those of the present. */
export function isReplayed(topic: Topic): boolean {
  if (topic.from === 'rest') return replayedPaths.includes(topic.path);
  return ['channel', 'bars', 'footprints', 'prints'].includes(topic.from);
}
