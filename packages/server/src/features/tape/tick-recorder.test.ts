import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, type Trade } from '@crosstape/core';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CoinTape } from './coin-tape.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { RecorderWorld, START_MS, tradeOf } from './testing/recorder-world.ts';
import { runs } from '../../../../../test/runs.ts';

/** A disk and a machine may be slow; the clock of the recorder is not theirs. */
const LATE = { timeout: 15_000 };

let world: RecorderWorld;

beforeEach(() => {
  world = new RecorderWorld();
});

afterEach(() => world.end());

const plain = ({ ts, venueTs, price, size, side, tid, sameOrder }: Trade) => ({
  ts,
  venueTs,
  price,
  size,
  side,
  tid,
  sameOrder,
});

it('returns every trade exactly after any sequence of writes, seals and restarts', async () => {
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
        let { recorder, table } = world.recorderOn(ownStore);
        const all: Trade[] = [];
        let ts = START_MS;
        for (const step of steps) {
          if (step.kind === 'write') await recorder.write();
          else if (step.kind === 'restart') {
            await recorder.stop();
            ({ recorder, table } = world.recorderOn(ownStore));
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
                tradeOf(tid, ts, {
                  ...part,
                  ...(tid % 50 === 0 ? { price: 0.000_001, size: 8_000_000_000 } : {}),
                }),
              );
              recorder.add(all.at(-1) as Trade);
            }
          }
        }
        await recorder.stop();
        expect((await world.recorded(table)).map(plain)).toEqual(all.map(plain));
        await ownStore.close();
        rmSync(own, { recursive: true });
      },
    ),
    { numRuns: runs(12), seed: 5 },
  );
});

it('keeps the tail of a coin that trades rarely in few pieces', async () => {
  const { recorder, table } = world.recorderOn(world.store);
  for (let i = 0; i < 300; i += 1) {
    recorder.add(tradeOf(i, START_MS + i * 1_000));
    await recorder.write();
    expect((await table.tail('BTC')).length).toBeLessThanOrEqual(64);
  }
  await recorder.stop();
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual(
    Array.from({ length: 300 }, (_, i) => i),
  );
});

it('seals at 8,192 trades or the full hour and never within a millisecond', async () => {
  const { recorder, table } = world.recorderOn(world.store);
  for (let i = 0; i < 8_200; i += 1) recorder.add(tradeOf(i, START_MS + Math.min(i, 8_190)));
  recorder.add(tradeOf(9_000, START_MS + 8_195));
  recorder.add(tradeOf(9_001, START_MS + HOUR_MS));
  await recorder.stop();
  const chunks = await table.chunks('BTC', 0, START_MS * 2, 10);
  expect(chunks.map(({ startTs, endTs, trades }) => [startTs - START_MS, endTs - START_MS, trades])).toEqual([
    [0, 8_190, 8_200],
    [8_195, 8_195, 1],
  ]);
  expect((await table.tail('BTC')).map(({ columns }) => columns.length)).toEqual([1]);
});

it('seals a chunk whose older pieces are only in the store, and reports those that are gone', async () => {
  const { recorder, table, ledger } = world.recorderOn(world.store);
  for (let i = 0; i < 1_100; i += 1) {
    recorder.add(tradeOf(i, START_MS + i));
    await recorder.write();
  }
  const [, second] = await table.tail('BTC');
  await table.commit([table.dropping('BTC', [second?.position ?? Number.NaN])]);
  recorder.add(tradeOf(1_100, START_MS + HOUR_MS));
  await recorder.stop();
  const left = Array.from({ length: 1_101 }, (_, i) => i).filter((i) => i < 256 || i >= 512);
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual(left);
  expect(await table.chunks('BTC', 0, START_MS * 2, 10)).toMatchObject([{ trades: 1_100 - 256 }]);
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS + 256, to: START_MS + 512, state: 'missing' },
  ]);
  expect(recorder.health).toMatchObject({ unwritten: 0, lost: 256 });
});

it('writes by itself within a second', async () => {
  const { recorder, table } = world.recorderOn(world.store);
  recorder.add(tradeOf(1, START_MS));
  world.clock.advance(500);
  await vi.waitFor(async () => expect(await world.recorded(table)).toHaveLength(1), LATE);
  await recorder.stop();
});

it('stores with each connected span which coins were recorded', async () => {
  const connectedSpan = () => ({ fromMs: START_MS, toMs: START_MS + 500 });
  const { recorder, table, ledger } = world.recorderOn(world.store, {
    connectedSpan,
    recordCoins: 'BTC,pepe',
  });
  for (const [i, coin] of ['BTC', 'ETH', 'kPEPE'].entries()) recorder.add(tradeOf(i, START_MS, { coin }));
  await recorder.stop();
  expect(await table.coins()).toEqual(['BTC', 'kPEPE']);
  expect(await ledger.lastSpan()).toEqual({ from: START_MS, to: START_MS + 500, recordCoins: 'BTC,pepe' });
});

it('records the fills of an order that a slow clock of ours takes for the future, and knows them again', async () => {
  const { recorder, table } = world.recorderOn(world.store);
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
  world.clock.advance(500);
  await vi.waitFor(async () => expect(await world.recorded(table)).toHaveLength(2), LATE);
  expect(recorder.health.status).toBe('ok');
  await recorder.stop();

  const later = world.recorderOn(world.store).recorder;
  const restored = new CoinTape('hyperliquid');
  for (const one of await later.restore()) restored.restore(one);
  expect([1, 2, 3].map((tid) => restored.knows({ ...fill, tid }))).toEqual([true, true, false]);
  await later.stop();
});

it('drops trades that cannot be encoded, of that coin only, and reports the gap', async () => {
  const { recorder, table, ledger } = world.recorderOn(world.store);
  recorder.add(tradeOf(1, START_MS));
  await recorder.write();
  recorder.add(tradeOf(2, START_MS + 5, { size: 2 ** 60 }));
  recorder.add(tradeOf(3, START_MS + 6, { coin: 'ETH' }));
  world.clock.advance(500);
  await vi.waitFor(async () => expect(await table.tail('ETH')).toHaveLength(1), LATE);
  recorder.add(tradeOf(4, START_MS + 7));
  await recorder.stop();
  expect((await world.recorded(table)).map(({ tid }) => tid)).toEqual([1, 4]);
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 1 });
  expect(await ledger.gaps('BTC', 0, START_MS * 2)).toMatchObject([
    { from: START_MS + 5, to: START_MS + 6, state: 'missing' },
  ]);
});

it('continues with a coin after a trade whose price has too many decimals', async () => {
  const { recorder, table } = world.recorderOn(world.store);
  recorder.add(tradeOf(1, START_MS));
  await recorder.write();
  recorder.add(tradeOf(2, START_MS + 5, { price: 1e-20 }));
  await recorder.write();
  recorder.add(tradeOf(3, START_MS + 7));
  await recorder.stop();
  expect((await world.recorded(table)).map(plain)).toEqual(
    [tradeOf(1, START_MS), tradeOf(3, START_MS + 7)].map(plain),
  );
  expect(recorder.health).toMatchObject({ status: 'ok', unwritten: 0, lost: 1 });
});
