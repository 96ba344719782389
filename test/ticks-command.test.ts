import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isLong } from './long.ts';
import { Program } from './program.ts';
import { fewCoins } from './world-coins.ts';

let folder: string;
let service: Program | undefined;
let simulator: Simulator;

beforeEach(async () => {
  // A busy market: no test waits for its trades.
  simulator = await startSimulator({
    port: 0,
    seed: 3,
    rate: 20,
    clock: systemClock,
    sources: ['hyperliquid'],
    coins: fewCoins,
  });
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
});

afterEach(async () => {
  service?.kill('SIGKILL');
  await service?.exitCode();
  service = undefined;
  await simulator.close();
  rmSync(folder, { recursive: true });
});

async function ticks(...args: readonly string[]): Promise<{ code: unknown; out: string; error: string }> {
  const program = new Program(['ticks', ...args]);
  const code = await program.exitCode();
  return { code, out: program.out, error: program.error };
}

it('exports and verifies what a running service records, and imports nothing meanwhile', async () => {
  const data = join(folder, 'data');
  const flags = `--port 0 --upstream sim --sim-url ${simulator.url} --sim-history-days 0 --log error`;
  service = new Program([...flags.split(' '), '--data', data]);
  const url = await service.listening();
  const history = `${url}/api/v1/perps/trades/history?coin=BTC&format=json&start=0`;
  const served = async () => ((await (await fetch(history)).json()) as { data: { tid: number }[] }).data;
  await vi.waitUntil(async () => (await served()).length > 20, { timeout: 60_000, interval: 200 });
  const tids = (await served()).map(({ tid }) => String(tid));

  // What has been served is on disk within a second.
  const exported = await vi.waitUntil(
    async () => {
      const run = await ticks('export', '--coin', 'btc', '--data', data);
      const lines = run.out.split('\n').slice(1, -1);
      return lines.length >= tids.length && { ...run, lines };
    },
    { timeout: 60_000 },
  );
  expect(exported.code).toBe(0);
  expect(exported.lines.slice(0, tids.length).map((line) => line.split(',')[4])).toEqual(tids);

  const verified = await ticks('verify', '--data', data);
  expect(verified.code, verified.out).toBe(0);
  expect(verified.out).toMatch(/^coin +chunks +trades +unsealed +bytes +from +to\n/);
  expect(verified.out).toMatch(/; nothing is damaged\n$/);
  expect(verified.error).toBe('');

  const file = join(folder, 'btc.ndjson');
  await ticks('export', '--coin', 'BTC', '--data', data, '--out', file);
  const refused = await ticks('import', '--coin', 'BTC', '--data', data, file);
  expect(refused.code).toBe(1);
  expect(refused.error).toMatch(
    /^crosstape: another Crosstape records into .+; stop it before you import\n$/,
  );

  service.kill('SIGTERM');
  expect(await service.exitCode()).toBe(0);
  // Without processes: packages/server/src/commands/ticks/ticks.test.ts.
  if (!isLong) return;
  const again = await ticks('import', '--coin', 'BTC', '--data', data, file);
  expect(again.code).toBe(1);
  expect(again.error).toMatch(/^crosstape: BTC has recorded trades from .+\n$/);
  const copy = join(folder, 'copy');
  const imported = await ticks('import', '--coin', 'BTC', '--data', copy, '--upstream', 'live', file);
  expect(imported.code, imported.error).toBe(0);
  const out = join(folder, 'copy.ndjson');
  await ticks('export', '--coin', 'BTC', '--data', copy, '--out', out);
  expect(readFileSync(out, 'utf8')).toBe(readFileSync(file, 'utf8'));
});

it('makes a service continue from what was imported, and not make up a past around it', async () => {
  const data = join(folder, 'data');
  const file = join(folder, 'btc.csv');
  const ts = systemClock.now() - 60_000;
  writeFileSync(file, `ts,price,size,side,tid\n${ts},85000,0.5,buy,1\n${ts + 5},85001,0.5,sell,2\n`);
  const flags = ['--upstream', 'sim', '--data', data];
  expect((await ticks('import', '--coin', 'BTC', ...flags, '--seed', '3', '--complete', file)).code).toBe(0);
  const serving = ['--port', '0', '--log', 'error', '--sim-url', simulator.url, '--sim-history-days', '1'];
  service = new Program([...serving, ...flags]);
  const url = await service.listening();
  const history = `${url}/api/v1/perps/trades/history?coin=BTC&format=json&start=0`;
  const served = async () =>
    ((await (await fetch(history)).json()) as { data?: { tid: number }[] }).data ?? [];
  await vi.waitUntil(async () => (await served()).length > 2, { timeout: 60_000, interval: 200 });
  expect((await served()).slice(0, 2).map(({ tid }) => tid)).toEqual([1, 2]);
  const coverage = await (await fetch(`${url}/api/v1/coverage?coin=BTC&from=${ts}&to=${ts + 6}`)).json();
  expect(coverage).toMatchObject({ data: [{ from: ts, to: ts + 6, state: 'refilled' }] });
});

const mistakes = [
  [
    [],
    'crosstape: ticks needs one of export, import, reconcile, salvage, verify; see crosstape help ticks\n',
  ],
  [['export', '--coin', 'BTC', '--coin', 'ETH'], 'crosstape: --coin is given 2 times; give it once\n'],
  [['verify', '--fast'], 'crosstape: unknown flag --fast; crosstape help all lists them\n'],
] as const;
/** The others: packages/server/src/commands/ticks/ticks.test.ts. */
it.each(isLong ? mistakes : mistakes.slice(0, 1))(
  'ends with one clear line and exit code 2 for ticks %j',
  async (args, line) => {
    expect(await ticks(...args)).toEqual({ code: 2, out: '', error: line });
  },
);
