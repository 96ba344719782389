import { startSimulator, systemClock } from '@crosstape/simulator';
import { expect, it } from 'vitest';
import { coinsOfVenues } from '../../../../../test/world-coins.ts';
import type { Terminal } from '../command.ts';
import { doctor } from './doctor.ts';

async function run(flags: string): Promise<{ code: number; text: string }> {
  let text = '';
  const terminal = {
    environment: {},
    out: (line: string) => {
      text += `${line}\n`;
    },
    error: () => undefined,
    stopSignal: () => new Promise<string>(() => undefined),
  } as unknown as Terminal;
  return { code: await doctor.run(['--live', ...flags.split(' ')], terminal), text };
}

// Both wait for seconds.
it.concurrent('reports in one line that no source can be reached, and fails', async () => {
  const { code, text } = await run(
    '--upstream live --venues hyperliquid --seconds 5 --hyperliquid-rest-url http://127.0.0.1:1 --hyperliquid-ws-url ws://127.0.0.1:1',
  );
  expect(code).toBe(1);
  expect(text).toBe('No source can be reached. Check the network. Nothing was checked.\n');
});

it.concurrent('gives one verdict per source and figure, and fails for a source that is no longer understood', async () => {
  const market = { seed: 7, rate: 5, coins: coinsOfVenues };
  const simulator = await startSimulator({ port: 0, clock: systemClock, ...market });
  simulator.faults.add({ venue: 'kraken-spot', fault: 'rename', field: 'c', path: 'Ticker' });
  try {
    // All its sources send something at once: none waits for a liquidation.
    const { code, text } = await run(
      `--upstream sim --sim-url ${simulator.url} --venues kraken --seconds 80`,
    );
    expect(code).toBe(1);
    const lines = text.split('\n');
    const lineOf = (what: string): string => lines.find((line) => line.slice(3).startsWith(`${what} `)) ?? '';
    expect(lineOf('kraken-spot:tickers')).toMatch(/^✗ .*\bc\b/);
    expect(lineOf('kraken:instruments')).toMatch(/^✓ .*\d+ rows, \d+\.\d s old$/);
    expect(lineOf('hyperliquid:trades')).toMatch(/^✓ .*\d+ messages, \d+\.\d s old$/);
    for (const source of ['market-trades', 'market-books', 'candles', 'past-trades'])
      expect(lineOf(`kraken:${source}`)).toMatch(/^✓ .*\d+ messages, \d+\.\d s old$/);
    for (const figure of ['prices', 'open interest', 'funding'])
      expect(lineOf(`kraken ${figure}`)).toMatch(/^✓ .*100\.0 % of \d+/);
    expect(lines.at(-2)).toMatch(/^\d+ ok, \d+ with a warning, 1 failed$/);
    expect(text).not.toContain('okx');
  } finally {
    await simulator.close();
  }
});
