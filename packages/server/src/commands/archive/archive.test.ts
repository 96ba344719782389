import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@crosstape/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleTrades } from '../../api/testing/sample-tape.ts';
import { GapLedger } from '../../features/tape/gap-ledger.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { openDataFolder } from '../../store/data-folder.ts';
import { openLmdb } from '../../store/open-lmdb.ts';
import type { Terminal } from '../command.ts';
import { archive } from './archive.ts';

const from = Math.floor(systemClock.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-archive-command-'));
  const store = await openLmdb(await openDataFolder(join(folder, 'data'), 'live'));
  const ticks = new TickBuffer();
  for (const trade of sampleTrades(from, 100)) ticks.add(trade);
  await store.commit([
    ...new TickTable(store).sealing('BTC', ticks, 100, []),
    new GapLedger(store).extending({ from, to: from + DAY_MS }),
  ]);
  await store.close();
});
afterAll(() => rm(folder, { recursive: true }));

/** Output of a command, and its exit code. */
async function run(words: string, data = 'data'): Promise<{ readonly code: number; readonly text: string }> {
  const lines: string[] = [];
  const stream = { isTTY: false, write: () => true, on: () => stream };
  const terminal = {
    environment: { ARCHIVE: join(folder, 'archive') },
    out: (line: string) => lines.push(line),
    error: (line: string) => lines.push(line),
    stdout: stream,
    stderr: stream,
  } as unknown as Terminal;
  const args = [...words.split(' '), '--data', join(folder, data), '--upstream', 'live'];
  return { code: await archive.run(args, terminal), text: lines.join('\n') };
}

it('seals, lists, verifies and restores, each by its own word', async () => {
  const day = new Date(from).toISOString().slice(0, 10);
  expect((await run('status')).text).toContain(`to be archived: ${day}`);
  expect((await run('seal')).text).toContain(`${day} sealed`);
  expect((await run('seal')).text).toBe('every day that is over is archived');
  const status = JSON.parse((await run('status --json')).text) as object;
  expect(status).toMatchObject({
    days: [{ date: day, markets: 1, complete: 1, trades: 100 }],
    waiting: [],
  });
  expect(await run('verify')).toMatchObject({ code: 0, text: expect.stringContaining('nothing is damaged') });
  expect((await run('restore', 'new')).text).toContain('1 market days with 100 trades');
  expect((await run('status', 'new')).text).toContain(day);

  const names = await readdir(join(folder, 'archive'), { recursive: true });
  const path = join(folder, 'archive', names.find((name) => name.endsWith('.tape')) ?? '');
  await writeFile(path, (await readFile(path)).subarray(1));
  expect(await run('verify')).toMatchObject({ code: 1, text: expect.stringContaining('1 damaged') });
  expect((await run('status')).text).toContain('damaged tape/');
});

it.each([
  ['nothing', 'archive needs one of status'],
  ['status --archive', '--archive needs a value'],
  ['verify --day 1', 'unknown flag'],
])('refuses %s', async (words, message) => {
  await expect(run(words)).rejects.toThrow(message);
});
