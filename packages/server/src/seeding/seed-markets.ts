import { type Candle, CandleFold, type Market, type MarketTrade } from '@crosstape/core';
import { createMarket, tradeFrames } from '@crosstape/simulator';
import { allPublishers, type TradeFeed } from '@crosstape/venues';
import { openPlace } from '../cluster/open-place.ts';
import { minuteLevel } from '../features/candles/candle-table.ts';
import { inCoins } from '../features/candles/fold-tape.ts';
import { takerOf } from '../features/market-tape/taker-of.ts';
import { CoinTape } from '../features/tape/coin-tape.ts';
import { TickBuffer } from '../features/tape/tick-buffer.ts';
import { TickTable } from '../features/tape/tick-table.ts';
import type { Task } from '../platform/jobs.ts';
import { throwIfGivenUp } from '../platform/thread-tasks.ts';
import { venueOf } from '../store/market-key.ts';
import type { Change, Store } from '../store/store.ts';
import { CoinWriter } from './coin-writer.ts';
import type { SeedTicks } from './seed-ticks.ts';

/** Trades turned into columns at a time. */
const BATCH_TRADES = 8_192;

export interface SeedMarkets
  extends Pick<SeedTicks, 'folder' | 'seed' | 'rate' | 'fromMs' | 'toMs' | 'rest'> {
  /** Id of the publisher whose trade feed the markets are on. */
  readonly publisher: string;
  readonly markets: readonly Market[];
}

/** The recorded history of a market. */
export interface SeededMarket {
  readonly id: string;
  readonly trades: number;
  /** Their candles, oldest first. */
  readonly minutes: readonly Candle[];
}

/**
 * Records an interval of markets of a simulated secondary venue as if it had been received live: from the frames that the
 * venue would have sent, as the service parses them. All of it is one commit. `worker.ts` exports the function.
 */
export const seedMarketsTask: Task<SeedMarkets, readonly SeededMarket[]> = { name: 'seedMarkets' };

export async function seedMarkets(order: SeedMarkets): Promise<readonly SeededMarket[]> {
  const { publisher, markets } = order;
  const feed = allPublishers.find(({ id }) => id === publisher)?.connector?.marketTrades;
  if (!feed) throw new Error(`${publisher} has no feed of trades`);
  const store = await openPlace(order.folder);
  try {
    const changes: Change[] = [];
    const seeded: SeededMarket[] = [];
    for (const market of markets) seeded.push(await seedMarket({ order, feed, market, store, changes }));
    await store.commit(changes);
    return seeded;
  } finally {
    await store.close();
  }
}

interface Work {
  readonly order: SeedMarkets;
  readonly feed: TradeFeed;
  readonly market: Market;
  readonly store: Store;
  /** Collects the rows to commit. */
  readonly changes: Change[];
}

async function seedMarket({ order, feed, market, store, changes }: Work): Promise<SeededMarket> {
  const { id, symbol } = market;
  const owner = { coin: symbol, venue: venueOf(id) };
  const pieces = order.rest === 'tail' ? await new TickTable(store, owner.venue).tail(symbol) : [];
  const writer = new CoinWriter({ store, owner, pieces, hasPrints: false });
  const tape = new CoinTape(market.venue);
  const fold = new CandleFold(minuteLevel.intervalMs);
  const batch = new TickBuffer();
  let trades = 0;
  const write = (): void => {
    throwIfGivenUp();
    writer.add(batch);
    fold.add(inCoins(batch.columns, market));
    trades += batch.length;
    batch.clear();
  };
  for (const own of tradesOf(order, feed, market)) {
    // When it would have been received is not invented.
    const atMs = own.venueTs;
    const { recvLagMs: _, ...trade } = tape.appendUnknown(own, symbol, takerOf(own, feed), atMs, atMs);
    batch.add(trade);
    if (batch.length >= BATCH_TRADES) write();
  }
  write();
  writer.finish(order.rest);
  changes.push(...writer.takeChanges());
  return { id, trades, minutes: fold.all() };
}

function* tradesOf(
  { seed, rate, publisher, fromMs, toMs }: SeedMarkets,
  feed: TradeFeed,
  { symbol }: Market,
): Iterable<MarketTrade> {
  const [message = ''] = [feed.subscribe([symbol])].flat();
  const { path, headers = {} } = feed;
  const frames = tradeFrames(createMarket({ seed, rate }), publisher, { path, headers, message });
  if (!frames) throw new Error(`the simulated ${publisher} has no market ${symbol}`);
  const parse = feed.open(() => ({}));
  for (const text of frames(fromMs, toMs)) {
    const frame = parse(text);
    if (frame.kind !== 'marketTrades') throw new Error(`a frame of ${publisher} without trades: ${text}`);
    yield* frame.trades;
  }
}
