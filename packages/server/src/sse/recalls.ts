import type { Clock } from '@crosstape/core';
import { CallerSlots } from '../platform/caller-slots.ts';
import type { SseSocket } from './socket.ts';

/** Concurrent resumes that read the record. */
const RECALLS_MAX = 16;
/** The same per address. */
const RECALLS_PER_CALLER_MAX = 4;
/** How long another one waits; then it gets what the log has, and is notified of the rest. */
const WAIT_MS_MAX = 60_000;
/** How long a client may take to read what was sent so far. */
const STALL_MS_MAX = 30_000;

/** Slots for resumes that read the record. */
export function recallSlots(clock: Clock): CallerSlots {
  return new CallerSlots({
    clock,
    slotsMax: RECALLS_MAX,
    perCallerMax: RECALLS_PER_CALLER_MAX,
    waitMs: WAIT_MS_MAX,
    waitingPerCallerMax: Number.POSITIVE_INFINITY,
  });
}

/** Writes slice by slice at the client's pace, with a turn of the event loop in between. */
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
  const next = (): void => sendRecalled(clock, socket, frames, onEnd);
  if (!socket.isFull) {
    setImmediate(next);
    return;
  }
  const stalled = clock.after(STALL_MS_MAX, () => socket.cut());
  socket.onceDrained(() => {
    stalled.cancel();
    next();
  });
}
