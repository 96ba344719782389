import { systemClock } from '@crosstape/client';
import { candleIntervalsMs } from '@crosstape/client/bars';
import { samplesAt } from '../../../replay/replay-time.ts';
import { replay } from '../../../replay/replay.svelte.ts';
import { samplesSinceMs } from '../samples.ts';
import type { ByVenueTarget } from './target.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The recorded samples that the bars of a chart need; nothing while there are none. */
export function pastOf({ firstTs, interval: ofBars }: Pick<ByVenueTarget, 'firstTs' | 'interval'>) {
  if (firstTs === 0) return undefined;
  if (ofBars && candleIntervalsMs[ofBars] >= HOUR_MS)
    return { interval: '1h', sinceMs: samplesSinceMs(firstTs) } as const;
  const { interval = '10m' } = replay.isOn ? samplesAt(replay.startMs, systemClock.now()) : {};
  // From a whole day, so that older bars rarely need another request.
  return { interval, sinceMs: Math.max(0, Math.floor((firstTs - HOUR_MS) / DAY_MS) * DAY_MS) };
}
