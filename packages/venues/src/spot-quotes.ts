import { pairByCoin } from '@crosstape/core';
import type { Feed, Listed } from './venue.ts';

/** What the feeds of best bids and asks have in common. They are subscribed to for the coins that are compared. */
export const quotesFeed = {
  name: 'quotes',
  sockets: 1,
  // Among the coins that are always compared are the busiest of all: a minute of silence is a stall.
  silentMaxMs: 60_000,
  demand: { keepMs: 60_000, topicsMax: 200 },
  topics: quotedPairs,
} as const satisfies Partial<Feed>;

/** The pairs of these coins, one each, as the venue's sockets spell them. */
function quotedPairs(listed: readonly Listed[], coins: readonly string[] = []): readonly string[] {
  const priced = listed.map((row) => ({ ...row, quote: row.quote ?? 'USD' }));
  const pairs = pairByCoin(priced, new Set(coins));
  return [...pairs.values()].map(({ symbol, streamSymbol = symbol }) => streamSymbol);
}
