import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allPublishers } from '@crosstape/venues';
import { TickTable } from '../packages/server/src/features/tape/tick-table.ts';
import { seedMarkets } from '../packages/server/src/seeding/seed-markets.ts';
import { LmdbStore } from '../packages/server/src/store/lmdb-store.ts';
import { symbolOf, venueOf } from '../packages/server/src/store/market-key.ts';
import { marketIdOf } from './ingest-markets.ts';
import { judge } from './part.ts';

const HOUR_MS = 3_600_000;
const HOURS = 2;
const START_MS = Date.UTC(2026, 0, 5, 14);
const SEED = 7;
const CHUNKS_MAX = 100_000;
const TRADE_BYTES_MAX = 3.5;
const NUMBERED_ID_BYTES_MAX = 0.4;

/** Bitcoin on each venue, in the venue's spelling, by publisher. */
const SYMBOLS: Readonly<Record<string, string>> = {
  binance: 'BTCUSDT',
  bybit: 'BTCUSDT',
  okx: 'BTC-USDT-SWAP',
  bitget: 'BTCUSDT',
  gate: 'BTC_USDT',
  mexc: 'BTC_USDT',
  dydx: 'BTC-USD',
  kraken: 'PF_XBTUSD',
  coinbase: 'BTC-USD',
  'binance-spot': 'BTCUSDT',
  'kraken-spot': 'BTC/USD',
  'okx-spot': 'BTC-USDT',
  'bybit-spot': 'BTCUSDT',
};

/** What a market of each venue takes, recorded from the frames of the simulated feed. */
export async function printVenues(): Promise<void> {
  console.log(`bytes per trade of each venue's bitcoin market, ${HOURS} hours of its feed`);
  console.log(
    `  ${'market'.padEnd(28)} ${'trades/day'.padStart(11)} ${'chunk'.padStart(7)} ${'ids'.padStart(7)}`,
  );
  const sizes: {
    readonly trades: number;
    readonly chunk: number;
    readonly ids: number;
    readonly isNumbered: boolean;
  }[] = [];
  for (const { id: publisher, connector } of allPublishers) {
    if (!connector?.marketTrades) continue;
    const symbol = SYMBOLS[publisher];
    if (symbol === undefined) throw new Error(`no bitcoin market of ${publisher} is known here`);
    const id = marketIdOf(publisher, symbol);
    // Kraken counts its perpetuals' trades by a number beside the id, which is a UUID.
    const isNumbered = connector.marketTrades.ids.counted === 'tid';
    const { trades, chunkBytes, idBytes } = await recorded(publisher, id);
    const [chunk, ids] = [chunkBytes / trades, idBytes / trades];
    sizes.push({ trades, chunk, ids, isNumbered });
    const perDay = Math.round((trades * 24) / HOURS);
    const figures = `${String(perDay).padStart(11)} ${chunk.toFixed(2).padStart(7)} ${ids.toFixed(2).padStart(7)}`;
    console.log(`  ${id.padEnd(28)} ${figures}${isNumbered ? '  numbered' : ''}`);
  }
  const sum = (of: (size: (typeof sizes)[number]) => number): number =>
    sizes.reduce((all, one) => all + of(one), 0);
  const perTrade = sum(({ chunk, trades }) => chunk * trades) / sum(({ trades }) => trades);
  judge('chunks without ids, over the trades of all venues', perTrade, TRADE_BYTES_MAX, 'bytes');
  const mean = sum(({ chunk }) => chunk) / sizes.length;
  judge('the same as mean of the venues', mean, TRADE_BYTES_MAX, 'bytes');
  const numbered = sizes.filter(({ isNumbered }) => isNumbered).map(({ ids }) => ids);
  judge(
    'ids of venues whose ids number the trades, the largest',
    Math.max(...numbered),
    NUMBERED_ID_BYTES_MAX,
    'bytes',
  );
  console.log('');
}

async function recorded(
  publisher: string,
  id: string,
): Promise<{ readonly trades: number; readonly chunkBytes: number; readonly idBytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'codec-venues-'));
  try {
    const symbol = symbolOf(id);
    const unit = { coin: 'BTC', quote: 'USD', contractSize: 1, scale: 1 };
    const market = { ...unit, id, venue: publisher, kind: 'perp', symbol } as const;
    const range = { fromMs: START_MS, toMs: START_MS + HOURS * HOUR_MS };
    const order = {
      folder,
      seed: SEED,
      rate: 1,
      publisher,
      markets: [market],
      rest: 'chunk',
      ...range,
    } as const;
    const [{ trades } = { trades: 0 }] = await seedMarkets(order);
    const store = new LmdbStore(folder, { isReadOnly: true });
    try {
      const table = new TickTable(store, venueOf(id));
      const all = [symbol, 0, Number.MAX_SAFE_INTEGER, CHUNKS_MAX] as const;
      const bytes = (members: readonly ({ readonly data: Uint8Array } | undefined)[]): number =>
        members.reduce((sum, member) => sum + (member?.data.length ?? 0), 0);
      return {
        trades,
        chunkBytes: bytes(await table.chunks(...all)),
        idBytes: bytes(await table.chunkIds(...all)),
      };
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
