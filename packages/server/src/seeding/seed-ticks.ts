import { createIdColumns, createTickColumns } from '@crosstape/core';
import { BLOCK_TRADES_MAX, type Coin, createMarket, type Market, TradeColumns } from '@crosstape/simulator';
import type { Task } from '../platform/jobs.ts';
import { throwIfGivenUp } from '../platform/thread-tasks.ts';
import { openPlace } from '../cluster/open-place.ts';
import type { Change, Store } from '../store/store.ts';
import { type Ticks, TickTable } from '../features/tape/tick-table.ts';
import { CoinWriter } from './coin-writer.ts';
import type { SeedOrder } from './seed-order.ts';

/** Trades generated at a time. */
const BATCH_TRADES = 32_768 + BLOCK_TRADES_MAX;
/** Changes committed at a time, so that memory stays bounded. */
const CHANGES_MAX = 256;

export interface SeedTicks extends SeedOrder {
  /** The coins of this job. */
  readonly coins: readonly string[];
  /**
   * What becomes of trades that do not fill a chunk: the tail, which live trades continue from, or their own chunk.
   * Only the newest stretch has the tail.
   */
  readonly rest: 'chunk' | 'tail';
}

/** Records an interval of the simulated market as if it had been received live; `worker.ts` exports the function. */
export const seedTicksTask: Task<SeedTicks, { readonly trades: number }> = { name: 'seedTicks' };

export async function seedTicks(options: SeedTicks): Promise<{ trades: number }> {
  const market = createMarket({ seed: options.seed, rate: options.rate });
  const store = await openPlace(options.folder);
  let trades = 0;
  try {
    for (const coin of market.coins) {
      if (options.coins.includes(coin.name)) trades += await seedCoin(market, coin, store, options);
    }
  } finally {
    await store.close();
  }
  return { trades };
}

async function seedCoin(market: Market, coin: Coin, store: Store, options: SeedTicks): Promise<number> {
  const pieces = options.rest === 'tail' ? await new TickTable(store).tail(coin.name) : [];
  const writer = new CoinWriter({ store, owner: { coin: coin.name, venue: options.venue }, pieces });
  const changes: Change[] = [];
  const generated = new TradeColumns(BATCH_TRADES);
  let trades = 0;
  for (let fromMs = options.fromMs; fromMs < options.toMs; ) {
    throwIfGivenUp();
    fromMs = market.fill(coin.name, fromMs, options.toMs, generated);
    trades += generated.length;
    writer.add(ticksOf(generated, coin.sizeDecimals));
    changes.push(...writer.takeChanges());
    if (changes.length >= CHANGES_MAX) await store.commit(changes.splice(0));
  }
  writer.finish(options.rest);
  await store.commit([...changes, ...writer.takeChanges()]);
  return trades;
}

/** The generator's columns as those of the tape. */
function ticksOf(generated: TradeColumns, sizeDecimals: number): Ticks {
  const { length } = generated;
  const columns = createTickColumns(length);
  const ids = createIdColumns(length);
  columns.length = length;
  ids.length = length;
  columns.priceDecimals = 6 - sizeDecimals;
  columns.sizeDecimals = sizeDecimals;
  columns.ts.set(generated.ts.subarray(0, length));
  columns.price.set(generated.price.subarray(0, length));
  columns.size.set(generated.lots.subarray(0, length));
  columns.isBuy.set(generated.isBuy.subarray(0, length));
  for (let i = 1; i < length; i += 1)
    columns.sameOrder[i] = generated.order[i] === generated.order[i - 1] ? 1 : 0;
  ids.tid.set(generated.tid.subarray(0, length));
  return { columns, ids };
}
