import {
  type Clock,
  type MarketKey,
  type MarketVenue,
  marketIdOf,
  type NamedMarket,
  parseMarketId,
  unitsOf,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { venueOf } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { type RecordedMarket, recordedMarketsTopic } from '../../topics.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { createTapeCoverage, type TapeCoverage, type TapeCoverageOptions } from '../tape/tape-coverage.ts';
import { createTapeReader, type TapeReader } from '../tape/tape-reader.ts';
import { TickTable } from '../tape/tick-table.ts';
import { followableMarket } from './followed-tape.ts';
import { MarketTable, type StoredMarket } from './market-table.ts';

/** The record of one market; its trades are under its symbol. */
export interface RecordedTape {
  readonly ticks: TickTable;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
}

export interface MarketReader {
  /** The record of the primary venue, under its coins. */
  readonly primary: RecordedTape;
  /** Every market of a secondary venue with a record. */
  list(): Promise<readonly StoredMarket[]>;
  /** The one of them that is named, in any case. */
  find(named: MarketKey): Promise<StoredMarket | undefined>;
  /** Parses a caller's market name. */
  read(text: string): NamedMarket;
  open(market: RecordedMarket): RecordedTape;
}

export interface MarketReaderOptions {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly retentionDays: number;
  /** Archived days that cannot be read, of the markets with a prefix. */
  readonly lost?: (prefix: string) => TapeCoverageOptions['lost'];
  readonly venues: readonly MarketVenue[];
  readonly primary: RecordedTape;
}

/** Reads the tapes of secondary venues' markets. */
export function createMarketReader(options: MarketReaderOptions): MarketReader {
  const { store, bus, clock, retentionDays, venues } = options;
  const table = new MarketTable(store);
  const isFollowed = (id: string): boolean =>
    bus.latest(recordedMarketsTopic)?.message.some((market) => market.id === id) ?? false;
  // Before the first list nothing is known.
  const hasLeft = (id: string): boolean =>
    bus.latest(recordedMarketsTopic) !== undefined && followableMarket(bus, id) === undefined;
  return {
    primary: options.primary,
    list: () => table.all(),
    find: (named) => table.find(marketIdOf(named)),
    read: (text) => parseMarketId(text, venues),
    open({ id, publisher, ...market }) {
      const prefix = venueOf(id);
      const ticks = new TickTable(store, prefix);
      const topicName = (): string => id;
      return {
        ticks,
        tape: createTapeReader({ table: ticks, bus, topicName, units: unitsOf(market) }),
        coverage: createTapeCoverage({
          clock,
          bus,
          ledger: new GapLedger(store, prefix),
          venue: publisher,
          feed: 'market-trades',
          retentionDays,
          recordCoins: 'all',
          lost: options.lost?.(prefix),
          topicName,
          isFollowed: () => isFollowed(id),
          hasLeft: () => hasLeft(id),
        }),
      };
    },
  };
}
