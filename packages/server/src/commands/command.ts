import type { WriteStream } from 'node:tty';

/** What a command can reach of the world outside. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Where `out` and `error` go, for what is more than a line. */
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  /** Resolves with the first signal that asks the program to end. */
  readonly stopSignal: () => Promise<string>;
}

/** One word of the command line. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Further lines for the help. */
  readonly help: () => string;
  /** Gives the exit code. Throws a `UsageError` for what the person got wrong. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}
