import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Candle, DAY_MS, HOUR_MS, intervalStart, MINUTE_MS, seededRandom } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { type LmdbStore, STORE_FILE } from '../../store/lmdb-store.ts';
import { storePerTest } from '../../store/testing/store-per-test.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import type { Range, Store } from '../../store/store.ts';
import { type CandleGap, type CandleLevel, CandleTable, hourLevel, minuteLevel } from './candle-table.ts';

const START_MS = Date.UTC(2026, 8, 21);
/** Maximum size of a ledger row in the file. */
const ROW_BYTES_MAX = 40;
/** How late the ledger settles an hour. */
const SETTLED_HOURS = 3;
const market = 'binance:BTCUSDT';

const place = storePerTest();
let store: LmdbStore;
beforeEach(() => {
  ({ store } = place);
});

/** The pages of the file that are in use. */
function usedBytes(): number {
  return statSync(join(place.folder, STORE_FILE)).size - store.freePageBytes();
}

/** Candles of a market so busy that an hour of them takes more than a third of a page, and no two take one. */
function busyCandles(seed: number): (ts: number) => Candle {
  const random = seededRandom(seed);
  const below = (max: number): number => Math.floor(random() * max);
  let price = 1_000_000;
  return (ts) => {
    const open = price;
    price += below(40_000) - 20_000;
    const volume = 1 + below(90_000_000);
    return {
      ts,
      priceDecimals: 1,
      sizeDecimals: 5,
      open,
      high: Math.max(open, price) + below(20_000),
      low: Math.min(open, price) - below(20_000),
      close: price,
      volume,
      buyVolume: below(volume),
      notional: volume * price + below(999_999_999),
      trades: 200 + below(9_000),
      buyTrades: 200 + below(4_000),
      liqLong: 0,
      liqShort: 0,
      origin: 'tape',
    };
  };
}

function block(level: CandleLevel, startTs: number, next: (ts: number) => Candle, share = 1) {
  const length = Math.max(1, Math.floor((share * level.blockMs) / level.intervalMs));
  const candles = Array.from({ length }, (_, i) => next(startTs + i * level.intervalMs));
  return { startTs, toTs: startTs + length * level.intervalMs, candles };
}

it(`takes less than ${ROW_BYTES_MAX} bytes of the file for a row, from the first day on`, async () => {
  const table = new CandleTable(store);
  const markets = ['binance:BTCUSDT', 'hyperliquid:BTC', 'coinbase-spot:BTC-USD'];
  const makers = markets.map((_, i) => busyCandles(i));
  const empty = usedBytes();
  let rows = 0;
  for (let startTs = START_MS; startTs < START_MS + DAY_MS; startTs += HOUR_MS) {
    const blocks = makers.map((next) => block(minuteLevel, startTs, next));
    // Minutes close one after the other.
    for (let minutes = 5; minutes <= 60; minutes += 5)
      await table.commit(
        markets.map((id, i) => {
          const candles = blocks[i]?.candles.slice(0, minutes) ?? [];
          return table.putting(minuteLevel, id, { startTs, toTs: startTs + minutes * MINUTE_MS, candles });
        }),
      );
    rows += 60 * markets.length;
    for (const id of markets) await table.join(minuteLevel, id, startTs - (SETTLED_HOURS - 1) * HOUR_MS);
  }
  const perMinute = (usedBytes() - empty) / rows;
  const before = usedBytes();
  // A year of a venue's own hours, newest first.
  const hours = 365 * 24;
  const yearEnd = intervalStart(START_MS, hourLevel.blockMs);
  for (let end = yearEnd; end > yearEnd - 365 * DAY_MS; end -= 16 * hourLevel.blockMs) {
    const starts = Array.from({ length: 16 }, (_, i) => end - (i + 1) * hourLevel.blockMs);
    const next = busyCandles(9);
    await table.commit(
      starts.map((startTs) => table.putting(hourLevel, market, block(hourLevel, startTs, next))),
    );
    await table.join(hourLevel, market, end);
  }
  expect(perMinute).toBeLessThan(ROW_BYTES_MAX);
  expect((usedBytes() - before) / hours).toBeLessThan(ROW_BYTES_MAX);
});

it.each([
  ['minutes', minuteLevel],
  ['hours', hourLevel],
] as const)(
  'reads blocks of %s the same whether they are joined, written again after that, or as an earlier release wrote them',
  async (_, level) => {
    const table = new CandleTable(store);
    const asBefore = new CandleTable(new MemoryStore());
    const random = seededRandom(5);
    const next = busyCandles(3);
    const end = intervalStart(START_MS, level.blockMs);
    const first = end - 60 * level.blockMs;
    const put = async (starts: readonly number[]): Promise<void> => {
      const made = starts.map((startTs) => block(level, startTs, next, random()));
      for (const one of [table, asBefore])
        await one.commit(made.map((each) => one.putting(level, market, each)));
    };
    const read = async (from: number, to: number, limit: number): Promise<void> => {
      const own = await table.newestBlocks(level, market, from, to, limit);
      const wanted = await asBefore.newestBlocks(level, market, from, to, limit);
      expect(own.map(({ startTs, toTs, candles }) => ({ startTs, toTs, candles }))).toEqual(
        wanted.map(({ startTs, toTs, candles }) => ({ startTs, toTs, candles })),
      );
    };
    const readAll = async (): Promise<void> => {
      for (let i = 0; i < 40; i += 1) {
        const from = first + Math.floor(random() * 60 * level.blockMs);
        const to = from + Math.floor(random() * 60 * level.blockMs);
        await read(from, to, 1 + Math.floor(random() * 30));
      }
      await read(0, Number.MAX_SAFE_INTEGER, 1);
      await read(0, Number.MAX_SAFE_INTEGER, 1_000);
      for (const startTs of starts)
        expect((await table.block(level, market, startTs))?.candles).toEqual(
          (await asBefore.block(level, market, startTs))?.candles,
        );
    };
    // Hours without a trade have no block.
    const starts = Array.from({ length: 60 }, (_start, i) => first + i * level.blockMs);
    await put(starts.filter(() => random() < 0.8));
    await readAll();
    await table.join(level, market, end - 5 * level.blockMs);
    await readAll();
    await put(starts.filter(() => random() < 0.2));
    await readAll();
    await table.join(level, market, end);
    await readAll();
  },
);

it('forgets joined blocks that are too old', async () => {
  const table = new CandleTable(store);
  const next = busyCandles(1);
  await table.commit([
    table.puttingState(market, { tapeFrom: START_MS, settledTo: START_MS + 3 * DAY_MS }),
    ...Array.from({ length: 72 }, (_, i) =>
      table.putting(minuteLevel, market, block(minuteLevel, START_MS + i * HOUR_MS, next)),
    ),
  ]);
  await table.join(minuteLevel, market, START_MS + 3 * DAY_MS);
  await table.prune(START_MS + 2 * DAY_MS + 1);
  const blocks = await table.newestBlocks(minuteLevel, market, 0, Number.MAX_SAFE_INTEGER, 100);
  expect(blocks.at(-1)?.startTs).toBe(START_MS + 2 * DAY_MS);
});

it('names joined blocks that cannot be read', async () => {
  const table = new CandleTable(store);
  const made = block(minuteLevel, START_MS, busyCandles(1));
  await table.commit([table.putting(minuteLevel, market, made)]);
  await table.join(minuteLevel, market, START_MS + HOUR_MS);
  const raw = store.table(minuteLevel.table, 'binary');
  await store.commit([raw.puts([{ key: [market, 'joined', START_MS], value: Uint8Array.of(9) }])]);
  await expect(table.block(minuteLevel, market, START_MS)).rejects.toThrow(
    `candles-1m ${market} ${START_MS}: joined blocks of candles of version 9 are not known`,
  );
});

it('reads the gaps of a range, however many there are before it, and whichever span it is in', async () => {
  let rows = 0;
  const counting = {
    table: (name: string, encoding: 'json') => {
      const own = store.table(name, encoding);
      return {
        puts: own.puts.bind(own),
        range: async (range: Range) => {
          const found = await own.range(range);
          rows += found.length;
          return found;
        },
      };
    },
    commit: store.commit.bind(store),
  } as unknown as Store;
  const table = new CandleTable(counting);
  // Between imported days and the record; settled in steps, some as long as one; and of imported days within them.
  const gaps: CandleGap[] = [{ from: START_MS - 900 * DAY_MS, to: START_MS }];
  for (let hour = 0; hour < 1_200; hour += 1) {
    const from = START_MS + hour * HOUR_MS;
    if (hour % 100 >= 60) gaps.push({ from: from + 7, to: from + MINUTE_MS });
    else if (hour % 100 === 0) gaps.push({ from, to: from + hourLevel.blockMs });
    else if (hour % 100 === 40) gaps.push({ from, to: from + 9 * HOUR_MS });
  }
  await table.commit([table.puttingGaps(market, gaps), table.puttingGaps('binance:ETHUSDT', gaps)]);
  const end = START_MS + 1_200 * HOUR_MS;
  const random = seededRandom(4);
  for (let i = 0; i < 200; i += 1) {
    const from = Math.floor(START_MS - 10 * DAY_MS + random() * (end - START_MS + 10 * DAY_MS));
    const to = from + Math.floor(random() ** 4 * (end - from));
    const wanted = gaps.filter((gap) => gap.from < to && gap.to > from);
    expect(await table.gaps(market, from, to)).toEqual(wanted);
  }
  expect(await table.gaps(market, 0, Number.MAX_SAFE_INTEGER)).toEqual(gaps);
  rows = 0;
  await table.gaps(market, end - HOUR_MS, end);
  expect(rows).toBeLessThan(60);
});
