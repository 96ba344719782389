import type { WriteStream } from 'node:tty';
import type { Clock } from '@crosstape/core';
import { systemClock } from '../../platform/system-clock.ts';

const BAR_CHARS = 40;
const DRAW_EVERY_MS = 100;
const LINE_START = '\r\u001b[K';

/** Progress of a long command. */
export interface Progress {
  /** Sets the completed part of the total. */
  readonly at: (value: number) => void;
  readonly stop: () => void;
}

/** A progress bar on a terminal, removed at the end; none for a pipe or file. */
export function startProgress(
  stream: Pick<WriteStream, 'isTTY' | 'write'>,
  label: string,
  total: number,
  clock: Pick<Clock, 'now'> = systemClock,
): Progress {
  if (!stream.isTTY) return { at: () => {}, stop: () => {} };
  const startMs = clock.now();
  let drawnMs = Number.NEGATIVE_INFINITY;
  const at = (value: number): void => {
    const nowMs = clock.now();
    if (nowMs - drawnMs < DRAW_EVERY_MS) return;
    drawnMs = nowMs;
    const part = Math.min(1, value / Math.max(1, total));
    const bar = '█'.repeat(Math.round(part * BAR_CHARS)).padEnd(BAR_CHARS, '░');
    const left = part > 0 ? ` · ${printSpan(((nowMs - startMs) / part) * (1 - part))} to go` : '';
    stream.write(`${LINE_START}${label} ${bar} ${Math.floor(part * 100)}%${left}`);
  };
  at(0);
  return { at, stop: () => void stream.write(LINE_START) };
}

/** `1h5m`, `2m10s`, `7s`. */
function printSpan(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours > 0) return `${hours}h${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
