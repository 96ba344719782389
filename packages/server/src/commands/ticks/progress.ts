import type { WriteStream } from 'node:tty';
import cliProgress from 'cli-progress';

/** Progress of a long command. */
export interface Progress {
  /** Sets the completed part of the total. */
  readonly at: (value: number) => void;
  readonly stop: () => void;
}

/** A progress bar on a terminal, removed at the end; none for a pipe or file. */
export function startProgress(stream: WriteStream, label: string, total: number): Progress {
  const bar = new cliProgress.SingleBar({
    stream,
    format: `${label} {bar} {percentage}% · {eta_formatted} to go`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    noTTYOutput: false,
  });
  bar.start(Math.max(1, total), 0);
  return { at: (value) => bar.update(value), stop: () => bar.stop() };
}
