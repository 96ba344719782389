import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@crosstape/simulator';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Program } from './program.ts';

const DAY_MS = 86_400_000;
const DAYS = 3;
const TRADES = 600;
/** Each step of it: packages/server/src/features/archive/archive.test.ts. */
const KILLS = process.env.LONG === '1' ? 50 : 1;
/** Each kill takes six starts of the program, on a busy machine a minute. */
const TIMEOUT_MS = 300_000 + 120_000 * KILLS;

let folder: string;
let before: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-archive-kill-'));
  // The day before yesterday is the newest: yesterday may be too young to be sealed.
  const from = Math.floor(systemClock.now() / DAY_MS - DAYS - 1) * DAY_MS;
  const rows = Array.from({ length: TRADES }, (_, i) => {
    const ts = from + Math.floor((i * DAYS * DAY_MS) / TRADES);
    return `${ts},${60_000 + (i % 7)},0.${1 + (i % 9)},${i % 3 ? 'buy' : 'sell'},${1_000 + i},,false`;
  });
  const file = join(folder, 'btc.csv');
  writeFileSync(file, ['ts,price,size,side,tid,venueTs,sameOrder', ...rows, ''].join('\n'));
  await run('ticks', 'import', '--coin', 'BTC', '--complete', '--data', join(folder, 'data'), file);
  before = await exported(join(folder, 'data'));
  expect(before.split('\n')).toHaveLength(TRADES + 2);
});
afterAll(() => rmSync(folder, { recursive: true }));

const live = ['--upstream', 'live'];

async function run(...args: readonly string[]): Promise<string> {
  const program = new Program([...args, ...live]);
  expect(await program.exitCode(), `${args.join(' ')}: ${program.error}${program.out}`).toBe(0);
  return program.out;
}

function exported(data: string): Promise<string> {
  return run('ticks', 'export', '--coin', 'BTC', '--format', 'csv', '--data', data);
}

/** How many names there are in the archive, of files on their way as well. */
function namesIn(archive: string): number {
  return existsSync(archive) ? readdirSync(archive, { recursive: true }).length : 0;
}

it(`keeps every trade when sealing is killed ${KILLS} times, each later than the previous one`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const all = join(folder, 'all');
  cpSync(join(folder, 'data'), join(all, 'data'), { recursive: true });
  await run('archive', 'seal', '--data', join(all, 'data'), '--archive', join(all, 'archive'));
  const names = namesIn(join(all, 'archive'));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const own = join(folder, `kill-${kill}`);
    const [data, archive] = [join(own, 'data'), join(own, 'archive')];
    cpSync(join(folder, 'data'), data, { recursive: true });
    const flags = ['--data', data, '--archive', archive];
    const sealing = new Program(['archive', 'seal', ...flags, ...live]);
    let isOver = false;
    void sealing.exitCode().then(() => (isOver = true));
    const wanted = Math.floor(((kill + 0.5) * names) / KILLS);
    await vi.waitUntil(() => isOver || namesIn(archive) >= wanted, { timeout: 120_000, interval: 1 });
    sealing.kill('SIGKILL');
    await sealing.exitCode();

    // Whatever is listed is whole, and the rest is still in the store.
    if (existsSync(join(archive, 'manifest.json')))
      expect(await run('archive', 'verify', ...flags)).toContain('nothing is damaged');
    expect(await exported(data), `after ${wanted} of ${names} names`).toBe(before);
    await run('archive', 'seal', ...flags);
    expect(await run('archive', 'verify', ...flags)).toContain('nothing is damaged');
    // A new folder has the trades from the archive alone.
    await run('archive', 'restore', '--data', join(own, 'new'), '--archive', archive);
    expect(await exported(join(own, 'new'))).toBe(before);
    rmSync(own, { recursive: true });
  }
});
