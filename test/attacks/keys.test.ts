import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Simulator } from '@crosstape/simulator';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startPrimaryMarket } from '../primary-market.ts';
import { Program } from '../program.ts';

const PER_ADDRESS_MAX = 3;
const PER_NETWORK_MAX = 12;
const TOTAL_MAX = 1_000;
const AT_A_TIME = 20;

let folder: string;
let market: Simulator;
let program: Program;
let url: string;

async function start(): Promise<void> {
  const flags = `--port 0 --upstream sim --sim-url ${market.url} --sim-history-days 0 --trust-proxy 1 --quota enforce --log error --data`;
  program = new Program([...flags.split(' '), folder]);
  url = await program.listening();
}

async function stop(): Promise<void> {
  program.kill('SIGTERM');
  await program.exitCode();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-keys-'));
  market = await startPrimaryMarket();
  await start();
});

afterEach(async () => {
  await stop();
  await market.close();
  rmSync(folder, { recursive: true });
});

async function request(address: string): Promise<number> {
  const headers = { 'X-Forwarded-For': address };
  const response = await fetch(`${url}/profile/keys`, { method: 'POST', headers });
  await response.arrayBuffer();
  return response.status;
}

/** Statuses of requests for a key, one from each address, some at a time. */
async function create(addresses: readonly string[]): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < addresses.length; i += AT_A_TIME)
    statuses.push(...(await Promise.all(addresses.slice(i, i + AT_A_TIME).map(request))));
  return statuses;
}

const made = (statuses: readonly number[]): number => statuses.filter((status) => status === 201).length;
const hex = (i: number): string => i.toString(16);

it('gives one /48 of IPv6 12 keys a day, however many /64 ask, leaves its neighbours theirs, and gives all callers 1,000', async () => {
  const subnets = Array.from({ length: 200 }, (_, i) => `2001:db8:1:${hex(i)}::1`);
  expect(made(await create(subnets))).toBe(PER_NETWORK_MAX);
  // Repeated attempts of one address use up nothing of its network.
  const stubborn = await create(Array.from({ length: 50 }, () => '2001:db8:2:1::1'));
  expect(made(stubborn)).toBe(PER_ADDRESS_MAX);
  expect(made(await create(['2001:db8:2:2::1', '2001:db8:3:1::1', '192.0.2.1']))).toBe(3);
  const block = Array.from({ length: 50 }, (_, i) => `198.51.100.${i + 1}`);
  expect(made(await create(block))).toBe(PER_NETWORK_MAX);
  // All callers together get 1,000, also over a restart.
  const networks = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, i) => `2001:db9:${hex(from + i)}:1::1`);
  const used = 2 * PER_NETWORK_MAX + PER_ADDRESS_MAX + 3;
  expect(made(await create(networks(0, 600)))).toBe(600);
  await stop();
  await start();
  expect(made(await create(networks(600, 1_200)))).toBe(TOTAL_MAX - used - 600);
  expect(await create(['203.0.113.1'])).toEqual([503]);
});
