import type { Clock } from '@crosstape/core';
import { FairQueue } from '../platform/fair-queue.ts';
import type { SseSocket } from './socket.ts';

/** Resumes that read the record and send it at a time. */
const RECALLS_MAX = 16;
/** How long a further one waits; then it gets what the log has, and a verdict that says so. */
const WAIT_MS_MAX = 60_000;
/** How long a client may take to read what was sent so far. */
const STALL_MS_MAX = 30_000;

/** Lets a bounded number of resumes read the record at a time; callers take turns. */
export class RecallTurns {
  readonly #clock: Clock;
  readonly #waiting = new FairQueue<() => void>();
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with a function that ends the turn, or with `undefined` when none came in time. */
  async take(caller: string): Promise<(() => void) | undefined> {
    if (this.#running < RECALLS_MAX) this.#running += 1;
    else if (!(await this.#isTurn(caller))) return undefined;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    };
  }

  #isTurn(caller: string): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(WAIT_MS_MAX, () => {
        this.#waiting.remove(caller, go);
        resolve(false);
      });
      const go = (): void => {
        timer.cancel();
        resolve(true);
      };
      this.#waiting.push(caller, go);
    });
  }
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
