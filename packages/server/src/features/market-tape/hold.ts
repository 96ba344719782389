import type { MarketTrade, Timer } from '@crosstape/core';
import type { TradeIdentities } from '../tape/trade-identities.ts';
import { isClosed, type MissingNumbers } from './trade-count.ts';

/** A trade that waits, and when it was received. */
interface Received {
  readonly trade: MarketTrade;
  readonly receivedAtMs: number;
}

/** Trades that wait for a refill. */
export interface Hold {
  readonly trades: Received[];
  readonly identities: TradeIdentities;
  /** The awaited numbers; none if trades are not counted. */
  readonly ranges: Set<MissingNumbers>;
  readonly deadline: Timer;
  /** No trade that waits was made before. */
  sinceMs: number;
}

/** Whether everything awaited has arrived. */
export function isFilled({ ranges }: Hold): boolean {
  return ranges.size > 0 && [...ranges].every(isClosed);
}
