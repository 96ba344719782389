import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from './wait-until.ts';

/** Lines of the log that a failed start is reported with. */
const LAST_LINES = 20;

const main = new URL('../packages/server/bin/crosstape.js', import.meta.url).pathname;

/** The command line as a separate process, which records the primary venue only unless the test says otherwise. */
export class Program {
  out = '';
  error = '';
  readonly #child;
  readonly #exit: Promise<unknown[]>;
  #end: string | undefined;

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
    // What a failed test left running would take time from those after it.
    const end = (): void => void this.#child.kill('SIGKILL');
    process.once('exit', end);
    this.#child.once('close', () => process.off('exit', end));
    this.#child.once('close', (code, signal) => {
      this.#end = `ended with ${signal ?? `code ${code}`}`;
    });
  }

  /**
   * The address in the ready line. The limit only ends what hangs: on a busy machine a start takes a minute. Rejects with
   * the last lines of the log when there is none.
   */
  async listening(timeout = 240_000): Promise<string> {
    const address = (): string | undefined => /listening on (\S+)/.exec(this.out)?.[1];
    const isOver = (): boolean => address() !== undefined || this.#end !== undefined;
    await waitUntil(isOver, { timeout, interval: 20 }).catch(() => undefined);
    const found = address();
    if (found !== undefined) return found;
    const lines = this.error.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`the program ${this.#end ?? `does not listen after ${timeout} ms`}; its log:\n${lines}`);
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
