import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, type Trade } from '@crosstape/core';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { START_MS } from '../../api/testing/test-api.ts';
import { RequestContext } from '../../http/request-context.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import type { Resources } from '../context.ts';
import type { ChosenTape } from '../market-tape/chosen-tape.ts';
import type { StoredMarket } from '../market-tape/market-table.ts';
import { ArrowBatches } from './arrow-batches.ts';
import { type ArrowTradeColumns, arrowTrades, type TradesForArrow } from './arrow-trades.ts';
import { streamArrow } from './stream-arrow.ts';
import { createTapeReader } from './tape-reader.ts';
import { TickBuffer } from './tick-buffer.ts';
import { TickTable } from './tick-table.ts';
import { runs } from '../../../../../test/runs.ts';

const CHUNKS = 12;
const CHUNK_TRADES = 20;
const TAIL_TRADES = 15;

const folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
const store = new LmdbStore(folder);
const table = new TickTable(store);
const clock = new ManualClock(START_MS);
const tape = createTapeReader({ table, bus: new LocalBus(clock) });
/** Up to three trades in a millisecond; those of a chunk are in no other. */
const trades: readonly Trade[] = sampleTrades(0, CHUNKS * CHUNK_TRADES + TAIL_TRADES).map((trade, i) => ({
  ...trade,
  ts: START_MS + 10 * Math.floor(i / CHUNK_TRADES) + Math.floor((i % CHUNK_TRADES) / 3),
}));
const END_MS = START_MS + 10 * (CHUNKS + 1);

beforeAll(async () => {
  for (let at = 0; at < trades.length; at += CHUNK_TRADES) {
    const ticks = new TickBuffer();
    for (const trade of trades.slice(at, at + CHUNK_TRADES)) ticks.add(trade);
    const isTail = ticks.length < CHUNK_TRADES;
    await store.commit(
      isTail
        ? table.appending('BTC', ticks, 0, ticks.length, 1)
        : table.sealing('BTC', ticks, ticks.length, []),
    );
  }
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Chunks that were encoded since the start of the test. */
let encoded = 0;
/** Bytes that waited for the client behind each part of the last read. */
let held: number[] = [];
let arrowBatches: ArrowBatches;
beforeEach(() => {
  encoded = 0;
  arrowBatches = new ArrowBatches();
});

interface Asked {
  readonly fromTs?: number;
  readonly toTs?: number;
  readonly rowsMax?: number;
  readonly columns?: ArrowTradeColumns;
  /** For a market of another venue: coins per contract. */
  readonly contractSize?: number;
}

async function read({ columns = 'flow', contractSize, ...range }: Asked = {}): Promise<Buffer> {
  const run = async (_: unknown, order: TradesForArrow) => {
    encoded += order.chunks.length;
    return arrowTrades(order);
  };
  const resources = { clock, jobs: { run }, arrowBatches } as unknown as Resources;
  const market = { id: 'okx:BTC', contractSize, scale: 1 } as StoredMarket;
  const secondary = contractSize === undefined ? {} : { secondary: { market } };
  const order = { columns, market: '', fromTs: START_MS, toTs: END_MS, rowsMax: 400_000, ...range };
  const chosen = { coin: 'BTC', tape, ...secondary } as ChosenTape;
  const { open, heldBytes } = streamArrow(new RequestContext(resources), chosen, order).parts;
  const parts: Uint8Array[] = [];
  held = [];
  for await (const part of open!() as AsyncIterable<Uint8Array>) {
    parts.push(part);
    held.push(heldBytes!());
  }
  return Buffer.concat(parts);
}

interface Row {
  readonly ts: number;
  readonly price: number;
  readonly qty: number;
  readonly is_sell: boolean;
}

function rowsOf(bytes: Uint8Array): readonly Row[] {
  return tableFromIPC(bytes)
    .toArray()
    .map(({ ts, price, qty, is_sell }) => ({ ts: Number(ts), price, qty, is_sell }));
}

function expected(from: number, to: number): readonly Row[] {
  return trades
    .filter(({ ts }) => ts >= from && ts < to)
    .map(({ ts, price, size, side }) => ({ ts, price, qty: size, is_sell: side === 'sell' }));
}

it('encodes a sealed chunk once, and what still grows every time', async () => {
  const first = await read();
  expect(rowsOf(first)).toEqual(expected(START_MS, END_MS));
  expect(encoded).toBe(CHUNKS + 1);
  encoded = 0;
  expect(await read()).toEqual(first);
  expect(encoded).toBe(1);
  arrowBatches = new ArrowBatches();
  await read({ fromTs: START_MS + 10 * CHUNKS });
  expect(arrowBatches.bytes).toBe(0);
});

it('encodes only the chunks that the bounds cut', async () => {
  await read();
  encoded = 0;
  const [fromTs, toTs] = [START_MS + 12, START_MS + 55];
  expect(rowsOf(await read({ fromTs, toTs }))).toEqual(expected(fromTs, toTs));
  expect(encoded).toBe(2);
  encoded = 0;
  const rows = rowsOf(await read({ rowsMax: 3 * CHUNK_TRADES + 6 }));
  expect(rows).toEqual(expected(START_MS, START_MS + 32));
  expect(encoded).toBeLessThanOrEqual(2);
});

it('has other batches for other columns and other units', async () => {
  await read();
  const ids = tableFromIPC(await read({ columns: 'history' }));
  expect([...ids.getChild('tid')!].map(Number)).toEqual(trades.map(({ tid }) => tid));
  const contracts = tableFromIPC(await read({ contractSize: 10 })).getChild('qty')!;
  expect(contracts.get(0)).toBeCloseTo(10 * trades[0]!.size, 12);
  expect(
    tableFromIPC(await read({ contractSize: 100 }))
      .getChild('qty')!
      .get(0),
  ).toBeCloseTo(100 * trades[0]!.size, 12);
  expect(rowsOf(await read())).toEqual(expected(START_MS, END_MS));
});

/** At the limit or, where that splits a millisecond, before it; behind it when there would be no row. */
function cutAt(rows: readonly { readonly ts: number }[], rowsMax: number): number {
  const isSplit = (at: number): boolean => at < rows.length && at > 0 && rows[at - 1]!.ts === rows[at]!.ts;
  let at = Math.min(rowsMax, rows.length);
  while (isSplit(at)) at -= 1;
  if (at > 0) return at;
  at = Math.min(rowsMax, rows.length);
  while (isSplit(at)) at += 1;
  return at;
}

it('sends the same bytes for any range and limit, whatever was sent before', async () => {
  const time = fc.integer({ min: START_MS - 5, max: END_MS + 5 });
  const asked = fc.record({ fromTs: time, toTs: time, rowsMax: fc.integer({ min: 1, max: 300 }) });
  const property = fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 6 }), async (requests) => {
    const shared = new ArrowBatches();
    for (const one of requests) {
      arrowBatches = new ArrowBatches();
      const alone = await read(one);
      arrowBatches = shared;
      expect(await read(one)).toEqual(alone);
      const all = expected(one.fromTs, one.toTs);
      expect(rowsOf(alone)).toEqual(all.slice(0, cutAt(all, one.rowsMax)));
    }
  });
  await fc.assert(property, { numRuns: runs(25) });
});

it('keeps no more bytes than allowed, those that were used last', () => {
  const batches = new ArrowBatches(25);
  for (const key of ['a', 'b']) batches.set(key, new Uint8Array(10));
  batches.get('a');
  batches.set('c', new Uint8Array(10));
  expect([batches.bytes, batches.has('a'), batches.has('b'), batches.has('c')]).toEqual([
    20,
    true,
    false,
    true,
  ]);
  batches.set('c', new Uint8Array(12));
  expect(batches.bytes).toBe(22);
  batches.set('large', new Uint8Array(26));
  expect([batches.bytes, batches.has('large')]).toEqual([0, false]);
});

it('counts the batches that wait for a slow client, and no longer those that were sent', async () => {
  const bytes = await read();
  expect(Math.max(...held)).toBeGreaterThan(bytes.length / 4);
  expect(Math.max(...held)).toBeLessThan(bytes.length);
  const firstPage = held.slice(1, 9);
  expect(firstPage).toEqual(firstPage.toSorted((a, b) => b - a));
  expect(held.at(-1)).toBe(0);
});
