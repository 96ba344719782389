import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeIds, decodeReceipts, decodeTicks, ManualClock, type Trade } from '@crosstape/core';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import { TickRecorder } from './tick-recorder.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import { GapLedger } from './gap-ledger.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { tradesOf } from './newest-trades.ts';
import { TickTable } from './tick-table.ts';
import { tradeTopic } from '../../topics.ts';
import { createTapeReader, type PageChunk, type TapeReader } from './tape-reader.ts';
import { isLong } from '../../../../../test/long.ts';

const START_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const owner = { coin: 'BTC', venue: 'hyperliquid' };
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A tape that is recorded and read at the same time. */
class Rig {
  readonly clock = new ManualClock(START_MS);
  readonly bus = new LocalBus(this.clock);
  readonly store: LmdbStore;
  readonly recorder: TickRecorder;
  readonly reader: TapeReader;
  readonly all: Trade[] = [];

  /** Receive time minus tape time, for later trades. */
  lagMs: number | undefined;

  constructor(folder: string) {
    this.store = new LmdbStore(folder);
    const table = new TickTable(this.store);
    const options = { venue: owner.venue, clock: this.clock, log: silent, retentionDays: 7 };
    const ledger = new GapLedger(this.store);
    this.recorder = new TickRecorder({
      ...options,
      table,
      ledger,
      recordCoins: 'all',
      connectedSpan: () => undefined,
      keptFromMs: () => undefined,
    });
    this.reader = createTapeReader({ table, bus: this.bus });
    // A log exists from its first use.
    this.bus.log(tradeTopic(owner.coin));
  }

  get nowTs(): number {
    return this.all.at(-1)?.ts ?? START_MS;
  }

  add(trade: Trade): void {
    this.all.push(trade);
    this.recorder.add(trade);
    this.bus.publish(tradeTopic(owner.coin), trade);
  }

  release(count: number, stepMs: number): void {
    for (let i = 0; i < count; i += 1) {
      const tid = this.all.length;
      const [price, size] = [50_000 + (tid % 9) * 0.5, (1 + (tid % 5)) / 1_000];
      const side = tid % 4 === 0 ? 'sell' : 'buy';
      const ts = this.nowTs + (i % 3 === 0 ? stepMs : 0);
      const trade: Trade = {
        ...owner,
        side,
        price,
        size,
        notionalUsd: price * size,
        ts,
        tid,
        sameOrder: false,
        ...(this.lagMs !== undefined && { recvLagMs: this.lagMs }),
      };
      this.add(trade);
    }
  }
}

let folder: string;
let rig: Rig;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  rig = new Rig(folder);
});

afterEach(async () => {
  await rig.recorder.stop();
  await rig.store.close();
  rmSync(folder, { recursive: true });
});

function tidsOf(chunks: readonly PageChunk[], fromTs: number, toTs: number): number[] {
  return chunks
    .flatMap(({ data, ids }) =>
      tradesOf(owner, {
        columns: decodeTicks(gunzipChunk(data)),
        ids: decodeIds(gunzipChunk(ids as Uint8Array)),
      }),
    )
    .filter(({ ts }) => ts >= fromTs && ts < toTs)
    .map(({ tid }) => tid);
}

const step = fc.record({
  count: fc.integer({ min: 0, max: 4_000 }),
  stepMs: fc.constantFrom(0, 1, 1, 50, 3_000),
  isWritten: fc.boolean(),
});

it('gives every trade of any range once and in order, page by page, while recording continues', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(step, { maxLength: 12 }),
      fc.constantFrom(1, 2, 3, 20),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1.5, noNaN: true }),
      async (before, during, chunksMax, startShare, lengthShare) => {
        const own = mkdtempSync(join(tmpdir(), 'crosstape-'));
        const tape = new Rig(own);
        const play = async ({ count, stepMs, isWritten }: (typeof during)[0]): Promise<void> => {
          tape.release(count, stepMs);
          if (isWritten) await tape.recorder.write();
        };
        for (const one of before) await play(one);
        const lengthMs = tape.nowTs - START_MS + 1;
        const fromTs = START_MS + Math.floor(startShare * lengthMs);
        const toTs = fromTs + 1 + Math.floor(lengthShare * lengthMs);
        const seen: number[] = [];
        let next: number | undefined = fromTs;
        for (const moves = during.values(); next !== undefined; ) {
          const page = await tape.reader.page({ coin: 'BTC', fromTs: next, toTs, chunksMax, withIds: true });
          expect(page.chunks.length).toBeLessThanOrEqual(chunksMax);
          seen.push(...tidsOf(page.chunks, next, toTs));
          // Everything released before the last page was requested is included.
          const isLast = page.nextStart === undefined;
          if (isLast) {
            const expected = tape.all.filter(({ ts }) => ts >= fromTs && ts < toTs).map(({ tid }) => tid);
            expect(seen).toEqual(expected);
          }
          next = page.nextStart;
          const move = moves.next();
          if (!move.done) await play(move.value);
        }
        await tape.recorder.stop();
        await tape.store.close();
        rmSync(own, { recursive: true });
      },
    ),
    { numRuns: isLong ? 12 : 4, seed: 11 },
  );
});

it('never splits a millisecond, and cuts a long unsealed tail into chunks', async () => {
  rig.release(30_000, 1);
  const query = { coin: 'BTC', fromTs: 0, toTs: START_MS * 2, chunksMax: 20, withIds: true };
  const written = await rig.reader.page(query);
  expect(written.chunks.map(({ trades }) => trades)).toEqual([8_193, 8_193, 8_193, 5_421]);
  for (const [i, chunk] of written.chunks.entries()) {
    if (i > 0) expect(chunk.startTs).toBeGreaterThan((written.chunks[i - 1] as PageChunk).endTs);
  }
});

it('serves a sealed chunk as it is stored', async () => {
  rig.release(20_000, 1);
  await rig.recorder.write();
  const table = new TickTable(rig.store);
  const [stored] = await table.chunks('BTC', 0, START_MS * 2, 1);
  const page = await rig.reader.page({
    coin: 'BTC',
    fromTs: 0,
    toTs: START_MS * 2,
    chunksMax: 1,
    withIds: false,
  });
  expect(page.chunks[0]?.data).toEqual(stored?.data);
  expect(page.chunks[0]).not.toHaveProperty('ids');
  expect(page.nextStart).toBe((stored?.endTs ?? 0) + 1);
});

it('has receive times from the moment they are recorded, whether sealed, written or only released', async () => {
  rig.release(10_000, 1);
  await rig.recorder.write();
  rig.lagMs = 40;
  rig.release(9_000, 1);
  await rig.recorder.write();
  rig.release(10, 1);
  const query = { coin: 'BTC', fromTs: 0, toTs: START_MS * 2, chunksMax: 20, withIds: false };
  expect((await rig.reader.page(query)).chunks.every((chunk) => !('receipts' in chunk))).toBe(true);
  const { chunks } = await rig.reader.page({ ...query, withReceipts: true });
  expect(chunks.map(({ receipts }) => receipts !== undefined)).toEqual([false, true, true]);
  const lags = chunks.slice(1).flatMap(({ receipts, trades }) => {
    const { lagMs, length } = decodeReceipts(gunzipChunk(receipts as Uint8Array));
    expect(length).toBe(trades);
    return [...lagMs.subarray(0, length)];
  });
  expect(lags).toEqual(rig.all.slice(-lags.length).map(({ recvLagMs = Number.NaN }) => recvLagMs));
  expect(lags.filter((lag) => lag === 40)).toHaveLength(9_010);
});

it('leaves out of the tail what was sealed while it was read', async () => {
  const table = new TickTable(rig.store);
  rig.release(9_000, 1);
  await rig.recorder.write();
  const [sealed] = await table.chunks('BTC', 0, START_MS * 2, 1);
  const [piece] = await table.tail('BTC');
  // As if the sealed chunk's trades were still in the tail.
  const before = {
    columns: decodeTicks(gunzipChunk(sealed?.data as Uint8Array)),
    ids: decodeIds(gunzipChunk((await table.chunkIds('BTC', 0, START_MS * 2, 1))[0]?.data as Uint8Array)),
  };
  const position = (piece?.position ?? 0) - 1;
  await table.commit(table.appending('BTC', before, 0, before.columns.length, position));
  const page = await rig.reader.page({
    coin: 'BTC',
    fromTs: 0,
    toTs: START_MS * 2,
    chunksMax: 20,
    withIds: true,
  });
  expect(tidsOf(page.chunks, 0, START_MS * 2)).toEqual(rig.all.map(({ tid }) => tid));
});

it('reads released trades whose sizes do not fit into one chunk, and none that the recorder drops', async () => {
  rig.release(5, 10);
  await rig.recorder.write();
  const [last] = rig.all.slice(-1) as [Trade];
  const after = (tid: number, ts: number, part: Partial<Trade>): void =>
    rig.add({ ...last, ...part, tid, ts });
  const [large, fine] = [{ size: 300_000_000 }, { size: 0.123_456_78 }];
  after(10, last.ts + 1, large);
  after(11, last.ts + 2, fine);
  // In the millisecond of the previous one.
  after(12, last.ts + 2, { ...large, sameOrder: true });
  after(13, last.ts + 2, { ...fine, sameOrder: true });
  after(14, last.ts + 3, { price: 1e-20 });
  after(15, last.ts + 3, { sameOrder: true });
  const page = async () =>
    (await rig.reader.page({ coin: 'BTC', fromTs: 0, toTs: START_MS * 2, chunksMax: 10, withIds: true }))
      .chunks;
  const expected = [0, 1, 2, 3, 4, 10, 11, 13, 15];
  const released = await page();
  expect(tidsOf(released, 0, START_MS * 2)).toEqual(expected);
  expect((await rig.reader.unsealed('BTC')).columns.length).toBe(expected.length);
  await rig.recorder.write();
  const written = await page();
  expect(tidsOf(written, 0, START_MS * 2)).toEqual(expected);
  const sizes = (chunks: readonly PageChunk[]) => chunks.map(({ trades }) => trades);
  expect(sizes(released)).toEqual(sizes(written));
});

it('reads released trades of a new hour by the decimals of that hour', async () => {
  rig.release(5, 10);
  await rig.recorder.write();
  const [last] = rig.all.slice(-1) as [Trade];
  const nextHour = (Math.floor(START_MS / HOUR_MS) + 1) * HOUR_MS;
  rig.add({ ...last, tid: 10, ts: last.ts + 1, size: 0.123_456_78 });
  await rig.recorder.write();
  rig.add({ ...last, tid: 11, ts: nextHour, size: 1 });
  rig.add({ ...last, tid: 12, ts: nextHour, size: 300_000_000 });
  const { chunks } = await rig.reader.page({
    coin: 'BTC',
    fromTs: 0,
    toTs: START_MS * 2,
    chunksMax: 10,
    withIds: true,
  });
  expect(tidsOf(chunks, 0, START_MS * 2)).toEqual([0, 1, 2, 3, 4, 10, 11, 12]);
});
