import type { FeedState } from '../health/feed-state.ts';
import type { FeedWatch } from '../health/feed-states.ts';
import { type Task, type WriteScheduler } from '../platform/write-scheduler.ts';
import {
  type TopicRequest,
  type GatewayChannel,
  marketOf,
  type Notice,
  paramsOf,
  type Source,
  type Update,
} from './gateway-channel.ts';
import { encodeMessage, type Format } from './wire-frame.ts';

/** Base of `seq`: above the trades of any hour, so that trades recorded earlier have one too. */
const SEQ_BEFORE_FIRST = 1_000_000_000;
/** Updates queued within one turn of the event loop before they are delivered. */
const PENDING_MAX = 4_096;

/**
 * Followers that get a batch before it is written: few enough to stay in the processor's cache, and more than most
 * topics have, so that data of several topics are joined in one write.
 */
const FOLLOWERS_PER_STEP = 128;
/** Cost of one delivery, in the bytes by which the scheduler divides time. */
const HANDING_COST_BYTES = 64;

/** Recent notices, replayed to late joiners. */
const NOTICES_KEPT = 64;

/** A subscriber of a topic. */
export interface Follower {
  readonly format: Format;
  deliver(bytes: Buffer, frames: number): void;
  /** Sends a status frame, also to a client that is too slow for data. */
  deliverStatus(bytes: Buffer, state: FeedState): void;
}

/** Updates on their way to subscribers. */
interface Batch {
  readonly frames: number;
  /** Followers not yet served. */
  readonly followers: Iterator<Follower>;
  bytes(format: Format): Buffer;
}

export interface TopicOptions {
  readonly channel: GatewayChannel;
  readonly request: TopicRequest;
  readonly scheduler: WriteScheduler;
  /** `seq` of the last frame published under this name. */
  readonly seq?: number;
}

/**
 * One topic: channel, symbol or market, and parameters. Updates published within a turn of the event loop are encoded
 * once per format in use, joined, and passed to all followers.
 */
export class Topic implements Task {
  readonly channel: GatewayChannel;
  readonly request: TopicRequest;
  readonly #scheduler: WriteScheduler;
  readonly #live = new Set<Follower>();
  #source: Source | undefined;
  #feed: FeedWatch | undefined;
  #pending: Update[] = [];
  #batch: Batch | undefined;
  #seq: number;
  #notices: readonly Notice[] = [];
  #noticed = 0;

  constructor({ channel, request, scheduler, seq = SEQ_BEFORE_FIRST }: TopicOptions) {
    this.channel = channel;
    this.request = request;
    this.#scheduler = scheduler;
    this.#seq = seq;
  }

  get source(): Source | undefined {
    return this.#source;
  }

  /** Call once, before anything is published. */
  begin(source: Source): void {
    this.#source = source;
    if (source.published !== undefined) this.#seq = SEQ_BEFORE_FIRST + source.published;
    source.listen?.((notice) => this.#notify(notice));
  }

  /** Call once: from then on state changes of the feed are sent to subscribers. */
  watch(watchFeed: (onChange: (state: FeedState) => void) => FeedWatch): void {
    this.#feed = watchFeed((state) => this.#sendStatus(state));
  }

  close(): void {
    this.#feed?.stop();
    this.#source?.close();
  }

  /** Notices sent so far. */
  get noticed(): number {
    return this.#noticed;
  }

  /** The notices after the first `count`, as far as they are kept. */
  noticesAfter(count: number): readonly Notice[] {
    const missed = this.#noticed - count;
    return missed > 0 ? this.#notices.slice(-missed) : [];
  }

  /** The `seq` of the last frame published. */
  get seq(): number {
    return this.#seq;
  }

  publish(update: Update): void {
    this.#seq += 1;
    if (this.#live.size === 0) return;
    if (this.#pending.length === 0) this.#scheduler.add(this);
    this.#pending.push(update);
    if (this.#pending.length >= PENDING_MAX) this.flush();
  }

  /** Adds a follower from the next frame on; earlier updates are first delivered to the others. */
  join(follower: Follower): void {
    this.flush();
    this.#live.add(follower);
  }

  leave(follower: Follower): void {
    this.#live.delete(follower);
  }

  #notify(notice: Notice): void {
    this.#noticed += 1;
    this.#notices = [...this.#notices, notice].slice(-NOTICES_KEPT);
    this.flush();
    const { type, ...fields } = notice;
    const { symbol } = this.request;
    const frame = { type, channel: this.channel.name, symbol, ...marketOf(this.request), ...fields };
    this.#batch = this.#batchOf((format) => encodeMessage(frame, format), 1);
    this.flush();
  }

  /** Sends a status to all subscribers, after the data published before the change. */
  #sendStatus(state: FeedState): void {
    this.flush();
    const encoded: Partial<Record<Format, Buffer>> = {};
    for (const follower of this.#live) {
      follower.deliverStatus((encoded[follower.format] ??= this.statusFrame(state, follower.format)), state);
    }
  }

  statusFrame(state: FeedState, format: Format): Buffer {
    const { channel, request } = this;
    const topic = { channel: channel.name, symbol: request.symbol, ...paramsOf(channel, request) };
    return encodeMessage({ type: 'status', ...topic, ...state }, format);
  }

  /** The state of its sources; `undefined` if they are not watched. */
  get feedState(): FeedState | undefined {
    return this.#feed?.current;
  }

  step(): number | undefined {
    return this.#handOn(FOLLOWERS_PER_STEP);
  }

  /** Delivers all published updates. */
  flush(): void {
    while (this.#handOn(Number.POSITIVE_INFINITY) !== undefined);
  }

  /** Delivers published updates to the next followers; later updates come after them. */
  #handOn(followersMax: number): number | undefined {
    const batch = (this.#batch ??= this.#nextBatch());
    if (!batch) return undefined;
    for (let handed = 0; handed < followersMax; handed += 1) {
      const next = batch.followers.next();
      if (next.done) {
        this.#batch = undefined;
        return this.#pending.length > 0 ? handed * HANDING_COST_BYTES : undefined;
      }
      next.value.deliver(batch.bytes(next.value.format), batch.frames);
    }
    return followersMax * HANDING_COST_BYTES;
  }

  #nextBatch(): Batch | undefined {
    const updates = this.#pending;
    if (updates.length === 0) return undefined;
    this.#pending = [];
    const firstSeq = this.#seq - updates.length + 1;
    return this.#batchOf((format) => this.frames(updates, firstSeq, format), updates.length);
  }

  #batchOf(encode: (format: Format) => Buffer, frames: number): Batch {
    const encoded: Partial<Record<Format, Buffer>> = {};
    const bytes = (format: Format): Buffer => (encoded[format] ??= encode(format));
    return { frames, followers: this.#live.values(), bytes };
  }

  /** The state after everything published; `undefined` if there is none. */
  snapshot(format: Format): Buffer | undefined {
    const update = this.#source?.snapshot?.();
    return update && this.frames([update], this.#seq, format);
  }

  /** Encodes data frames with consecutive seqs. */
  frames(updates: readonly Update[], firstSeq: number, format: Format): Buffer {
    const { name } = this.channel;
    const { symbol } = this.request;
    const market = marketOf(this.request);
    const frames = updates.map(({ ts, payload }, i) =>
      encodeMessage(
        { type: 'data', channel: name, symbol, ...market, seq: firstSeq + i, ts, payload },
        format,
      ),
    );
    return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
  }
}
