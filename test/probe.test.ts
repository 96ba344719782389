import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startSimulator, systemClock } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { probeAddresses } from '../scripts/probe-addresses.ts';

const probe = new URL('../scripts/probe-live.ts', import.meta.url).pathname;

async function run(...args: readonly string[]): Promise<{ readonly code: unknown; readonly out: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', probe, ...args]);
  let out = '';
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  const [code] = (await once(child, 'close')) as unknown[];
  return { code, out };
}

it('says in one line that nobody can be reached, and fails', async () => {
  const { code, out } = await run('http://127.0.0.1:1', '2000');
  expect(code).toBe(1);
  expect(out).toBe('no venue can be reached: is there a network? Nothing was probed.\n');
}, 60_000);

it('tells what is not understood from what makes sense, and fails', async () => {
  const simulator = await startSimulator({ port: 0, seed: 7, rate: 0.1, clock: systemClock });
  simulator.faults.add({ venue: 'bybit', fault: 'retype', field: 'singleOpenInterest', path: 'tickers' });
  try {
    const { code, out } = await run(simulator.url, '10000');
    expect(code).toBe(1);
    const lineOf = (source: string): string =>
      out.split('\n').find((line) => line.slice(5).startsWith(source)) ?? '';
    expect(lineOf('bybit:tickers')).toMatch(/^BAD .*OpenInterest/);
    for (const figure of ['prices', 'open interest', 'funding']) {
      expect(lineOf(`kraken ${figure}`)).toMatch(/^ok .*100\.0 % of \d+/);
      expect(lineOf(`mexc ${figure}`)).toMatch(/^ok .*100\.0 % of \d+/);
    }
    expect(lineOf('binance positioning')).toMatch(/^ok .*in agreement and in time/);
    expect(lineOf('binance:openInterest')).toMatch(/^ok .* s old$/);
  } finally {
    await simulator.close();
  }
}, 120_000);

it('says which of several addresses answers, and goes on with that', async () => {
  const ask = async (address: string): Promise<void> => {
    if (address !== 'https://b') throw new Error('HTTP 404');
  };
  expect(await probeAddresses('venue addresses', ['https://a', 'https://b'], ask)).toEqual({
    answering: 'https://b',
    finding: { source: 'venue addresses', isGood: true, told: 'https://a (HTTP 404), https://b answers' },
  });
  expect(await probeAddresses('venue addresses', ['https://a'], ask)).toMatchObject({
    answering: undefined,
    finding: { isGood: false },
  });
});
