import type {
  CarriedTopics,
  FeedChange,
  FeedEvent,
  ReceivedFrame,
  RefusedFrame,
  SocketChange,
} from '../../ingest/feed-sink.ts';

/** A few seconds of the busiest market; beyond it the oldest are dropped, and `open` reports it. */
const FRAMES_MAX = 200_000;

/** Events of sockets, without derived ones. */
export type SocketEvent = ReceivedFrame | RefusedFrame | SocketChange;

export function isSocketEvent(event: FeedEvent): event is SocketEvent {
  return event.type === 'frame' || event.type === 'refused' || event.type === 'socket';
}

/** A recorder's input: received events, and when the feed was up. */
export type BufferedEvent = SocketEvent | FeedChange | CarriedTopics;

export interface BufferingSinkOptions {
  /** For a standby, which may buffer forever: how far back the buffer reaches. */
  readonly keepMs?: number;
}

/** Buffers events of sockets until a receiver is ready. */
export class BufferingSink<Event extends BufferedEvent = SocketEvent> {
  readonly #keepMs: number;
  #to: ((event: Event) => void) | undefined;
  #events: Event[] = [];
  #droppedUntilMs: number | undefined;
  #trimmedMs: number | undefined;

  constructor({ keepMs = Number.POSITIVE_INFINITY }: BufferingSinkOptions = {}) {
    this.#keepMs = keepMs;
  }

  receive(event: Event): void {
    if (this.#to) return this.#to(event);
    this.#trim(timeOf(event));
    if (!isState(event) && this.#events.length >= FRAMES_MAX) this.#dropHalf();
    this.#events.push(event);
  }

  /**
   * Passes on the buffer in order, and from then on every event at once. Frames before `sinceMs` are already recorded
   * and are skipped. Returns the time up to which frames are lost.
   */
  open(to: (event: Event) => void, sinceMs = Number.NEGATIVE_INFINITY): { readonly droppedUntilMs?: number } {
    this.#to = to;
    for (const event of this.#events) if (isState(event) || timeOf(event) >= sinceMs) to(event);
    this.#events = [];
    return this.#droppedUntilMs === undefined ? {} : { droppedUntilMs: this.#droppedUntilMs };
  }

  #trim(nowMs: number): void {
    this.#trimmedMs ??= nowMs;
    if (nowMs - this.#trimmedMs < 2 * this.#keepMs) return;
    this.#trimmedMs = nowMs - this.#keepMs;
    this.#cut(this.#trimmedMs);
  }

  #dropHalf(): void {
    this.#droppedUntilMs = timeOf(this.#events[FRAMES_MAX / 2] as Event);
    this.#cut(this.#droppedUntilMs + 1);
  }

  /** Drops everything before a time, and dates open states as if they began at that time. */
  #cut(cutMs: number): void {
    const up = new Map<string, Event>();
    const kept: Event[] = [];
    for (const event of this.#events) {
      if (timeOf(event) >= cutMs) kept.push(event);
      else if (event.type === 'carried') noteCarried(up, event);
      else if (isChange(event)) {
        const name = nameOf(event);
        if (event.kind === 'up') up.set(name, { ...event, atMs: cutMs });
        else up.delete(name);
      }
    }
    this.#events = [...up.values(), ...kept];
  }
}

/** Whether an event is a state rather than a moment. */
function isState(event: BufferedEvent): boolean {
  return isChange(event) || event.type === 'carried';
}

/** Removes the topics of a connected feed from the awaited ones. */
function noteCarried<Event extends BufferedEvent>(
  up: Map<string, Event>,
  { venue, feed, topics }: CarriedTopics,
): void {
  const name = `${venue} ${feed} `;
  const change = up.get(name);
  if (change?.type !== 'feed' || !change.awaiting) return;
  up.set(name, { ...change, awaiting: change.awaiting.filter((topic) => !topics.includes(topic)) });
}

function isChange<Event extends BufferedEvent>(event: Event): event is Event & (SocketChange | FeedChange) {
  return event.type === 'socket' || event.type === 'feed';
}

function nameOf(change: SocketChange | FeedChange): string {
  return `${change.venue} ${change.feed} ${change.type === 'socket' ? change.socket : ''}`;
}

function timeOf(event: BufferedEvent): number {
  return event.type === 'frame' ? event.receivedAtMs : event.atMs;
}
