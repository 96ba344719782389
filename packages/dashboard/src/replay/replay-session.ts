import { divert } from '../live/line.ts';
import type { Report } from '../live/topic.ts';
import type { ReplayOrder, ReplayReport } from './replay-order.ts';
import type { ReplayStep } from './replay-player.ts';
import { isReplayed, replay } from './replay.svelte.ts';

/** The replay of this page: a worker that begins at one time after the other. */
export class ReplaySession {
  #worker: Worker | undefined;
  #receive: ((report: Report) => void) | undefined;
  readonly #onJump: (toMs: number) => void;

  /** `onJump` is called when a step leads to a time at which the replay has to begin again. */
  constructor(onJump: (toMs: number) => void) {
    this.#onJump = onJump;
  }

  /** Starts at a time, replacing what was played before. */
  open(startMs: number, speed: number, isPlaying: boolean): void {
    this.#worker ??= this.#start();
    replay.epoch += 1;
    this.#send({ op: 'open', run: replay.epoch, startMs, speed, isPlaying });
    replay.startMs = startMs;
    replay.status = { nowMs: startMs, speed, isPlaying, state: 'loading', canSkip: false };
    replay.isOn = true;
    this.#receive = divert({ takes: isReplayed, send: (order) => this.#send(order) });
  }

  play(): void {
    this.#send({ op: 'play' });
  }

  pause(): void {
    this.#send({ op: 'pause' });
  }

  setSpeed(speed: number): void {
    this.#send({ op: 'speed', speed });
  }

  step(step: ReplayStep): void {
    this.#send({ op: 'step', step });
  }

  leaveGap(): void {
    this.#send({ op: 'skip' });
  }

  /** Back to the present. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    replay.isOn = false;
    replay.epoch += 1;
    replay.status = undefined;
    divert(undefined);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./replay-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<ReplayReport>) => {
      if (data.run !== replay.epoch) return;
      if ('update' in data) this.#receive?.(data);
      else if ('status' in data) replay.status = data.status;
      else this.#onJump(data.jumpMs);
    });
    return worker;
  }

  #send(order: ReplayOrder): void {
    this.#worker?.postMessage(order);
  }
}
