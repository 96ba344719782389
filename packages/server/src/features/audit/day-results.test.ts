import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DayResults } from './day-results.ts';
import { inferenceScoreOf } from './inference-score.ts';
import type { Reconciliation } from './reconcile.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A compared day, as far as its score is read. */
function scored(day: string, precision: number): Reconciliation {
  const total = { precision, recall: 0.5, notionalErrorPct: null };
  return { day, liquidations: { total } } as unknown as Reconciliation;
}

function open(clock = new ManualClock(0)) {
  const log = { warn: vi.fn<(fields: object, text: string) => void>() };
  return { clock, log, results: new DayResults(folder, { clock, log }) };
}

it('returns what was written, newest day first', async () => {
  const { results } = open();
  expect(await results.list()).toEqual([]);
  expect(await results.newestScored()).toBeUndefined();
  const path = await results.write(scored('2026-11-14', 0.8));
  await results.write(scored('2026-11-15', 0.9));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(scored('2026-11-14', 0.8));
  expect((await results.list()).map(({ day }) => day)).toEqual(['2026-11-15', '2026-11-14']);
  expect(await inferenceScoreOf(results)).toMatchObject({ inferenceScore: { precision: 0.9 } });
});

it.each([
  ['empty', (path: string) => writeFileSync(path, '')],
  ['truncated', (path: string) => truncateSync(path, 10)],
  ['of something else', (path: string) => writeFileSync(path, 'null')],
  [
    'not readable',
    (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
])('leaves out a file that is %s, and logs it once', async (_, damage) => {
  const { results, log, clock } = open();
  await results.write(scored('2026-11-14', 0.8));
  damage(await results.write(scored('2026-11-15', 0.9)));
  for (let i = 0; i < 3; i += 1) {
    expect(await inferenceScoreOf(results)).toMatchObject({ inferenceScore: { day: '2026-11-14' } });
    clock.advance(60_000);
  }
  expect((await results.list()).map(({ day }) => day)).toEqual(['2026-11-14']);
  expect(await results.read('2026-11-15')).toBeUndefined();
  expect(log.warn).toHaveBeenCalledOnce();
});

it('has no score where the folder cannot be listed', async () => {
  writeFileSync(join(folder, 'audit'), 'a file in its place');
  const { results, log } = open();
  expect(await inferenceScoreOf(results)).toEqual({});
  expect(log.warn).toHaveBeenCalledOnce();
});

it('reads the files for the score once a minute, and sees what another process wrote', async () => {
  const { results, clock } = open();
  const other = open().results;
  await other.write(scored('2026-11-14', 0.8));
  const read = vi.spyOn(results, 'read');
  await Promise.all([results.newestScored(), results.newestScored()]);
  await other.write(scored('2026-11-15', 0.9));
  clock.advance(59_999);
  expect(await results.newestScored()).toMatchObject({ day: '2026-11-14' });
  expect(read).toHaveBeenCalledOnce();
  clock.advance(1);
  expect(await results.newestScored()).toMatchObject({ day: '2026-11-15' });
});
