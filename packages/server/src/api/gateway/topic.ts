import { type Task, type Turns } from '../transport/sse-turns.ts';
import type { Ask, GatewayChannel, Notice, Source, Update } from './gateway-channel.ts';
import { encodeMessage, type Format } from './wire-frame.ts';

/** Where `seq` begins: at more than an hour can have of trades, so that those recorded before have one, too. */
const SEQ_BEFORE_FIRST = 1_000_000_000;
/** What is published within one turn of the event loop before it is handed on. */
const PENDING_MAX = 4_096;

/** Notices that somebody may have missed who catches up. */
const NOTICES_KEPT = 64;

/** Somebody who follows a topic. */
export interface Follower {
  readonly format: Format;
  deliver(bytes: Buffer, frames: number): void;
}

export interface TopicOptions {
  readonly channel: GatewayChannel;
  readonly ask: Ask;
  readonly turns: Turns;
  /** `seq` of the last frame that was published under this name. */
  readonly seq?: number;
}

/**
 * One topic: channel, symbol and parameters. What its source publishes within a turn of the event loop is encoded once
 * for each format that is in use, joined, and handed to all that follow.
 */
export class Topic implements Task {
  readonly channel: GatewayChannel;
  readonly ask: Ask;
  readonly #turns: Turns;
  readonly #live = new Set<Follower>();
  #source: Source | undefined;
  #pending: Update[] = [];
  #seq: number;
  #notices: readonly Notice[] = [];
  #noticed = 0;

  constructor({ channel, ask, turns, seq = SEQ_BEFORE_FIRST }: TopicOptions) {
    this.channel = channel;
    this.ask = ask;
    this.#turns = turns;
    this.#seq = seq;
  }

  get source(): Source | undefined {
    return this.#source;
  }

  /** To be called once, before anything is published. */
  begin(source: Source): void {
    this.#source = source;
    if (source.published !== undefined) this.#seq = SEQ_BEFORE_FIRST + source.published;
    source.listen?.((notice) => this.#tell(notice));
  }

  /** What was said beside the data so far. */
  get noticed(): number {
    return this.#noticed;
  }

  /** The notices after the first so many, as far as they are kept. */
  noticesAfter(count: number): readonly Notice[] {
    const missed = this.#noticed - count;
    return missed > 0 ? this.#notices.slice(-missed) : [];
  }

  /** Of the last frame published. */
  get seq(): number {
    return this.#seq;
  }

  publish(update: Update): void {
    this.#seq += 1;
    if (this.#live.size === 0) return;
    if (this.#pending.length === 0) this.#turns.add(this);
    this.#pending.push(update);
    if (this.#pending.length >= PENDING_MAX) this.flush();
  }

  /** From the next frame on; what was published before it has been handed to the others. */
  join(follower: Follower): void {
    this.flush();
    this.#live.add(follower);
  }

  leave(follower: Follower): void {
    this.#live.delete(follower);
  }

  #tell(notice: Notice): void {
    this.#noticed += 1;
    this.#notices = [...this.#notices, notice].slice(-NOTICES_KEPT);
    this.flush();
    const { type, ...fields } = notice;
    const frame = { type, channel: this.channel.name, symbol: this.ask.symbol, ...fields };
    this.#deliver((format) => encodeMessage(frame, format), 1);
  }

  step(): undefined {
    this.flush();
  }

  /** Hands everything published on to the followers. */
  flush(): void {
    const updates = this.#pending;
    if (updates.length === 0) return;
    this.#pending = [];
    const firstSeq = this.#seq - updates.length + 1;
    this.#deliver((format) => this.frames(updates, firstSeq, format), updates.length);
  }

  #deliver(encode: (format: Format) => Buffer, frames: number): void {
    const encoded: Partial<Record<Format, Buffer>> = {};
    for (const follower of this.#live) {
      follower.deliver((encoded[follower.format] ??= encode(follower.format)), frames);
    }
  }

  /** The state after everything published; `undefined` while there is none. */
  snapshot(format: Format): Buffer | undefined {
    const update = this.#source?.snapshot?.();
    return update && this.frames([update], this.#seq, format);
  }

  /** Data frames with consecutive seqs, one behind the other. */
  frames(updates: readonly Update[], firstSeq: number, format: Format): Buffer {
    const { name } = this.channel;
    const { symbol } = this.ask;
    const frames = updates.map(({ ts, payload }, i) =>
      encodeMessage({ type: 'data', channel: name, symbol, seq: firstSeq + i, ts, payload }, format),
    );
    return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
  }
}
