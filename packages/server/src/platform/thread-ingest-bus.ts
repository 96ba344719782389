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
import { MessagePacker } from './packed-messages.ts';
import { systemClock } from './system-clock.ts';
import type { ToGateway, ToIngest, TopicRun } from './thread-bus-wire.ts';

/** Messages per batch: the gateway handles one in a few milliseconds. */
const BATCH_MAX = 512;
/** Batches the gateway has not taken yet. More of them would pile up in its queue, where nothing bounds them. */
const UNDER_WAY_MAX = 4;
/**
 * Messages waiting for the gateway; beyond it those of logs are dropped and reported as missed. A burst of 50,000 trades a
 * second for 5 s with its prints fits while the gateway takes nothing; it is about 70 MB.
 */
const WAITING_MAX = 300_000;
const PULSE_EVERY_MS = 1_000;

interface Waiting {
  readonly topic: Topic<unknown>;
  readonly message: unknown;
}

export interface ThreadIngestBusOptions {
  readonly clock: Clock;
  readonly port: MessagePort;
  /** Messages were dropped because the gateway did not keep up. */
  readonly onLost: (count: number) => void;
  readonly waitingMax?: number;
}

/**
 * The ingest thread's end of the bus. Listeners in the thread are called at once; everything published in one turn of
 * the event loop goes to the gateway together. Logs are kept by the gateway alone.
 */
export class ThreadIngestBus implements Bus {
  readonly #options: ThreadIngestBusOptions;
  readonly #local: LocalBus;
  readonly #numbers = new Map<string, number>();
  readonly #packer = new MessagePacker();
  readonly #pulse: Timer;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isScheduled = false;
  #isAfterLoss = false;
  #isClosed = false;

  constructor(options: ThreadIngestBusOptions) {
    const { clock, port } = options;
    this.#options = options;
    this.#local = new LocalBus(clock, () => clock.now(), { keepsLogs: false });
    port.on('message', (message: ToIngest) => this.#receive(message));
    this.#pulse = systemClock.every(PULSE_EVERY_MS, () => this.#sendIfFree());
  }

  publish<Message>(topic: Topic<Message>, message: Message): void {
    this.#local.publish(topic, message);
    if (topic.by !== 'gateway') this.#add({ topic, message });
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
    while (this.#waiting.length > 0) this.#send();
  }

  #receive(message: ToIngest): void {
    if (message.kind === 'publish')
      return this.#local.publish({ name: message.name, keep: { kind: 'latest' } }, message.message);
    if (message.kind === 'retell') {
      for (const waiting of this.#local.newest()) if (waiting.topic.by !== 'gateway') this.#add(waiting);
      return;
    }
    if (message.kind === 'taken') {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#sendIfFree();
      return;
    }
    // Everything published so far goes before the answer; the port keeps the order.
    while (this.#waiting.length > 0) this.#send();
    this.#post({ kind: 'settled', id: message.id });
  }

  #add(waiting: Waiting): void {
    if (this.#isClosed) return;
    this.#waiting.push(waiting);
    if (this.#waiting.length > (this.#options.waitingMax ?? WAITING_MAX)) this.#drop();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#underWay < UNDER_WAY_MAX && !this.#isClosed) this.#send();
    });
  }

  #sendIfFree(): void {
    if (this.#underWay < UNDER_WAY_MAX && !this.#isClosed) this.#send();
  }

  #send(): void {
    const { clock } = this.#options;
    const batch = this.#waiting.splice(0, BATCH_MAX);
    const topics: { name: string; keep: Topic<unknown>['keep'] }[] = [];
    const runs: (TopicRun | number)[] = [];
    for (const { topic, message } of batch) {
      let number = this.#numbers.get(topic.name);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(topic.name, number);
        topics.push({ name: topic.name, keep: { ...topic.keep } });
      }
      const last = runs.at(-1);
      if (isPacked(topic) && this.#packer.add(number, message as object)) {
        if (typeof last === 'number') runs[runs.length - 1] = last + 1;
        else runs.push(1);
      } else if (typeof last === 'object' && last.topic === number) last.messages.push(message);
      else runs.push({ topic: number, messages: [message] });
    }
    const isAfterLoss = this.#isAfterLoss;
    this.#isAfterLoss = false;
    this.#underWay += 1;
    this.#post({ kind: 'batch', atMs: clock.now(), isAfterLoss, topics, runs, packed: this.#packer.take() });
  }

  #post(message: ToGateway): void {
    this.#options.port.postMessage(message, []);
  }

  /** Of topics that keep only the newest message, that one stays. */
  #drop(): void {
    const newest = new Map<string, Waiting>();
    for (const waiting of this.#waiting)
      if (waiting.topic.keep.kind === 'latest') newest.set(waiting.topic.name, waiting);
    const kept = [...newest.values()];
    this.#options.onLost(this.#waiting.length - kept.length);
    this.#waiting = kept;
    this.#isAfterLoss = true;
  }
}

function isPacked({ keep }: Topic<unknown>): boolean {
  return keep.kind === 'log' && keep.isPacked === true;
}
