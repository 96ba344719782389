import type { Dated } from '../platform/bus.ts';
import type { EventLog } from '../platform/event-log.ts';
import type { Selection } from './event-stream.ts';
import { type Task, type WriteScheduler, WRITE_COST_BYTES } from '../platform/write-scheduler.ts';

/** Size of the part of the log encoded per step. */
export const SLICE_CHARS_MAX = 65_536;
export const SLICE_EVENTS_MAX = 1_024;
/** Events times groups checked per step. */
const SLICE_CHECKS_MAX = 131_072;
const WRITES_PER_STEP_MAX = 16;
/** Cached encoded events, for groups and for clients that catch up. */
const ENCODED_MAX = 4_096;

/** A client that has received everything that the feed has delivered. */
export interface Follower {
  write(bytes: Uint8Array): void;
  cut(): void;
  /** Everything before the id has been written: sends a pending heartbeat or the last event. */
  sendDue(id: number): void;
}

interface Group {
  readonly accepts: Selection['accepts'];
  readonly members: Set<Follower>;
  /** Snapshot of the members; replaced after a change, so that a delivery keeps its own. */
  list: readonly Follower[] | undefined;
}

/** Bytes being delivered to the members of a group, a few at a time. */
interface Delivery {
  readonly bytes: Uint8Array;
  readonly to: readonly Follower[];
  written: number;
}

export interface SseFeedOptions {
  readonly log: EventLog<Dated>;
  readonly scheduler: WriteScheduler;
  encode(event: Dated): string;
  readonly onDelivered: (events: number) => void;
}

/**
 * Delivers a topic to its followers. They are grouped by selection; in each turn everything new is encoded once, joined
 * per group, and written once per socket.
 */
export class SseFeed implements Task {
  readonly log: EventLog<Dated>;
  readonly #scheduler: WriteScheduler;
  readonly #options: SseFeedOptions;
  readonly #groups = new Map<string, Group>();
  readonly #due = new Set<Follower>();
  readonly #encoded: { readonly position: number; readonly frame: string }[] = [];
  readonly #deliveries: Delivery[] = [];
  #position: number;

  constructor(options: SseFeedOptions) {
    this.#options = options;
    this.log = options.log;
    this.#scheduler = options.scheduler;
    this.#position = options.log.end;
  }

  /** Everything before it has been delivered. */
  get position(): number {
    return this.#position;
  }

  /** The log has new events. */
  wake(): void {
    this.#scheduler.add(this);
  }

  /** From `position` on. */
  join(follower: Follower, { key, accepts }: Selection): void {
    let group = this.#groups.get(key);
    if (!group) {
      group = { accepts, members: new Set(), list: undefined };
      this.#groups.set(key, group);
    }
    group.members.add(follower);
    group.list = undefined;
  }

  leave(follower: Follower, { key }: Selection): void {
    this.#due.delete(follower);
    const group = this.#groups.get(key);
    if (!group?.members.delete(follower)) return;
    group.list = undefined;
    if (group.members.size === 0) this.#groups.delete(key);
  }

  /** Calls a follower's `sendDue` as soon as no delivery to it is in progress. */
  sendDueWhenIdle(follower: Follower): void {
    this.#due.add(follower);
    this.#scheduler.add(this);
  }

  /** Encodes the event at a position that the log still has. */
  frame(position: number, event: Dated): string {
    const slot = position % ENCODED_MAX;
    const known = this.#encoded[slot];
    if (known?.position === position) return known.frame;
    const frame = this.#options.encode(event);
    this.#encoded[slot] = { position, frame };
    return frame;
  }

  step(): number | undefined {
    const delivery = this.#deliveries.at(-1);
    if (delivery) return this.#deliver(delivery);
    if (this.#position < this.log.end) return this.#takeSlice();
    if (this.#due.size > 0) return this.#sendDue();
    return undefined;
  }

  #takeSlice(): number {
    if (this.#position < this.log.start) this.#cutAll();
    if (this.#groups.size === 0) {
      this.#position = this.log.end;
      return 0;
    }
    const parts = [...this.#groups.values()].map((group) => ({ group, text: '', events: 0 }));
    const events = Math.max(1, Math.min(SLICE_EVENTS_MAX, Math.floor(SLICE_CHECKS_MAX / parts.length)));
    let chars = 0;
    for (const event of this.log.read(this.#position, events)) {
      let frame: string | undefined;
      for (const part of parts) {
        if (!part.group.accepts(event)) continue;
        frame ??= this.frame(this.#position, event);
        part.text += frame;
        part.events += 1;
      }
      this.#position += 1;
      chars += frame?.length ?? 0;
      if (chars >= SLICE_CHARS_MAX) break;
    }
    for (const part of parts) if (part.events > 0) this.#send(part.group, part.text, part.events);
    return chars;
  }

  #send(group: Group, text: string, events: number): void {
    group.list ??= [...group.members];
    this.#deliveries.push({ bytes: Buffer.from(text), to: group.list, written: 0 });
    this.#options.onDelivered(events * group.list.length);
  }

  /** Continues the last delivery by a few writes. */
  #deliver(delivery: Delivery): number {
    const { bytes, to } = delivery;
    const followers = to.slice(delivery.written, delivery.written + WRITES_PER_STEP_MAX);
    for (const follower of followers) follower.write(bytes);
    delivery.written += followers.length;
    if (delivery.written === to.length) this.#deliveries.pop();
    return followers.length * (WRITE_COST_BYTES + bytes.length);
  }

  #sendDue(): number {
    const id = this.log.idAt(this.#position);
    let sent = 0;
    for (const follower of this.#due) {
      if (sent >= WRITES_PER_STEP_MAX) break;
      this.#due.delete(follower);
      follower.sendDue(id);
      sent += 1;
    }
    return sent * WRITE_COST_BYTES;
  }

  /** More was published within one turn than the log keeps: followers would miss events. */
  #cutAll(): void {
    this.#position = this.log.start;
    for (const { members } of this.#groups.values()) {
      for (const follower of members) follower.cut();
    }
  }
}
