import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '@crosstape/core';
import type { LogTopic, Topic } from './bus.ts';
import { Failure } from './errors.ts';
import type { Log } from './log.ts';
import { MirroredBus } from './mirrored-bus.ts';
import { MessageUnpacker } from './packed-messages.ts';
import { afterRunning } from './running-time.ts';
import { systemClock } from './system-clock.ts';
import { BATCH_HEAD, type ToGateway, type ToIngest, type TopicRun } from './thread-bus-wire.ts';

export interface ThreadGatewayBusOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly silentMs?: number;
  readonly isRecorded?: boolean;
}

interface Settling {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const LINK = 0;
/**
 * An ingest thread that answers later than this is stuck; callers get a Retry-After. Under load an answer can take
 * seconds.
 */
const SETTLE_MS_MAX = 10_000;
const RETRY_SECONDS = 5;

/** The gateway's end of the bus to the ingest thread, which may be replaced by another after a crash. */
export class ThreadGatewayBus extends MirroredBus {
  readonly #log: Log;
  readonly #settling = new Map<number, Settling>();
  #port: MessagePort | undefined;
  #topics: Topic<unknown>[] = [];
  #unpacker = new MessageUnpacker();
  /** Counts the batches taken from the current ingest thread, which reads it. */
  #taken: Int32Array = new Int32Array(1);
  #settleId = 0;
  #hasBeenAttached = false;

  constructor(options: ThreadGatewayBusOptions) {
    const nowMs = options.clock.now();
    super({ ...options, links: 1, openedAtMs: () => nowMs });
    this.#log = options.log;
  }

  /** Begins to read from an ingest thread. What the previous one published last may be missing. */
  attach(port: MessagePort): void {
    this.#port = port;
    this.#topics = [];
    this.#unpacker = new MessageUnpacker();
    if (this.#hasBeenAttached) this.local.miss(() => true);
    this.#hasBeenAttached = true;
    this.received(LINK);
    port.on('message', (message: ToGateway) => {
      if (port === this.#port) this.#receive(message);
    });
  }

  /** The ingest thread is gone: the newest messages are outdated from now on. */
  detach(): void {
    this.#close();
    this.broken(LINK);
  }

  protected override send({ name }: Topic<unknown>, message: unknown): void {
    this.#post({ kind: 'publish', name, message });
  }

  override settled(_topic: LogTopic<unknown>): Promise<void> {
    // Without an ingest thread nothing is published, so the log is complete.
    if (!this.#port) return Promise.resolve();
    this.#settleId += 1;
    const id = this.#settleId;
    const late = afterRunning(systemClock, SETTLE_MS_MAX, () => this.#settling.get(id)?.reject(stuck()));
    const answered = new Promise<void>((resolve, reject) => {
      this.#settling.set(id, { resolve, reject });
      this.#post({ kind: 'settle', id });
    });
    return answered.finally(() => {
      late.cancel();
      this.#settling.delete(id);
    });
  }

  override async republish(): Promise<void> {
    this.#post({ kind: 'republish' });
  }

  stop(): void {
    this.stopWatching();
    this.#close();
  }

  #close(): void {
    this.#port?.close();
    this.#port = undefined;
    for (const { reject } of this.#settling.values()) reject(stuck());
  }

  #post(message: ToIngest): void {
    this.#port?.postMessage(message, []);
  }

  #receive(message: ToGateway): void {
    this.received(LINK);
    if (message instanceof Float64Array) {
      this.#unpacker.continue(message, BATCH_HEAD);
      this.#receivePacked(message[1] as number, message[0] as number);
      Atomics.add(this.#taken, 0, 1);
      return;
    }
    if (message.kind === 'open') {
      this.#taken = message.taken;
      return;
    }
    if (message.kind === 'settled') {
      this.#settling.get(message.id)?.resolve();
      return;
    }
    const { atMs, isAfterLoss, topics, runs, packed } = message;
    this.#topics.push(...topics);
    if (isAfterLoss) {
      this.#log.error(
        {},
        'the gateway did not keep up with the ingest thread; subscribers are asked to reconnect',
      );
      this.local.miss(() => true);
    }
    this.#unpacker.open(packed);
    for (const run of runs) {
      if (typeof run === 'number') this.#receivePacked(run, atMs);
      else this.#receiveRun(run, atMs);
    }
    Atomics.add(this.#taken, 0, 1);
  }

  #receiveRun({ topic: number, messages }: TopicRun, atMs: number): void {
    const topic = this.#topics[number] as Topic<unknown>;
    if (topic.keep.kind === 'latest') for (const one of messages) this.receiveLatest(topic.name, one);
    else this.receiveLog({ name: topic.name, keep: topic.keep }, messages, atMs);
  }

  #receivePacked(count: number, atMs: number): void {
    for (let i = 0; i < count; i += 1) {
      const topic = this.#topics[this.#unpacker.topic()] as Topic<unknown>;
      this.local.publishPacked(topic, this.#unpacker, atMs);
    }
  }
}

function stuck(): Failure {
  return new Failure('upstream_unavailable', 'The ingest thread is not responding.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
