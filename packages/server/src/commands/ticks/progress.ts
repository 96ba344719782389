import type { WriteStream } from 'node:tty';
import cliProgress from 'cli-progress';

/** How far a long command has come. */
export interface Progress {
  /** Sets how much of the total is done. */
  readonly at: (value: number) => void;
  readonly stop: () => void;
}

/** A bar on a terminal that is gone when it is over; nothing at all on a pipe or in a file. */
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
