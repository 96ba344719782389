import type { WriteStream } from 'node:tty';

/** The environment of a command. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** The streams behind `out` and `error`, for more than a line. */
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  /** Resolves with the first signal to stop. */
  readonly stopSignal: () => Promise<string>;
}

/** One word of the command line. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Further lines of the help. */
  readonly help: () => string;
  /** Returns the exit code. Throws a `UsageError` for invalid input. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}
