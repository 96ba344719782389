import { closeSync, cpSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '@crosstape/simulator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isLong } from '../long.ts';
import { startPrimaryMarket } from '../primary-market.ts';
import { Program } from '../program.ts';

const wait = { timeout: 60_000, interval: 100 };

let market: Simulator;
let folder: string;
let sound: string;

async function run(...args: readonly string[]): Promise<{ code: unknown; out: string; error: string }> {
  const program = new Program(args);
  const code = await program.exitCode();
  return { code, out: program.out, error: program.error };
}

const serving = (data: string): readonly string[] => [
  ...`--port 0 --upstream sim --sim-url ${market.url} --sim-history-days 0 --log error --data`.split(' '),
  data,
];

const serve = (data: string): Program => new Program(serving(data));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-damage-'));
  market = await startPrimaryMarket();
  sound = join(folder, 'sound');
  const program = serve(sound);
  const url = await program.listening();
  await vi.waitUntil(async () => {
    const response = await fetch(`${url}/api/v1/perps/trades/history?coin=BTC&format=json`);
    return ((await response.json()) as { data: unknown[] }).data.length > 20;
  }, wait);
  program.kill('SIGTERM');
  expect(await program.exitCode()).toBe(0);
});

afterAll(async () => {
  await market.close();
  rmSync(folder, { recursive: true });
});

function overwrite(file: string, at: number, bytes: number): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, new Uint8Array(bytes).fill(0xa5), 0, bytes, at);
  closeSync(handle);
}

/** The store alone, damaged in every way: packages/server/src/store/damaged-store.test.ts. */
const damages = [
  ['cut in half', (file: string) => truncateSync(file, statSync(file).size / 2)],
  ['overwritten at its start', (file: string) => overwrite(file, 0, 8_192)],
  ['cut to nothing', (file: string) => truncateSync(file, 0)],
  ['overwritten behind its start', (file: string) => overwrite(file, 8_192, statSync(file).size / 2)],
] as const;
describe.each(isLong ? damages : damages.slice(0, 1))('a store that was %s', (name, damage) => {
  it('is refused by every command in one line that names the folder and the remedy', async () => {
    const data = join(folder, name.replaceAll(' ', '-'));
    cpSync(sound, data, { recursive: true, filter: (path) => !path.endsWith('lock') });
    damage(join(data, 'sim/1/data.mdb'));
    const where = ['--data', data, '--upstream', 'sim', '--seed', '1'];
    const runs = await Promise.all([
      run(...serving(data)),
      run('ticks', 'verify', ...where),
      run('ticks', 'export', '--coin', 'BTC', '--format', 'csv', ...where),
    ]);
    for (const { code, error } of runs) {
      // A signal would be `null`.
      expect(code, error).toBe(1);
      expect(error).toContain(`the store in ${join(data, 'sim/1')} is damaged`);
      expect(error).toContain('crosstape ticks salvage');
    }
  });
});

it('a store that was overwritten in the middle is salvaged, and the service continues with the copy', async () => {
  const data = join(folder, 'to-salvage');
  const copy = join(folder, 'salvaged');
  cpSync(sound, data, { recursive: true, filter: (path) => !path.endsWith('lock') });
  overwrite(join(data, 'sim/1/data.mdb'), 0, 8_192);
  const salvaged = await run('ticks', 'salvage', '--data', data, '--upstream', 'sim', '--to', copy);
  expect(salvaged.code, salvaged.error).toBe(0);
  expect(salvaged.out).toMatch(/\d+ trades; \d+ gaps entered/);
  const program = serve(copy);
  const url = await program.listening();
  const response = await fetch(`${url}/api/v1/perps/trades/history?coin=BTC&format=json`);
  const { data: trades, meta } = (await response.json()) as {
    data: unknown[];
    meta: { gaps: { reason: string }[] };
  };
  expect(trades.length).toBeGreaterThan(20);
  expect(meta.gaps.map(({ reason }) => reason)).toContain('the store was damaged');
  program.kill('SIGTERM');
  expect(await program.exitCode()).toBe(0);
});
