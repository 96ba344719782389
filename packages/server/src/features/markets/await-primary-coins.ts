import type { Clock } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { type CoinIndex, indexCoins } from './coins.ts';

/** How long a caller waits for the first list of coins. */
const COINS_MS_MAX = 3_000;

/** The coins of the primary venue, as soon as they are known; rejects with a `Failure` when that takes too long. */
export async function awaitPrimaryCoins(clock: Clock, bus: Bus, primaryVenue: string): Promise<CoinIndex> {
  const topic = snapshotTopic(primaryVenue, 'instruments');
  if (!bus.latest(topic)) await firstOf(bus, clock, topic);
  const rows = bus.latest(topic)?.message.rows;
  if (rows) return indexCoins(rows.map(({ coin }) => coin));
  throw new Failure('upstream_unavailable', `${primaryVenue} has not listed its coins yet.`);
}

/** Waits for the first message on a topic, for a limited time. */
function firstOf(bus: Bus, clock: Clock, topic: Parameters<Bus['subscribe']>[0]): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      timer.cancel();
      leave();
      resolve();
    };
    const timer = clock.after(COINS_MS_MAX, finish);
    const leave = bus.subscribe(topic, finish);
  });
}
