import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Gap } from './gap-ledger.ts';
import { RecorderWorld, START_MS, tradeOf } from './testing/recorder-world.ts';

let world: RecorderWorld;

beforeEach(() => {
  world = new RecorderWorld();
});

afterEach(() => world.end());

it('keeps what cannot be written and writes it when it can, also over a seal', async () => {
  const failing = world.failingStore();
  const { recorder, table } = world.recorderOn(failing.store);
  const all = Array.from({ length: 9_000 }, (_, i) => tradeOf(i, START_MS + i));
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
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual(all.map(({ tid }) => tid));
  await recorder.stop();
});

it('vouches for no trade that it has not written, when the disk is full again after one commit', async () => {
  const failing = world.failingStore();
  const connectedSpan = () => ({ fromMs: START_MS, toMs: world.clock.now() });
  const { recorder, table, ledger } = world.recorderOn(failing.store, { connectedSpan });
  recorder.add(tradeOf(1, START_MS));
  await recorder.write();
  world.clock.advance(100);
  recorder.add(tradeOf(2, START_MS + 100));
  failing.setFailing(false);
  failing.onCommit(() => failing.setFailing(true));
  await recorder.write();
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([1]);
  expect(await ledger.lastSpan()).toBeUndefined();
  expect(recorder.health).toMatchObject({ status: 'failing', unwritten: 1, sinceMs: START_MS });
  expect(recorder.health.writtenToMs).toBeUndefined();
  failing.setFailing(false);
  failing.onCommit(() => {});
  await recorder.write();
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([1, 2]);
  expect(await ledger.lastSpan()).toMatchObject({ from: START_MS, to: START_MS + 100 });
  expect(recorder.health).toEqual({ status: 'ok', unwritten: 0, lost: 0, writtenToMs: START_MS + 100 });
  await recorder.stop();
});

it('becomes healthy when all pending trades are written, even without new trades', async () => {
  const failing = world.failingStore();
  const { recorder } = world.recorderOn(failing.store);
  recorder.add(tradeOf(1, START_MS));
  await recorder.write();
  failing.setFailing(false);
  await recorder.write();
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 0 });
  await recorder.stop();
});

it('enters what it drops while a commit is under way with the next one', async () => {
  const failing = world.failingStore();
  const { recorder, ledger } = world.recorderOn(failing.store, { unwrittenMax: 2 });
  const add = (...tids: readonly number[]): void => {
    for (const tid of tids) recorder.add(tradeOf(tid, START_MS + tid));
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
  const failing = world.failingStore();
  const { recorder, ledger } = world.recorderOn(failing.store, { unwrittenMax: 1_000 });
  for (let i = 0; i < 1_010; i += 1) recorder.add(tradeOf(i, START_MS + i));
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
  const failing = world.failingStore();
  const { recorder, ledger } = world.recorderOn(failing.store, { gapsMax: 2 });
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
