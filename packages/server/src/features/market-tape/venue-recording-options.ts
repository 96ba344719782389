import type { Clock, Market, MarketUnits, Trade } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import type { OpenMarketFeed } from '../../ingest/market-feed.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import type { Store } from '../../store/store.ts';
import type { Gap } from '../tape/gap-ledger.ts';
import type { CandleSink, TickRecorderOptions } from '../tape/tick-recorder.ts';

export interface VenueRecordingOptions {
  readonly feed: OpenMarketFeed;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /** Which of the markets that the venue lists are recorded. */
  readonly choose: (publisher: Publisher, markets: readonly Market[]) => readonly Market[];
  /** Called with the markets that are recorded from now on. */
  readonly onFollowed: (markets: readonly Market[]) => void;
  readonly archive?: TickRecorderOptions['archive'];
  /** Gives the writer of the candles of markets with a prefix. */
  readonly candles?:
    | ((prefix: string, unitsOf: (symbol: string) => MarketUnits | undefined) => CandleSink)
    | undefined;
  /** Called with each trade that is released, in the venue's own unit. */
  readonly onTrade: (market: Market, trade: Trade) => void;
  /** Called with the id of a market and each gap that is entered in the ledger, also after the market is left. */
  readonly onGap: (id: string, gap: Gap) => void;
  /** With several ingesters: what the previous one published of a market since a time, oldest first. */
  readonly published?: ((market: Market, sinceMs: number) => readonly Trade[]) | undefined;
  /** Called with the newest of these, which belong to prints that may not have been published. */
  readonly onTakenUp?: ((market: Market, trades: readonly Trade[]) => void) | undefined;
}
