import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from './wait-until.ts';

const main = new URL('../packages/server/dist/main.js', import.meta.url).pathname;

/** The command line as a process of its own, which records the primary venue only unless the test says otherwise. */
export class Program {
  out = '';
  error = '';
  readonly #child;
  readonly #exit: Promise<unknown[]>;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    // A week of every market's candles costs the simulator minutes: only tests about them ask for it.
    this.#child = spawn(process.execPath, [main, ...args], {
      env: { PATH: process.env.PATH ?? '', BACKFILL: 'off', RECORD_MARKETS: 'primary', ...environment },
    });
    this.#child.stdout.on('data', (part: Buffer) => {
      this.out += part.toString();
    });
    this.#child.stderr.on('data', (part: Buffer) => {
      this.error += part.toString();
    });
    this.#exit = once(this.#child, 'close');
  }

  /** The address in the ready line. The limit only ends what hangs: on a busy machine a start takes a minute. */
  async listening(timeout = 240_000): Promise<string> {
    await waitUntil(() => /listening on (\S+)/.test(this.out), { timeout, interval: 20 });
    return /listening on (\S+)/.exec(this.out)?.[1] as string;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Reads no more of what it says, as `| head` does. */
  stopReading(stream: 'stdout' | 'stderr' = 'stdout'): void {
    this.#child[stream].destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async exitCode(): Promise<unknown> {
    return (await this.#exit)[0];
  }
}
