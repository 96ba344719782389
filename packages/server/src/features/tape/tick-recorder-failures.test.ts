import { HOUR_MS, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Gap } from './gap-ledger.ts';
import { RecorderWorld, START_MS, tradeOf } from './testing/recorder-world.ts';
import { TickBuffer } from './tick-buffer.ts';
import { encodePiece } from './tick-table.ts';

let world: RecorderWorld;

beforeEach(() => {
  world = new RecorderWorld();
});

afterEach(() => world.end());

/** A piece of a tail. */
function pieceOf(trades: readonly Trade[]): Uint8Array {
  const ticks = new TickBuffer();
  for (const trade of trades) ticks.add(trade);
  return encodePiece(ticks, 0, ticks.length);
}

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

const LARGE = 300_000_000;
const FINE = 0.123_456_78;

it('writes trades whose sizes do not fit into one chunk into several', async () => {
  const { recorder, table, ledger } = world.recorderOn(world.store);
  // Each is written alone, and enough of them that pieces are merged.
  const sizes = Array.from({ length: 60 }, (_, i) => (i % 20 === 19 ? LARGE : FINE));
  for (const [i, size] of sizes.entries()) {
    recorder.add(tradeOf(i, START_MS + i, { size }));
    await recorder.write();
  }
  await recorder.stop();
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 0 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toEqual([]);
  const recorded = await world.recorded(table);
  expect(recorded.map(({ tid, size }) => [tid, size])).toEqual(sizes.map((size, i) => [i, size]));
  expect((await table.names('BTC', 0, START_MS * 2, 10)).map(({ trades }) => trades)).toEqual([
    19, 1, 19, 1, 19,
  ]);
  expect((await table.tail('BTC')).map(({ columns }) => columns.length)).toEqual([1]);
});

it('drops one that does not fit with others of its millisecond, reports it, and keeps the order that it belongs to', async () => {
  const { recorder, table, ledger } = world.recorderOn(world.store);
  const trades = [
    tradeOf(0, START_MS, { side: 'sell' }),
    tradeOf(1, START_MS + 5, { size: FINE }),
    tradeOf(2, START_MS + 5, { size: LARGE, sameOrder: true }),
    tradeOf(3, START_MS + 5, { size: FINE, sameOrder: true }),
    tradeOf(4, START_MS + 6, { price: 1e-20 }),
    tradeOf(5, START_MS + 6, { sameOrder: true }),
  ];
  for (const trade of trades) recorder.add(trade);
  await recorder.stop();
  const recorded = await world.recorded(table);
  expect(recorded.map(({ tid, sameOrder }) => [tid, sameOrder])).toEqual([
    [0, false],
    [1, false],
    [3, true],
    [5, false],
  ]);
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 2 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS + 5, to: START_MS + 7, state: 'missing' },
  ]);
});

it('seals what a tail of several hours has, as an earlier version may have left it', async () => {
  const { table } = world.recorderOn(world.store);
  const trades = [0, 1, 1].map((hour, i) => tradeOf(i, START_MS + hour * HOUR_MS + i));
  for (const [i, trade] of trades.entries())
    await table.commit([table.appendingPiece('BTC', { position: i + 1, value: pieceOf([trade]) })]);
  const { recorder } = world.recorderOn(world.store);
  await recorder.restore();
  recorder.add(tradeOf(3, START_MS + HOUR_MS + 9));
  await recorder.stop();
  expect(recorder.health).toMatchObject({ status: 'ok', lost: 0 });
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([0, 1, 2, 3]);
  expect(await table.names('BTC', 0, START_MS * 2, 10)).toMatchObject([{ trades: 1 }]);
  expect(await table.openChunkKey('BTC')).toMatchObject({ 1: START_MS + HOUR_MS + 1, 3: 3 });
});

it.each([
  ['bytes of no piece', () => new Uint8Array([0, 0, 0, 2, 9, 9, 9])],
  ['other trades', () => pieceOf([tradeOf(9_999, START_MS + 5 * HOUR_MS)])],
])('reports a written piece that was replaced by %s, and seals the others', async (_, damage) => {
  const { recorder, table, ledger } = world.recorderOn(world.store);
  for (let i = 0; i < 1_100; i += 1) {
    recorder.add(tradeOf(i, START_MS + i));
    await recorder.write();
  }
  const [, { position } = { position: Number.NaN }] = await table.tail('BTC');
  await table.commit([table.appendingPiece('BTC', { position, value: damage() })]);
  recorder.add(tradeOf(1_100, START_MS + HOUR_MS));
  await recorder.stop();
  const left = Array.from({ length: 1_101 }, (_unused, i) => i).filter((i) => i < 256 || i >= 512);
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual(left);
  expect(await table.tail('BTC')).toHaveLength(1);
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 256 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS + 256, to: START_MS + 512, state: 'missing' },
  ]);
});

it('reports a chunk that cannot be sealed, and leaves nothing of it in the tail', async () => {
  const { recorder, table, ledger } = world.recorderOn(world.store);
  recorder.add(tradeOf(0, START_MS));
  recorder.add(tradeOf(1, START_MS + 5));
  await recorder.write();
  vi.spyOn(table, 'sealing').mockImplementation(() => {
    throw new RangeError('a chunk that cannot be encoded');
  });
  recorder.add(tradeOf(2, START_MS + 9));
  recorder.add(tradeOf(3, START_MS + HOUR_MS));
  await recorder.stop();
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([3]);
  expect((await table.tail('BTC')).map(({ columns }) => columns.length)).toEqual([1]);
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 3 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS, to: START_MS + 6, state: 'missing' },
    { from: START_MS + 9, to: START_MS + 10, state: 'missing' },
  ]);
});

it('removes no written trades without their gap, and keeps what follows them in the order that they began', async () => {
  const failing = world.failingStore();
  failing.setFailing(false);
  const { recorder, table, ledger } = world.recorderOn(failing.store);
  // The second piece of 256 trades begins within an order.
  for (let i = 0; i < 1_100; i += 1) {
    recorder.add(tradeOf(i, START_MS + (i === 256 ? 255 : i), { sameOrder: i === 256 }));
    await recorder.write();
  }
  const [{ position } = { position: Number.NaN }] = await table.tail('BTC');
  await table.commit([table.dropping('BTC', [position])]);
  recorder.add(tradeOf(1_100, START_MS + HOUR_MS));
  failing.setFailing(true);
  await recorder.write();
  // The disk is full again after the first commit.
  failing.setFailing(false);
  failing.onCommit(() => failing.setFailing(true));
  await recorder.write();
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS, to: START_MS + 256, state: 'missing' },
  ]);
  const [first] = await world.recorded(table);
  expect(first).toMatchObject({ tid: 256, sameOrder: false });
  expect(recorder.health.lost).toBe(256);
  failing.setFailing(false);
  failing.onCommit(() => {});
  await recorder.stop();
});

it('commits trades of other markets while it seals many chunks', async () => {
  const { recorder, table } = world.recorderOn(world.store);
  const coins = Array.from({ length: 100 }, (_, i) => `C${i}`);
  for (const coin of coins) recorder.add(tradeOf(1, START_MS, { coin }));
  await recorder.write();
  for (const coin of coins) recorder.add(tradeOf(2, START_MS + HOUR_MS, { coin }));
  const others = ['BTC', 'ETH', 'SOL'];
  const sealedBefore: number[] = [];
  const commit = table.commit.bind(table);
  vi.spyOn(table, 'commit').mockImplementation(async (changes) => {
    await commit(changes);
    const names = await Promise.all(coins.map((coin) => table.names(coin, 0, START_MS * 2, 1)));
    const coin = others.shift();
    if (!coin) return;
    sealedBefore.push(names.flat().length);
    recorder.add(tradeOf(3, START_MS + HOUR_MS, { coin }));
  });
  await recorder.write();
  expect(sealedBefore).toEqual([32, 64, 96]);
  expect(await table.tail('BTC')).toHaveLength(1);
  expect(await table.tail('ETH')).toHaveLength(1);
  await recorder.stop();
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 0 });
});

it('bounds chunks of single trades that wait', async () => {
  const failing = world.failingStore();
  const { recorder } = world.recorderOn(failing.store, { unwrittenMax: 640 });
  for (let i = 0; i < 100; i += 1)
    recorder.add(tradeOf(i, START_MS + i, { size: i % 2 === 0 ? LARGE : FINE }));
  expect(recorder.health).toMatchObject({ unwritten: 11, lost: 89 });
  failing.setFailing(false);
  await recorder.stop();
});
