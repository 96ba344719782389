import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { Random } from '@crosstape/core';
import { backoffMs } from '../platform/backoff.ts';
import { withYoungSpace } from '../platform/heap-flags.ts';
import type { Log } from '../platform/log.ts';
import { systemClock } from '../platform/system-clock.ts';
import { openWorker } from '../platform/thread.ts';
import type { Settings } from '../settings/settings.ts';
import type { Upstream } from '../upstream.ts';
import type { Started } from './role-dependencies.ts';

/** A thread that crashed is replaced after this time, longer each time in a row. */
const RESTART = { firstMs: 500, maxMs: 30_000 };
/** A thread that has run for this long did not fail at its start: the next wait is short again. */
const STABLE_MS = 60_000;
/**
 * The recorder must write pending data within this time, or it is terminated. A job of the thread may take ten seconds
 * to notice that it was abandoned; deployments kill the process after 30 s.
 */
const STOP_MS_MAX = 25_000;
const ownEntry = new URL(
  import.meta.url.endsWith('.ts') ? '../ingest-worker.ts' : '../ingest-worker.js',
  import.meta.url,
);

/** Start options of the ingest thread. */
export interface IngestOrder {
  readonly settings: Settings;
  readonly upstream: Upstream;
  /** The embedded store; absent on Redis, where the thread has its own connections. */
  readonly embedded?: { readonly folder: string; readonly port: MessagePort };
}

/** Messages of the ingest thread. */
export type IngestReport =
  | { readonly kind: 'started' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The disk is short; answered with `room`. */
  | { readonly kind: 'makeRoom'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly fields: object; readonly message: string };

/** Messages to the ingest thread. */
export type IngestRequest = { readonly kind: 'stop' } | { readonly kind: 'room'; readonly id: number };

export interface IngestThreadOptions {
  readonly order: Omit<IngestOrder, 'embedded'>;
  readonly log: Log;
  readonly random: Random;
  /** Called with the error that ended a thread. */
  readonly onCrash?: (error: unknown) => void;
  /** Module that the thread runs; default: the service's own. */
  readonly entry?: URL;
  /** The folder of the store, and the end of the bus to which each thread is attached; absent on Redis. */
  readonly embedded?: {
    readonly folder: string;
    readonly bus: { attach(port: MessagePort): void; detach(): void };
    /** Deletes files that can be spared before the tape runs out of disk. */
    makeRoom(bytes: number): Promise<void>;
  };
}

/**
 * Runs the ingest role in its own thread, so that public load does not delay it. A thread that crashes is replaced; the
 * recorder enters the time in between as a gap. Rejects when the first thread cannot start.
 */
export async function startIngestThread(options: IngestThreadOptions): Promise<Started> {
  const supervisor = new IngestSupervisor(options);
  await supervisor.begin();
  return { stop: () => supervisor.stop() };
}

class IngestSupervisor {
  readonly #options: IngestThreadOptions;
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #crashes = 0;
  #isStopping = false;
  #restart: { cancel(): void } | undefined;

  constructor(options: IngestThreadOptions) {
    this.#options = options;
  }

  /** Resolves when the thread has started everything, rejects when it could not. */
  begin(): Promise<void> {
    const { order, log, embedded, entry = ownEntry } = this.#options;
    const channel = embedded && new MessageChannel();
    const workerData: IngestOrder = {
      ...order,
      ...(channel && { embedded: { folder: embedded.folder, port: channel.port2 } }),
    };
    const transferred = channel ? [channel.port2] : [];
    const worker = withYoungSpace(() => openWorker(entry, workerData, transferred));
    this.#worker = worker;
    if (channel) embedded.bus.attach(channel.port1);
    const startedAtMs = systemClock.now();
    return new Promise((resolve, reject) => {
      let failure: unknown;
      worker.on('message', (report: IngestReport) => {
        if (report.kind === 'log') log[report.level](report.fields, report.message);
        else if (report.kind === 'started') resolve();
        else if (report.kind === 'failed') failure = report.error;
        else void this.#makeRoom(worker, report);
      });
      worker.on('error', (error) => {
        failure = error;
        log.error({ err: error }, 'the ingest thread crashed');
        this.#options.onCrash?.(error);
      });
      this.#exited = new Promise((exited) => {
        worker.once('exit', (code) => {
          this.#worker = undefined;
          if (!this.#isStopping) embedded?.bus.detach();
          reject(failure ?? new Error(`the ingest thread ended with code ${code}`));
          exited();
          if (systemClock.now() - startedAtMs >= STABLE_MS) this.#crashes = 0;
          this.#onExit(code);
        });
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#restart?.cancel();
    const worker = this.#worker;
    if (!worker) return;
    send(worker, { kind: 'stop' });
    const late = systemClock.after(STOP_MS_MAX, () => {
      this.#options.log.error({ ms: STOP_MS_MAX }, 'the ingest thread did not stop in time; it is ended');
      void worker.terminate();
    });
    await this.#exited;
    late.cancel();
  }

  async #makeRoom(
    worker: Worker,
    { id, bytes }: { readonly id: number; readonly bytes: number },
  ): Promise<void> {
    const { embedded, log } = this.#options;
    await embedded?.makeRoom(bytes).catch((error: unknown) => {
      log.warn({ err: error }, 'results cannot be removed to make room for the tape');
    });
    send(worker, { kind: 'room', id });
  }

  #onExit(code: number): void {
    const { log, random } = this.#options;
    if (this.#isStopping) return;
    const waitMs = backoffMs(this.#crashes, RESTART, random);
    this.#crashes += 1;
    log.error({ code, waitMs: Math.round(waitMs) }, 'the ingest thread ended; it is started again');
    this.#restart = systemClock.after(waitMs, () => {
      this.begin().catch((error: unknown) => {
        if (!this.#isStopping) log.error({ err: error }, 'the ingest thread cannot start');
      });
    });
  }
}

function send(worker: Worker, request: IngestRequest): void {
  worker.postMessage(request, []);
}
