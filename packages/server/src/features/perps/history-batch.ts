import type { Bus } from '../../platform/bus.ts';
import { snapshotTopic } from '../../topics.ts';
import { perpVenueIds } from '../markets/venue-ids.ts';
import type { HistoryBatch } from './history-recorder.ts';
import { type HistoryInputs, sampleHistory } from './history-samples.ts';
import { listedCoins } from './listed-coins.ts';
import { samplePoints } from './samples/sample-points.ts';

/** The samples at `t`, from the latest data of every venue. */
export function historyBatch(t: number, bus: Pick<Bus, 'latest'>, primaryVenue: string): HistoryBatch {
  const tablesOf = (venue: string): HistoryInputs => ({
    openInterest: bus.latest(snapshotTopic(venue, 'openInterest'))?.message,
    funding: bus.latest(snapshotTopic(venue, 'funding'))?.message,
  });
  const coins = listedCoins(bus, primaryVenue);
  return {
    samples: sampleHistory(t, primaryVenue, tablesOf),
    points: samplePoints(t, { venues: perpVenueIds, coins, tablesOf }),
  };
}
