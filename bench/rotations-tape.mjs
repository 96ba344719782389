import { createIdColumns, createTickColumns } from '@crosstape/core';
import { createMarket, TradeColumns } from '@crosstape/simulator';
import { isChunkFull } from '../packages/server/dist/features/tape/chunk-rule.js';
import { openDataFolder } from '../packages/server/dist/store/data-folder.js';
import { GapLedger } from '../packages/server/dist/features/tape/gap-ledger.js';
import { LmdbStore } from '../packages/server/dist/store/lmdb-store.js';
import { TickTable } from '../packages/server/dist/features/tape/tick-table.js';

const WEEK_MS = 7 * 86_400_000;
const CHUNKS_PER_COMMIT = 64;

export const SEED = 3;
export const COIN = 'BTC';

/**
 * Records the given number of trades of the simulator's BTC at default settings, over as many weeks before now as it takes, in
 * chunks as the recorder seals them, into a data folder that the service takes for its own. `see` gets each chunk's
 * columns.
 */
export async function recordTape(dataFolder, trades, see) {
  const folder = await openDataFolder(dataFolder, `sim/${SEED}`);
  const store = new LmdbStore(folder);
  const table = new TickTable(store);
  const market = createMarket({ seed: SEED });
  const coin = market.coins.find(({ name }) => name === COIN);
  const columns = createTickColumns(65_536);
  const ids = createIdColumns(65_536);
  columns.priceDecimals = 6 - coin.sizeDecimals;
  columns.sizeDecimals = coin.sizeDecimals;
  const toMs = Date.now();
  const fromMs = toMs - Math.ceil((trades / coin.tradesPerWeek) * WEEK_MS);
  let changes = [];
  let count = 0;

  const seal = async () => {
    if (columns.length === 0) return;
    ids.length = columns.length;
    see(columns);
    changes.push(...table.sealing(COIN, { columns, ids }, columns.length, []));
    count += columns.length;
    columns.length = 0;
    if (changes.length < CHUNKS_PER_COMMIT * 3) return;
    await store.commit(changes);
    changes = [];
  };

  const source = new TradeColumns(2 ** 17);
  for (let atMs = fromMs; atMs < toMs; ) {
    atMs = market.fill(COIN, atMs, toMs, source);
    for (let i = 0; i < source.length; i += 1) {
      const lastTs = columns.length === 0 ? undefined : columns.ts[columns.length - 1];
      if (isChunkFull(columns.length, lastTs, source.ts[i])) await seal();
      const to = columns.length;
      columns.ts[to] = source.ts[i];
      columns.price[to] = source.price[i];
      columns.size[to] = source.lots[i];
      columns.isBuy[to] = source.isBuy[i];
      columns.sameOrder[to] = to > 0 && i > 0 && source.order[i] === source.order[i - 1] ? 1 : 0;
      ids.tid[to] = source.tid[i];
      columns.length = to + 1;
    }
  }
  await seal();
  const span = new GapLedger(store).extending({ from: fromMs, to: toMs });
  await store.commit([...changes, span]);
  await store.close();
  return { folder, trades: count, fromTs: fromMs, toTs: toMs };
}
