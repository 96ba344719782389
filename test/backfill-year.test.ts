import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startSimulatorThread } from '@crosstape/simulator';
import { readablePublishers } from '@crosstape/venues';
import { expect, it } from 'vitest';
import { Program } from './program.ts';
import { waitUntil } from './wait-until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAYS = 365;
const COINS = 20;
const DONE_WITHIN_MS = 15 * MINUTE_MS;

interface Recorded {
  readonly market: string;
  readonly venue: string;
  readonly kind: string;
  readonly coin: string;
}

it(
  `stores a year of hours of ${COINS} coins of every venue within 15 minutes, and breaks no limit`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
    const simulator = await startSimulatorThread({ port: 0, seed: 7 });
    const program = new Program(
      ['--port', '0', '--data', folder, '--upstream', 'sim', '--sim-url', simulator.url, '--quota', 'report'],
      { BACKFILL: `1h:${DAYS}`, RECORD_MARKETS: `top:${COINS}` },
    );
    try {
      const startedMs = performance.now();
      const url = await program.listening();
      const read = async <Body>(path: string): Promise<Body> => (await fetch(`${url}${path}`)).json() as Body;
      const state = async () => (await read<{ backfill?: { isDone: boolean } }>('/healthz')).backfill;
      await waitUntil(async () => (await state())?.isDone ?? false, {
        timeout: 4 * DONE_WITHIN_MS,
        interval: 1_000,
      });
      const tookMs = performance.now() - startedMs;
      const { data: markets } = await read<{ data: readonly Recorded[] }>('/api/v1/markets/recorded');
      const reach = new Map(
        readablePublishers.map(({ id, connector }) => [
          id,
          connector?.candles?.newestMax?.['1h'] ?? DAYS * 24,
        ]),
      );
      const coins = new Set(markets.filter(({ venue }) => venue === 'binance').map(({ coin }) => coin));
      expect(coins.size).toBe(COINS);
      for (const { market } of markets.filter(({ coin }) => coins.has(coin))) {
        const path = `/api/v1/candles?market=${encodeURIComponent(market)}&interval=1h&limit=10000`;
        const { data } = await read<{ data: readonly { ts: number }[] }>(path);
        const hours = Math.min(DAYS * 24, reach.get(market.split(':')[0] ?? '') ?? DAYS * 24);
        expect(data.length, market).toBeGreaterThan(hours - 12);
        const [first, last] = [data[0]?.ts ?? 0, data.at(-1)?.ts ?? 0];
        expect((last - first) / HOUR_MS + 1, market).toBe(data.length);
      }
      const { venues } = (await (await fetch(`${simulator.url}/sim`)).json()) as {
        readonly venues: Readonly<Record<string, { readonly violations: object }>>;
      };
      for (const [venue, { violations }] of Object.entries(venues)) expect(violations, venue).toEqual({});
      expect(tookMs).toBeLessThan(DONE_WITHIN_MS);
    } finally {
      program.kill('SIGTERM');
      await program.exitCode();
      await simulator.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  6 * DONE_WITHIN_MS,
);
