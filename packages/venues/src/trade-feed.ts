import type { TradeFeed } from './venue.ts';

/** What most feeds of trades have in common. The limits are ours where a venue publishes none. */
export const tradeFeed = {
  name: 'market-trades',
  sockets: 1,
  topicsPerSocket: 200,
  topicsPerFrame: 50,
  topics: (listed) => listed.map(({ symbol }) => symbol),
} as const satisfies Partial<TradeFeed>;
