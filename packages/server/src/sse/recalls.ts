import type { Clock } from '@crosstape/core';
import { CallerTurns } from '../platform/caller-turns.ts';
import type { SseSocket } from './socket.ts';

/** Resumes that read the record and send it at a time. */
const RECALLS_MAX = 16;
/** Those of one address. */
const RECALLS_PER_CALLER_MAX = 4;
/** How long a further one waits; then it gets what the log has, and a verdict that says so. */
const WAIT_MS_MAX = 60_000;
/** How long a client may take to read what was sent so far. */
const STALL_MS_MAX = 30_000;

/** Turns of resumes that read the record. */
export function recallTurns(clock: Clock): CallerTurns {
  return new CallerTurns({
    clock,
    turnsMax: RECALLS_MAX,
    perCallerMax: RECALLS_PER_CALLER_MAX,
    waitMs: WAIT_MS_MAX,
    waitingPerCallerMax: Number.POSITIVE_INFINITY,
  });
}

/** Writes slice by slice as the client reads, with a turn of the event loop in between. */
export function sendRecalled(
  clock: Clock,
  socket: SseSocket,
  frames: Iterator<string>,
  onEnd: () => void,
): void {
  if (!socket.isOpen) return;
  const { done, value } = frames.next();
  if (done) return onEnd();
  if (value !== '') socket.write(value);
  const goOn = (): void => sendRecalled(clock, socket, frames, onEnd);
  if (!socket.isFull) {
    setImmediate(goOn);
    return;
  }
  const stalled = clock.after(STALL_MS_MAX, () => socket.cut());
  socket.onceDrained(() => {
    stalled.cancel();
    goOn();
  });
}
