import type { Bus } from '../../platform/bus.ts';
import { marketKey, venueOf } from '../../store/market-key.ts';
import type { Store } from '../../store/store.ts';
import { recordedMarketsTopic, snapshotTopic } from '../../topics.ts';
import { MarketTable } from '../market-tape/market-table.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import type { FoldedMarket } from './fold-tape.ts';

/** A market that is recorded now, with the data sources of its candles. */
export interface OpenedMarket extends FoldedMarket {
  readonly id: string;
  readonly gaps: GapLedger;
  /** The venue's spelling in REST requests, where it differs. */
  readonly restSymbol?: string;
  /** When its record began; `undefined` without one. */
  readonly recordedSinceMs: number | undefined;
}

export interface OpenedMarketsOptions {
  readonly store: Store;
  readonly bus: Pick<Bus, 'latest'>;
  readonly primaryVenue: string;
}

/** Gives the recorded markets of a publisher, those with the most open interest first. */
export function openedMarkets({
  store,
  bus,
  primaryVenue,
}: OpenedMarketsOptions): (publisher: string) => Promise<readonly OpenedMarket[]> {
  const primary = { ticks: new TickTable(store), gaps: new GapLedger(store) };
  const markets = new MarketTable(store);
  const openInterestOf = (venue: string): ReadonlyMap<string, number> | undefined => {
    const rows = bus.latest(snapshotTopic(venue, 'openInterest'))?.message.rows;
    return rows && new Map(rows.map(({ symbol, usd, value }) => [symbol, usd ?? value ?? 0]));
  };
  const ranked = (venue: string, some: readonly OpenedMarket[]): readonly OpenedMarket[] => {
    const values = openInterestOf(venue);
    return some.toSorted((a, b) => (values?.get(b.symbol) ?? 0) - (values?.get(a.symbol) ?? 0));
  };

  const ofPrimary = async (): Promise<readonly OpenedMarket[]> => {
    const listed = openInterestOf(primaryVenue);
    const recordedSinceMs = await primary.gaps.recordedSinceMs();
    const coins = await primary.ticks.coins();
    const opened = coins
      // Coins that are no longer listed do not trade.
      .filter((coin) => !listed || listed.has(coin))
      .map((coin) => ({ ...primary, id: marketKey(primaryVenue, coin), symbol: coin, recordedSinceMs }));
    return ranked(primaryVenue, opened);
  };

  return async (publisher) => {
    if (publisher === primaryVenue) return ofPrimary();
    const followed = new Set(bus.latest(recordedMarketsTopic)?.message.map(({ id }) => id));
    const own = (await markets.all()).filter((one) => one.publisher === publisher && followed.has(one.id));
    const opened = own.map((market) => ({
      ticks: new TickTable(store, venueOf(market.id)),
      gaps: new GapLedger(store, venueOf(market.id)),
      id: market.id,
      symbol: market.symbol,
      ...(market.restSymbol !== undefined && { restSymbol: market.restSymbol }),
      units: market,
      recordedSinceMs: market.recordingSince,
    }));
    return ranked(publisher, opened);
  };
}
