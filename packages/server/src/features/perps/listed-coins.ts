import type { Bus } from '../../platform/bus.ts';
import { snapshotTopic } from '../../topics.ts';

/** The coins of the primary venue, whose histories can be read; `undefined` while it is unknown. */
export function listedCoins(bus: Pick<Bus, 'latest'>, primaryVenue: string): ReadonlySet<string> | undefined {
  const listed = bus.latest(snapshotTopic(primaryVenue, 'instruments'))?.message;
  return listed && new Set(listed.rows.map(({ coin }) => coin));
}
