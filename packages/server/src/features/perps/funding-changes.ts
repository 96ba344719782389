import { type FundingChange, roundTo } from '@crosstape/core';
import type { Bus, Unsubscribe } from '../../platform/bus.ts';
import { fundingTopic, snapshotTopic } from '../../topics.ts';

/** Rates have ten decimals; this rounds away floating-point noise. */
const RATE_DECIMALS = 12;

/** Compares each poll of a venue's funding with the previous one and publishes every change. */
export function watchFundingChanges(bus: Bus, venue: string): Unsubscribe {
  let previous = new Map<string, number>();
  return bus.subscribe(snapshotTopic(venue, 'funding'), ({ rows, fetchedAtMs }) => {
    const rates = new Map(rows.map((row) => [row.coin, row.rate]));
    for (const { coin, rate, periodHours } of rows) {
      const prevRate = previous.get(coin);
      if (prevRate === undefined || prevRate === rate) continue;
      const change: FundingChange = {
        coin,
        venue,
        rate,
        periodHours,
        prevRate,
        delta: roundTo(rate - prevRate, RATE_DECIMALS),
        ts: fetchedAtMs,
      };
      bus.publish(fundingTopic, change);
    }
    previous = rates;
  });
}
