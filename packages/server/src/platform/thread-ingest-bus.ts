import type { MessagePort } from 'node:worker_threads';
import type { Clock, Timer } from '@crosstape/core';
import type {
  Bus,
  Dated,
  LatestTopic,
  LogTopic,
  MissedListener,
  Retained,
  Topic,
  Unsubscribe,
} from './bus.ts';
import type { EventLog } from './event-log.ts';
import { LocalBus } from './local-bus.ts';
import { MessagePacker, type PackedMessages } from './packed-messages.ts';
import { systemClock } from './system-clock.ts';
import { BATCH_HEAD, type ToGateway, type ToIngest, type TopicRun } from './thread-bus-wire.ts';

/** Messages per batch: the gateway handles one in a few milliseconds. */
const BATCH_MAX = 512;
/** Batches that the gateway has not taken yet. More would pile up in its unbounded queue. */
const UNDER_WAY_MAX = 4;
/**
 * Messages waiting for the gateway; beyond it those of logs are dropped and reported as missed. A burst of 50,000 trades a
 * second for 5 s with its prints fits while the gateway takes nothing; it is about 30 MB.
 */
const WAITING_MAX = 300_000;
/**
 * The first message after a pause is sent at once, those that follow together after this time: a batch costs both threads
 * as much as some dozens of messages.
 */
const SEND_EVERY_MS = 10;
const PULSE_EVERY_MS = 1_000;

/** Messages that go together. */
interface Batch {
  readonly count: number;
  readonly runs: readonly (TopicRun | number)[];
  readonly values: PackedMessages['values'];
}

export interface ThreadIngestBusOptions {
  readonly clock: Clock;
  readonly port: MessagePort;
  /** Messages were dropped because the gateway did not keep up. */
  readonly onLost: (count: number) => void;
  readonly waitingMax?: number;
}

/**
 * The ingest thread's end of the bus. Listeners in the thread are called at once; what is published goes to the gateway in
 * batches. Flat messages are packed when they are published: waiting messages are not objects, which V8 would copy and mark.
 * Logs are kept by the gateway alone.
 */
export class ThreadIngestBus implements Bus {
  readonly #options: ThreadIngestBusOptions;
  readonly #local: LocalBus;
  readonly #numbers = new Map<string, number>();
  /** By number. */
  readonly #topics: Topic<unknown>[] = [];
  /** How many of them the gateway knows. */
  #topicsSent = 0;
  readonly #packer = new MessagePacker();
  readonly #pulse: Timer;
  /** Full batches, oldest first. */
  #batches: Batch[] = [];
  /** Runs of the batch that is being filled, but for the packed messages at its end. */
  #runs: (TopicRun | number)[] = [];
  #packedLast = 0;
  #count = 0;
  /** Messages in all batches. */
  #waiting = 0;
  /** Batches sent, and batches taken as counted by the gateway: a message per batch would cost both threads more. */
  #sent = 0;
  readonly #taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #isScheduled = false;
  /** Set for a while after each send. */
  #resting: Timer | undefined;
  #isAfterLoss = false;
  #isClosed = false;

  constructor(options: ThreadIngestBusOptions) {
    const { clock, port } = options;
    this.#options = options;
    this.#local = new LocalBus(clock, () => clock.now(), { keepsLogs: false });
    this.#post({ kind: 'open', taken: this.#taken });
    port.on('message', (message: ToIngest) => this.#receive(message));
    this.#pulse = systemClock.every(PULSE_EVERY_MS, () => {
      if (this.#hasRoom()) this.#send();
    });
  }

  publish<Message>(topic: Topic<Message>, message: Message): void {
    this.#local.publish(topic, message);
    if (topic.by !== 'gateway') this.#add(topic, message);
  }

  subscribe<Message>(topic: Topic<Message>, listener: (message: Message) => void): Unsubscribe {
    return this.#local.subscribe(topic, listener);
  }

  latest<Message>(topic: LatestTopic<Message>): Retained<Message> | undefined {
    return this.#local.latest(topic);
  }

  log<Message extends Dated>({ name }: LogTopic<Message>): EventLog<Message> {
    throw new Error(`the log of ${name} is kept by the gateway, not by the ingest thread`);
  }

  onMissed(listener: MissedListener): Unsubscribe {
    return this.#local.onMissed(listener);
  }

  async settled(): Promise<void> {}

  /** Sends what is left. The port stays open until the thread ends, so that all of it arrives. */
  close(): void {
    this.#isClosed = true;
    this.#pulse.cancel();
    this.#resting?.cancel();
    while (this.#waiting > 0) this.#send();
  }

  #receive(message: ToIngest): void {
    if (message.kind === 'publish')
      return this.#local.publish({ name: message.name, keep: { kind: 'latest' } }, message.message);
    if (message.kind === 'republish') {
      for (const { topic, message: newest } of this.#local.newest())
        if (topic.by !== 'gateway') this.#add(topic, newest);
      return;
    }
    // Everything published so far goes before the answer; the port keeps the order.
    while (this.#waiting > 0) this.#send();
    this.#post({ kind: 'settled', id: message.id });
  }

  #add(topic: Topic<unknown>, message: unknown): void {
    if (this.#isClosed) return;
    const number = this.#numberOf(topic);
    if (isPacked(topic) && this.#packer.add(number, message as object)) this.#packedLast += 1;
    else this.#addObject(number, message);
    this.#count += 1;
    this.#waiting += 1;
    if (this.#count >= BATCH_MAX) this.#batches.push(this.#takeBatch());
    if (this.#waiting > (this.#options.waitingMax ?? WAITING_MAX)) this.#drop();
    if (this.#isScheduled || this.#resting) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sendWaiting();
    });
  }

  #addObject(topic: number, message: unknown): void {
    const last = this.#packedLast === 0 ? this.#runs.at(-1) : undefined;
    this.#endPacked();
    if (typeof last === 'object' && last.topic === topic) last.messages.push(message);
    else this.#runs.push({ topic, messages: [message] });
  }

  #endPacked(): void {
    if (this.#packedLast > 0) this.#runs.push(this.#packedLast);
    this.#packedLast = 0;
  }

  #numberOf(topic: Topic<unknown>): number {
    let number = this.#numbers.get(topic.name);
    if (number === undefined) {
      number = this.#topics.push(topic) - 1;
      this.#numbers.set(topic.name, number);
    }
    return number;
  }

  /** Whether another batch may be in flight. Both counts wrap at 32 bits. */
  #hasRoom(): boolean {
    return ((this.#sent - Atomics.load(this.#taken, 0)) | 0) < UNDER_WAY_MAX;
  }

  /** Sends as many batches as the gateway may have in flight, then pauses. */
  #sendWaiting(): void {
    if (this.#waiting === 0 || this.#isClosed) return;
    while (this.#waiting > 0 && this.#hasRoom()) this.#send();
    this.#resting = systemClock.after(SEND_EVERY_MS, () => {
      this.#resting = undefined;
      this.#sendWaiting();
    });
  }

  /** Sends the oldest batch, even if partial or empty. */
  #send(): void {
    const { count, runs, values } = this.#batches.shift() ?? this.#takeBatch();
    this.#waiting -= count;
    this.#sent = (this.#sent + 1) | 0;
    const atMs = this.#options.clock.now();
    const isNew = this.#topicsSent < this.#topics.length || this.#packer.hasNew;
    if (!isNew && !this.#isAfterLoss && runs.length === 1 && runs[0] === count) {
      const batch = new Float64Array(BATCH_HEAD + values.length);
      batch[0] = atMs;
      batch[1] = count;
      batch.set(values, BATCH_HEAD);
      return this.#post(batch);
    }
    const topics = this.#topics
      .slice(this.#topicsSent)
      .map(({ name, keep }) => ({ name, keep: { ...keep } }));
    this.#topicsSent = this.#topics.length;
    const packed = { values, ...this.#packer.takeNew() };
    const isAfterLoss = this.#isAfterLoss;
    this.#isAfterLoss = false;
    this.#post({ kind: 'batch', atMs, isAfterLoss, topics, runs, packed });
  }

  #takeBatch(): Batch {
    this.#endPacked();
    const batch = { count: this.#count, runs: this.#runs, values: this.#packer.take() };
    this.#runs = [];
    this.#count = 0;
    return batch;
  }

  #post(message: ToGateway): void {
    this.#options.port.postMessage(message, []);
  }

  /** Keeps the newest message of topics that retain only that. */
  #drop(): void {
    const newest = new Map<number, unknown>();
    const waiting = this.#waiting;
    for (const { runs } of [...this.#batches, this.#takeBatch()])
      for (const run of runs) {
        const topic = typeof run === 'object' ? this.#topics[run.topic] : undefined;
        if (typeof run === 'object' && topic?.keep.kind === 'latest')
          newest.set(run.topic, run.messages.at(-1));
      }
    this.#batches = [];
    this.#runs = [...newest].map(([topic, message]) => ({ topic, messages: [message] }));
    this.#count = newest.size;
    this.#waiting = newest.size;
    this.#isAfterLoss = true;
    this.#options.onLost(waiting - newest.size);
  }
}

function isPacked({ keep }: Topic<unknown>): boolean {
  return keep.kind === 'log' && keep.isPacked === true;
}
