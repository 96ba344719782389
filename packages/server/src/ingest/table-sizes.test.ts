import { DAY_MS, type Instrument } from '@crosstape/core';
import { afterEach, expect, it } from 'vitest';
import { TableSizes } from './table-sizes.ts';
import { fakeLookup, fakeResource } from './testing/fake-venue.ts';
import { type Rig, startRig } from './testing/rig.ts';

function listOf(length: number): { readonly instruments: readonly Instrument[] } {
  return { instruments: Array.from({ length }, (_, i) => ({ symbol: `C${i}`, coin: `C${i}` })) };
}

/** The notes after each answer, one a minute. */
function notesAfter(...lengths: readonly number[]): readonly (readonly string[])[] {
  const sizes = new TableSizes(['instruments']);
  return lengths.map((length, i) => sizes.notes(listOf(length), i * 60_000));
}

const NOTE = 'instruments shrank from 100 rows to less than half at 1970-01-01T00:01:00.000Z.';

it('notes a table that lost more than half of its rows, until it has half of them again', () => {
  expect(notesAfter(100, 49, 49, 20, 50, 50)).toEqual([[], [NOTE], [NOTE], [NOTE], [], []]);
});

it('does not note a table that lost half of its rows, grew, or is small', () => {
  expect(notesAfter(100, 50, 300, 151).flat()).toEqual([]);
  expect(notesAfter(9, 1, 0).flat()).toEqual([]);
});

it('takes a table that stayed small for a day as it is', () => {
  const sizes = new TableSizes(['instruments']);
  sizes.notes(listOf(100), 0);
  expect(sizes.notes(listOf(10), 1)).toHaveLength(1);
  expect(sizes.notes(listOf(10), DAY_MS)).toHaveLength(1);
  expect(sizes.notes(listOf(10), DAY_MS + 1)).toEqual([]);
  expect(sizes.notes(listOf(10), DAY_MS + 2)).toEqual([]);
});

it('leaves a table alone that could not be read', () => {
  const sizes = new TableSizes(['instruments']);
  sizes.notes(listOf(100), 0);
  expect(sizes.notes({ instruments: [], unread: ['instruments'] }, 1)).toEqual([]);
  expect(sizes.notes(listOf(40), 2)).toHaveLength(1);
});

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

it('reports notes of the source and of its size in health and log, each once', async () => {
  let rows = 12;
  let notes: readonly string[] = [];
  const running = await startRig({
    resources: [
      fakeResource({
        parse: () => ({
          openInterest: Array.from({ length: rows }, (_, i) => {
            const symbol = `C${i}`;
            return { coin: symbol, symbol, contracts: 1, coins: 1, value: 1 };
          }),
          notes,
        }),
      }),
    ],
  });
  rig = running;
  const reported = (): readonly string[] | undefined => running.health('oi')?.notes;
  await running.passUntil(() => running.health('oi')?.status === 'ok', 1_000);
  expect(reported()).toBeUndefined();
  rows = 5;
  notes = ['Figures of Friday are estimates.'];
  await running.passUntil(() => reported() !== undefined, 30_000);
  expect(reported()).toEqual([
    expect.stringContaining('shrank from 12 rows'),
    'Figures of Friday are estimates.',
  ]);
  expect(running.health('oi')?.status).toBe('ok');
  await running.pass(10_000);
  const logged = running.warnings.filter(({ message }) => message === 'source has a new note');
  expect(logged).toHaveLength(2);
  rows = 12;
  notes = [];
  await running.passUntil(() => reported() === undefined, 30_000);
});

it('reports a table of many answers that shrank, whatever keys come and go', async () => {
  let keys: readonly string[] = Array.from({ length: 24 }, (_, i) => `C${i}`);
  let empty = new Set<string>();
  const running = await startRig({
    lookups: [fakeLookup({ keys: () => keys, everyMs: 2_000 })],
    prepare: (venue) => {
      venue.answer = ({ url = '' }, response) => {
        const key = url.slice('/oi/'.length);
        response.end(JSON.stringify(empty.has(key) ? [] : [[key, 1]]));
      };
    },
  });
  rig = running;
  await running.passUntil(() => running.snapshot()?.rows.length === 24, 10_000);
  await running.pass(4_000, 250);
  keys = keys.slice(0, 12);
  await running.passUntil(() => running.snapshot()?.rows.length === 12, 10_000, 250);
  expect(running.health('oi')?.notes).toBeUndefined();
  empty = new Set(keys.slice(0, 8));
  await running.passUntil(() => running.health('oi')?.notes !== undefined, 5_000, 250);
  expect(running.health('oi')?.notes).toEqual([expect.stringContaining('shrank from 12 rows')]);
  await running.pass(4_000, 250);
  expect(running.health('oi')).toMatchObject({ status: 'ok', notes: [expect.any(String)] });
  empty = new Set();
  await running.passUntil(() => running.health('oi')?.notes === undefined, 5_000, 250);
});
