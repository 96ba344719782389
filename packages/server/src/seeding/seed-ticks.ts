import { createIdColumns, createTickColumns } from '@crosstape/core';
import { BLOCK_TRADES_MAX, type Coin, createMarket, type Market, TradeColumns } from '@crosstape/simulator';
import { printsOfTicks } from '../analytics/prints-of-ticks.ts';
import type { Task } from '../platform/jobs.ts';
import { isChunkFull } from '../recorder/chunk-rule.ts';
import { LmdbStore } from '../store/lmdb-store.ts';
import type { Change } from '../store/store.ts';
import { TickBuffer } from '../store/tick-buffer.ts';
import type { Owner } from '../store/newest-trades.ts';
import { type Ticks, TickShelf } from '../store/tick-shelf.ts';
import { WHALE_FLOOR_USD, WhaleShelf } from '../store/whale-shelf.ts';

/** Trades generated at a time. */
const BATCH_TRADES = 32_768 + BLOCK_TRADES_MAX;
/** Changes committed at a time, so that memory stays bounded. */
const CHANGES_MAX = 256;

export interface SeedTicks {
  /** Folder of the store. */
  readonly folder: string;
  readonly seed: number;
  readonly rate: number;
  readonly venue: string;
  readonly coins: readonly string[];
  /** `fromMs <= ts < toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Records a stretch of the simulated market as if it had been heard live; `worker.ts` exports the function. */
export const seedTicksTask: Task<SeedTicks, { readonly trades: number }> = { name: 'seedTicks' };

export async function seedTicks(options: SeedTicks): Promise<{ trades: number }> {
  const market = createMarket({ seed: options.seed, rate: options.rate });
  const store = new LmdbStore(options.folder);
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

async function seedCoin(market: Market, coin: Coin, store: LmdbStore, options: SeedTicks): Promise<number> {
  const writer = await CoinWriter.open(store, { coin: coin.name, venue: options.venue });
  const generated = new TradeColumns(BATCH_TRADES);
  let trades = 0;
  for (let fromMs = options.fromMs; fromMs < options.toMs; ) {
    fromMs = market.fill(coin.name, fromMs, options.toMs, generated);
    trades += generated.length;
    await writer.add(ticksOf(generated, coin.sizeDecimals));
  }
  await writer.finish();
  return trades;
}

/** Puts the trades of one coin on the shelves as the recorder would, in bulk. */
class CoinWriter {
  readonly #store: LmdbStore;
  readonly #shelf: TickShelf;
  readonly #whales: WhaleShelf;
  readonly #owner: Owner;
  readonly #chunk = new TickBuffer();
  /** Pieces of the tail that the chunk is made of, and how many of its trades are in them. */
  #positions: number[] = [];
  #inTail = 0;
  #changes: Change[] = [];

  static async open(store: LmdbStore, owner: Owner): Promise<CoinWriter> {
    const writer = new CoinWriter(store, owner);
    for (const piece of await writer.#shelf.tail(owner.coin)) {
      writer.#chunk.addTicks(piece);
      writer.#positions.push(piece.position);
    }
    writer.#inTail = writer.#chunk.length;
    return writer;
  }

  private constructor(store: LmdbStore, owner: Owner) {
    this.#store = store;
    this.#shelf = new TickShelf(store);
    this.#whales = new WhaleShelf(store);
    this.#owner = owner;
  }

  async add(ticks: Ticks): Promise<void> {
    const { length } = ticks.columns;
    for (let from = 0, to = 0; from < length; from = to) {
      to = this.#chunkEnd(ticks, from);
      this.#chunk.addTicks(ticks, from, to);
      if (to === length) return;
      this.#seal();
      if (this.#changes.length >= CHANGES_MAX) await this.#commit();
    }
  }

  /** Leaves what fills no chunk in the tail. */
  async finish(): Promise<void> {
    const { length } = this.#chunk;
    if (length > this.#inTail) {
      const position = (this.#positions.at(-1) ?? 0) + 1;
      this.#changes.push(
        ...this.#shelf.appending(this.#owner.coin, this.#chunk, this.#inTail, length, position),
      );
      this.#shelveWhales();
    }
    await this.#commit();
  }

  /** Where the chunk ends within these trades; their number when it does not. */
  #chunkEnd({ columns: { ts, length } }: Ticks, from: number): number {
    let { length: trades, lastTs } = this.#chunk;
    for (let i = from; i < length; i += 1) {
      if (isChunkFull(trades, lastTs, ts[i] as number)) return i;
      trades += 1;
      lastTs = ts[i];
    }
    return length;
  }

  #seal(): void {
    this.#shelveWhales();
    this.#changes.push(
      ...this.#shelf.sealing(this.#owner.coin, this.#chunk, this.#chunk.length, this.#positions),
    );
    this.#positions = [];
    this.#inTail = 0;
    this.#chunk.clear();
  }

  #shelveWhales(): void {
    this.#changes.push(this.#whales.appending(printsOfTicks(this.#owner, this.#chunk, WHALE_FLOOR_USD)));
  }

  async #commit(): Promise<void> {
    await this.#store.commit(this.#changes);
    this.#changes = [];
  }
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
