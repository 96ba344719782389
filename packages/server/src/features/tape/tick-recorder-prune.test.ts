import { DAY_MS, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RecorderWorld, START_MS, tradeOf } from './testing/recorder-world.ts';
import type { GapLedger } from './gap-ledger.ts';
import type { TickTable } from './tick-table.ts';
import type { TickRecorder, TickRecorderOptions } from './tick-recorder.ts';
import type { Key } from '../../store/store.ts';

const OLD_MS = START_MS - 8 * DAY_MS;
const PRUNE_MS = 10 * 60_000;
/** Enough writes for pieces that are only in the store, and a rest. */
const WRITES = 300;

let world: RecorderWorld;

beforeEach(() => {
  world = new RecorderWorld();
});

afterEach(() => world.end());

async function addAll(recorder: TickRecorder, trades: readonly Trade[]): Promise<void> {
  for (const trade of trades) {
    recorder.add(trade);
    await recorder.write();
  }
}

const old = Array.from({ length: WRITES }, (_, i) => tradeOf(i, OLD_MS + i));

/** The chunk that the archive makes of the tail. */
async function openKey(table: TickTable): Promise<string> {
  const key = await table.openChunkKey('BTC');
  expect(key).toBeDefined();
  return String(key);
}

async function pausedMarket(part: Partial<TickRecorderOptions> = {}) {
  const recording = world.recorderOn(world.store, part);
  await addAll(recording.recorder, old);
  return { ...recording, key: await openKey(recording.table) };
}

/** Prunes, which ends old chunks, and writes. */
async function prune(recorder: TickRecorder): Promise<void> {
  world.clock.advance(PRUNE_MS);
  // A write may have been under way.
  await recorder.write();
  await recorder.write();
}

const expectNoLoss = async (recorder: TickRecorder, ledger: GapLedger): Promise<void> => {
  await recorder.stop();
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 0 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toEqual([]);
};

it('removes the unsealed trades of a market that pauses longer than the retention, and reports none as lost', async () => {
  const { recorder, table, ledger } = await pausedMarket();
  await prune(recorder);
  expect(await table.tail('BTC')).toEqual([]);
  await prune(recorder);
  await vi.waitFor(async () => expect(await table.coins()).toEqual([]));
  await addAll(recorder, [tradeOf(WRITES, START_MS), tradeOf(WRITES + 1, START_MS + 5)]);
  await expectNoLoss(recorder, ledger);
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([WRITES, WRITES + 1]);
});

it('keeps them until they are archived, under the key of the archived chunk', async () => {
  const archived = new Set<string>();
  const asked = new Set<string>();
  const hasChunk = async (key: Key): Promise<boolean> => {
    asked.add(String(key));
    return archived.has(String(key));
  };
  const { recorder, table, ledger, key } = await pausedMarket({ archive: { hasChunk } });
  await prune(recorder);
  await prune(recorder);
  await vi.waitFor(() => expect([...asked]).toEqual([key]));
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual(old.map(({ tid }) => tid));
  archived.add(key);
  await prune(recorder);
  await vi.waitFor(async () => expect(await table.coins()).toEqual([]));
  await addAll(recorder, [tradeOf(WRITES, START_MS)]);
  await expectNoLoss(recorder, ledger);
  expect(await table.names('BTC', 0, START_MS * 2, 10)).toEqual([]);
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([WRITES]);
});

it('loses none of a market that is traded again while its old trades are removed', async () => {
  const { recorder, table, ledger } = await pausedMarket();
  world.clock.advance(PRUNE_MS);
  recorder.add(tradeOf(WRITES, START_MS));
  await prune(recorder);
  // The old chunk may have been sealed too late for that.
  await prune(recorder);
  await vi.waitFor(async () => expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([WRITES]));
  await expectNoLoss(recorder, ledger);
});
