import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeIds, decodeTicks, ManualClock, type Trade } from '@crosstape/core';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTapeReader } from './tape-reader.ts';
import { CoinTape } from './coin-tape.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { gunzipChunk } from './chunk-gzip.ts';
import { type Gap, GapLedger } from './gap-ledger.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { tradesOf } from './newest-trades.ts';
import type { Change, Store } from '../../store/store.ts';
import { TickTable } from './tick-table.ts';
import { TickRecorder, type TickRecorderOptions } from './tick-recorder.ts';
import { runs } from '../../../../../test/runs.ts';

const HOUR_MS = 3_600_000;
const START_MS = 1_790_000_000_000 - (1_790_000_000_000 % HOUR_MS);
/** A disk and a machine may be slow; the clock of the recorder is not theirs. */
const LATE = { timeout: 15_000 };
const owner = { coin: 'BTC', venue: 'hyperliquid' };

let folder: string;
let store: LmdbStore;
let clock: ManualClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  clock = new ManualClock(START_MS);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function recorderOn(
  on: Store,
  part: Partial<TickRecorderOptions> = {},
): { recorder: TickRecorder; table: TickTable; ledger: GapLedger } {
  const table = new TickTable(on);
  const ledger = new GapLedger(on);
  const options = {
    venue: 'hyperliquid',
    clock,
    table,
    ledger,
    log: silent,
    retentionDays: 7,
    keptFromMs: (keepMs: number) => clock.now() - keepMs,
    recordCoins: 'all',
  };
  return {
    table,
    ledger,
    recorder: new TickRecorder({ ...options, connectedSpan: () => undefined, ...part }),
  };
}

function trade(tid: number, ts: number, part: Partial<Trade> = {}): Trade {
  const price = 50_000 + (tid % 7) * 0.5;
  const size = (1 + (tid % 13)) / 1_000;
  return {
    ...owner,
    side: 'buy',
    price,
    size,
    notionalUsd: price * size,
    ts,
    tid,
    sameOrder: false,
    ...part,
  };
}

/** Everything in the table, sealed or not, without the log. */
async function recorded(table: TickTable): Promise<Trade[]> {
  const reader = createTapeReader({ table, bus: new LocalBus(clock) });
  const { chunks } = await reader.page({
    coin: 'BTC',
    fromTs: 0,
    toTs: START_MS * 2,
    chunksMax: 1_000,
    withIds: true,
  });
  return chunks.flatMap(({ data, ids }) =>
    tradesOf(owner, {
      columns: decodeTicks(gunzipChunk(data)),
      ids: decodeIds(gunzipChunk(ids as Uint8Array)),
    }),
  );
}

const plain = ({ ts, venueTs, price, size, side, tid, sameOrder }: Trade) => ({
  ts,
  venueTs,
  price,
  size,
  side,
  tid,
  sameOrder,
});

it('gives back every trade exactly, whatever was written, sealed or restarted in between', async () => {
  let tid = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          {
            weight: 8,
            arbitrary: fc.record({
              kind: fc.constant('trades' as const),
              count: fc.integer({ min: 1, max: 3_000 }),
              stepMs: fc.constantFrom(0, 0, 1, 40, 2_000),
            }),
          },
          { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const) }) },
          { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
        ),
        { minLength: 1, maxLength: 12 },
      ),
      async (steps) => {
        const own = mkdtempSync(join(tmpdir(), 'crosstape-'));
        const ownStore = new LmdbStore(own);
        let { recorder, table } = recorderOn(ownStore);
        const all: Trade[] = [];
        let ts = START_MS;
        for (const step of steps) {
          if (step.kind === 'write') await recorder.write();
          else if (step.kind === 'restart') {
            await recorder.stop();
            ({ recorder, table } = recorderOn(ownStore));
            const newest = await recorder.restore();
            expect(newest.map(({ tid: id }) => id)).toEqual(
              all.slice(-newest.length || all.length).map(({ tid: id }) => id),
            );
          } else {
            for (let i = 0; i < step.count; i += 1) {
              ts += i % 5 === 0 ? step.stepMs : 0;
              tid += 1;
              const last = all.at(-1);
              const canFollow = last?.ts === ts && last.side === 'buy' && last.venueTs === undefined;
              const part =
                tid % 11 === 0
                  ? { venueTs: ts - 30, side: 'sell' as const }
                  : { sameOrder: tid % 3 === 0 && canFollow };
              all.push(
                trade(tid, ts, {
                  ...part,
                  ...(tid % 50 === 0 ? { price: 0.000_001, size: 8_000_000_000 } : {}),
                }),
              );
              recorder.add(all.at(-1) as Trade);
            }
          }
        }
        await recorder.stop();
        expect((await recorded(table)).map(plain)).toEqual(all.map(plain));
        await ownStore.close();
        rmSync(own, { recursive: true });
      },
    ),
    { numRuns: runs(12), seed: 5 },
  );
});

it('keeps the tail of a coin that trades rarely in few pieces', async () => {
  const { recorder, table } = recorderOn(store);
  for (let i = 0; i < 300; i += 1) {
    recorder.add(trade(i, START_MS + i * 1_000));
    await recorder.write();
    expect((await table.tail('BTC')).length).toBeLessThanOrEqual(64);
  }
  await recorder.stop();
  expect((await recorded(table)).map(({ tid }) => tid)).toEqual(Array.from({ length: 300 }, (_, i) => i));
});

it('seals at 8,192 trades or the full hour and never within a millisecond', async () => {
  const { recorder, table } = recorderOn(store);
  for (let i = 0; i < 8_200; i += 1) recorder.add(trade(i, START_MS + Math.min(i, 8_190)));
  recorder.add(trade(9_000, START_MS + 8_195));
  recorder.add(trade(9_001, START_MS + HOUR_MS));
  await recorder.stop();
  const chunks = await table.chunks('BTC', 0, START_MS * 2, 10);
  expect(chunks.map(({ startTs, endTs, trades }) => [startTs - START_MS, endTs - START_MS, trades])).toEqual([
    [0, 8_190, 8_200],
    [8_195, 8_195, 1],
  ]);
  expect((await table.tail('BTC')).map(({ columns }) => columns.length)).toEqual([1]);
});

it('seals a chunk whose older pieces are only in the store, and reports those that are gone', async () => {
  const { recorder, table, ledger } = recorderOn(store);
  for (let i = 0; i < 1_100; i += 1) {
    recorder.add(trade(i, START_MS + i));
    await recorder.write();
  }
  const [, second] = await table.tail('BTC');
  await table.commit([table.dropping('BTC', [second?.position ?? Number.NaN])]);
  recorder.add(trade(1_100, START_MS + HOUR_MS));
  await recorder.stop();
  const left = Array.from({ length: 1_101 }, (_, i) => i).filter((i) => i < 256 || i >= 512);
  expect((await recorded(table)).map(({ tid }) => tid)).toEqual(left);
  expect(await table.chunks('BTC', 0, START_MS * 2, 10)).toMatchObject([{ trades: 1_100 - 256 }]);
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS + 256, to: START_MS + 512, state: 'missing' },
  ]);
  expect(recorder.health).toMatchObject({ unwritten: 0, lost: 256 });
});

it('writes by itself within a second', async () => {
  const { recorder, table } = recorderOn(store);
  recorder.add(trade(1, START_MS));
  clock.advance(500);
  await vi.waitFor(async () => expect(await recorded(table)).toHaveLength(1), LATE);
  await recorder.stop();
});

it('stores with each connected span which coins were recorded', async () => {
  const connectedSpan = () => ({ fromMs: START_MS, toMs: START_MS + 500 });
  const { recorder, table, ledger } = recorderOn(store, { connectedSpan, recordCoins: 'BTC,pepe' });
  for (const [i, coin] of ['BTC', 'ETH', 'kPEPE'].entries()) recorder.add(trade(i, START_MS, { coin }));
  await recorder.stop();
  expect(await table.coins()).toEqual(['BTC', 'kPEPE']);
  expect(await ledger.lastSpan()).toEqual({ from: START_MS, to: START_MS + 500, recordCoins: 'BTC,pepe' });
});

it('records the fills of an order that a slow clock of ours takes for the future, and knows them again', async () => {
  const { recorder, table } = recorderOn(store);
  const tape = new CoinTape('hyperliquid');
  const fill = {
    coin: 'BTC',
    side: 'buy',
    price: 100,
    size: 1,
    venueTs: START_MS + 6_000,
    taker: '0xa',
  } as const;
  for (const tid of [1, 2]) recorder.add(tape.append({ ...fill, tid }, START_MS + tid) as Trade);
  clock.advance(500);
  await vi.waitFor(async () => expect(await recorded(table)).toHaveLength(2), LATE);
  expect(recorder.health.status).toBe('ok');
  await recorder.stop();

  const later = recorderOn(store).recorder;
  const restored = new CoinTape('hyperliquid');
  for (const one of await later.restore()) restored.restore(one);
  expect([1, 2, 3].map((tid) => restored.knows({ ...fill, tid }))).toEqual([true, true, false]);
  await later.stop();
});

it('drops trades that cannot be encoded, of that coin only, and reports the gap', async () => {
  const { recorder, table, ledger } = recorderOn(store);
  recorder.add(trade(1, START_MS));
  await recorder.write();
  recorder.add(trade(2, START_MS + 5, { size: 2 ** 60 }));
  recorder.add(trade(3, START_MS + 6, { coin: 'ETH' }));
  clock.advance(500);
  await vi.waitFor(async () => expect(await table.tail('ETH')).toHaveLength(1), LATE);
  recorder.add(trade(4, START_MS + 7));
  await recorder.stop();
  expect((await recorded(table)).map(({ tid }) => tid)).toEqual([1, 4]);
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 1 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS + 5, to: START_MS + 6, state: 'missing' },
  ]);
});

it('continues with a coin after a trade whose price has too many decimals', async () => {
  const { recorder, table } = recorderOn(store);
  recorder.add(trade(1, START_MS));
  await recorder.write();
  recorder.add(trade(2, START_MS + 5, { price: 1e-20 }));
  await recorder.write();
  recorder.add(trade(3, START_MS + 7));
  await recorder.stop();
  expect((await recorded(table)).map(plain)).toEqual([trade(1, START_MS), trade(3, START_MS + 7)].map(plain));
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 1 });
});

/** A store whose commits fail on demand, and that reports when one is in progress. */
function failingStore(): {
  store: Store;
  setFailing(isFailing: boolean): void;
  onCommit(listener: () => void): void;
} {
  let isFailing = true;
  let listen = (): void => {};
  const commit = async (changes: readonly Change[]): Promise<void> => {
    if (isFailing) throw new Error('no space left');
    await store.commit(changes);
    listen();
  };
  const wrapped = {
    table: store.table.bind(store),
    probe: () => commit([]),
    close: async () => {},
    commit,
  } as Store;
  return {
    store: wrapped,
    setFailing: (value) => (isFailing = value),
    onCommit: (listener) => (listen = listener),
  };
}

it('keeps what cannot be written and writes it when it can, also over a seal', async () => {
  const failing = failingStore();
  const { recorder, table } = recorderOn(failing.store);
  const all = Array.from({ length: 9_000 }, (_, i) => trade(i, START_MS + i));
  for (const one of all.slice(0, 4_000)) recorder.add(one);
  await recorder.write();
  expect(recorder.health).toEqual({
    status: 'failing',
    unwritten: 4_000,
    lost: 0,
    error: 'no space left',
    sinceMs: START_MS,
  });
  for (const one of all.slice(4_000)) recorder.add(one);
  await recorder.write();
  failing.setFailing(false);
  await recorder.write();
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 0 });
  expect((await recorded(table)).map(({ tid }) => tid)).toEqual(all.map(({ tid }) => tid));
  await recorder.stop();
});

it('vouches for no trade that it has not written, when the disk is full again after one commit', async () => {
  const failing = failingStore();
  const connectedSpan = () => ({ fromMs: START_MS, toMs: clock.now() });
  const { recorder, table, ledger } = recorderOn(failing.store, { connectedSpan });
  recorder.add(trade(1, START_MS));
  await recorder.write();
  clock.advance(100);
  recorder.add(trade(2, START_MS + 100));
  failing.setFailing(false);
  failing.onCommit(() => failing.setFailing(true));
  await recorder.write();
  expect((await recorded(table)).map(({ tid }) => tid)).toEqual([1]);
  expect(await ledger.lastSpan()).toBeUndefined();
  expect(recorder.health).toMatchObject({ status: 'failing', unwritten: 1, sinceMs: START_MS });
  expect(recorder.health.writtenToMs).toBeUndefined();
  failing.setFailing(false);
  failing.onCommit(() => {});
  await recorder.write();
  expect((await recorded(table)).map(({ tid }) => tid)).toEqual([1, 2]);
  expect(await ledger.lastSpan()).toMatchObject({ from: START_MS, to: START_MS + 100 });
  expect(recorder.health).toEqual({ status: 'ok', unwritten: 0, lost: 0, writtenToMs: START_MS + 100 });
  await recorder.stop();
});

it('is well again when all that waited is written, although nothing has come since', async () => {
  const failing = failingStore();
  const { recorder } = recorderOn(failing.store);
  recorder.add(trade(1, START_MS));
  await recorder.write();
  failing.setFailing(false);
  await recorder.write();
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 0 });
  await recorder.stop();
});

it('enters what it drops while a commit is under way with the next one', async () => {
  const failing = failingStore();
  const { recorder, ledger } = recorderOn(failing.store, { unwrittenMax: 2 });
  const add = (...tids: readonly number[]): void => {
    for (const tid of tids) recorder.add(trade(tid, START_MS + tid));
  };
  add(0, 1, 2);
  failing.setFailing(false);
  failing.onCommit(() => add(3, 4));
  await recorder.write();
  failing.onCommit(() => {});
  await recorder.stop();
  expect(recorder.health.lost).toBe(3);
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([{ from: START_MS + 2, to: START_MS + 5 }]);
});

it('enters dropped trades into the ledger', async () => {
  const failing = failingStore();
  const { recorder, ledger } = recorderOn(failing.store, { unwrittenMax: 1_000 });
  for (let i = 0; i < 1_010; i += 1) recorder.add(trade(i, START_MS + i));
  expect(recorder.health).toMatchObject({ unwritten: 1_000, lost: 10 });
  failing.setFailing(false);
  await recorder.write();
  await recorder.stop();
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toEqual([
    {
      coin: 'BTC',
      from: START_MS + 1_000,
      to: START_MS + 1_010,
      state: 'missing',
      reason: 'the trades could not be written',
    },
  ]);
});

it('holds a bounded number of gaps while nothing can be written, and leaves none of their time out', async () => {
  const failing = failingStore();
  const { recorder, ledger } = recorderOn(failing.store, { gapsMax: 2 });
  const part = { coin: 'BTC', state: 'partial', reason: 'odd' } as const;
  const gap = (from: number, to: number): Gap => ({ ...part, from: START_MS + from, to: START_MS + to });
  recorder.enter(gap(0, 5));
  await recorder.write();
  // The last one is reported again.
  for (const one of [gap(10, 15), gap(20, 25), gap(30, 35), gap(0, 7)]) recorder.enter(one);
  failing.setFailing(false);
  await recorder.stop();
  const rest = { ...gap(19, 35), state: 'missing', reason: 'the trades could not be written' };
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toEqual([gap(0, 7), gap(10, 15), rest]);
});
