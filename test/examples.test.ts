import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Simulator, startSimulator, systemClock } from '@crosstape/simulator';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isLong } from './long.ts';
import { Program } from './program.ts';
import { coinsOfVenues } from './world-coins.ts';

let folder: string;
let simulator: Simulator;
let service: Program;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  const sources = ['hyperliquid', 'bybit', 'okx', 'deribit'];
  const market = { seed: 3, rate: 5, coins: coinsOfVenues, sources };
  simulator = await startSimulator({ port: 0, clock: systemClock, ...market });
  const flags = `--port 0 --upstream sim --sim-url ${simulator.url} --sim-history-days 0 --log error`;
  service = new Program([...flags.split(' '), '--data', folder]);
  url = await service.listening();
  await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, { timeout: 60_000 });
});

afterAll(async () => {
  service.kill('SIGKILL');
  await service.exitCode();
  await simulator.close();
  rmSync(folder, { recursive: true });
});

const root = fileURLToPath(new URL('..', import.meta.url));

async function run(name: string, ...args: readonly string[]): Promise<string> {
  const flags = ['--import', 'tsx', `examples/${name}.ts`, url, ...args];
  return (await promisify(execFile)(process.execPath, flags, { cwd: root })).stdout;
}

const examples = [
  [
    'live-range-bars',
    ['BTC', '5', '3'],
    /^\d+ bars of the last day\n(.*\n)*.*in progress: [\d.]+ to [\d.]+, now [\d.]+\n$/,
  ],
  ['local-order-book', ['BTC', '2'], /^([\d.]+ @ [\d.]+ {2}\| {2}[\d.]+ @ [\d.]+ .* 0 breaks\n){2}$/],
  [
    'funding-spreads',
    ['3'],
    /^(\w+ +[\d.]+ bps per 8 h: long on \w+ \(-?[\d.]+\), short on \w+ \(-?[\d.]+\)\n){3}/,
  ],
  ['whale-alert', ['1000', '2'], /^(\S+Z a taker (bought|sold) \$[\d,]+ of \w+ at [\d.]+\n){2}$/],
  ['gamma-levels', ['ETH'], /^ETH at [\d.]+ \(sim:deribit\)[^]*call wall +\d+[^]*put wall +\d+[^]*█/],
] as const;
/** The others are calls of the client, which samples of the documents make in every run. */
it.each(isLong ? examples : examples.slice(0, 2))(
  'the example %s does what it says',
  async (name, args, says) => {
    expect(await run(name, ...args)).toMatch(says);
  },
);
