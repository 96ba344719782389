import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from './program.ts';
import { waitUntil } from './wait-until.ts';

/** A day of history takes seconds, and minutes on a busy machine. */
const READY_MS_MAX = 240_000;

const PROGRAMS = ['chromium-headless-shell', 'chromium'];

/** The browser to test with, if there is one (see install-programs.ts). */
export const chromiumPath = findChromium();

/**
 * Where Chromium is now: a setup may have installed it since this module was loaded. The build without windows draws the
 * same pages at half the processor time.
 */
export function findChromium(): string | undefined {
  return PROGRAMS.map((name) => spawnSync('which', [name]).stdout?.toString().trim()).find(Boolean);
}

/** The service as a separate process, with a simulated market. */
export interface Market {
  /** Its address, once it listens. */
  readonly url: Promise<string>;
  /** Of its data. */
  readonly folder: string;
  /** The service ends, and begins again at the same address with what it had. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

/** A day of the primary venue: that of the others takes minutes. */
export const HISTORY = ['--sim-history-days', '1', '--sim-market-history-hours', '0'];

/** Starts a service with a market of a fixed seed and a day of history, unless the flags say otherwise. */
export function startMarket(flags: readonly string[] = HISTORY): Market {
  const folder = mkdtempSync(join(tmpdir(), 'crosstape-market-'));
  const all = ['--log', 'error', '--upstream', 'sim', '--seed', '7', '--data', folder, ...flags];
  let program = new Program(['--port', '0', ...all]);
  const stop = async (): Promise<void> => {
    program.kill('SIGTERM');
    await program.exitCode();
  };
  const url = program.listening();
  return {
    url,
    folder,
    async restart() {
      await stop();
      program = new Program(['--port', new URL(await url).port, ...all]);
      await untilReady(await program.listening());
    },
    async end() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the service is ready: its sources and its history are there. */
export async function untilReady(url: string): Promise<void> {
  const ready = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
  await waitUntil(ready, { timeout: READY_MS_MAX, interval: 200 });
}
