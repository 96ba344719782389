import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import { candlesTopic } from '../../topics.ts';

/** Calls `begin` once, when every recorded trade is in the ledger of candles; the returned function cancels that. */
export function whenCaughtUp(bus: Pick<Bus, 'latest' | 'subscribe'>, begin: () => void): Unsubscribe {
  if (bus.latest(candlesTopic)?.message.isCaughtUp) {
    begin();
    return () => undefined;
  }
  const leave = bus.subscribe(candlesTopic, ({ isCaughtUp }) => {
    if (!isCaughtUp) return;
    leave();
    begin();
  });
  return leave;
}
