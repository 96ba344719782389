import type { SourceGroups } from '../health/feed-state.ts';
import type { Dated, LogTopic } from '../platform/bus.ts';
import type { StreamDefinition } from '../http/stream-definition.ts';

/** Recorded events that are no longer in the log, and where in the log the rest follows. */
export interface Recalled {
  /** Oldest first; each batch is read when it is needed. */
  readonly batches: Iterable<readonly Dated[]>;
  readonly position: number;
  /** What the tape itself reports as a gap. */
  readonly lost?: { readonly fromTs: number; readonly toTs: number };
}

/** The part of a channel that one query asks for. */
export interface Selection<Event extends Dated = Dated> {
  readonly topic: LogTopic<Event>;
  /** Two selections of a channel with the same key let the same events of the same topic through. */
  readonly key: string;
  readonly accepts: (event: Event) => boolean;
  /** What the topic is made of, where that is not what the channel says. */
  readonly sources?: SourceGroups;
  /** What a client gets of an event, where that is not what the channel says. Events of one topic have one form. */
  readonly data?: (event: Event) => object;
  /** Unknown coins of the request. */
  readonly unknown?: readonly string[];
  /** Reads what was recorded since a time and is no longer in the log. Absent: its events are not recorded. */
  readonly recall?: (fromTs: number) => Promise<Recalled | undefined>;
}

/** A line of events that clients can follow, whatever transport carries it. */
export interface Channel {
  readonly definition: StreamDefinition;
  /** Name of its events, as in `definition.events`. */
  readonly eventName: string;
  /** What it is made of: the health of these sources is its state. */
  sources(primaryVenue: string): SourceGroups;
  /** Throws a `Failure` when the query asks for what is not there. `services` is what `createStreams` was given. */
  select(query: unknown, services: unknown): Selection;
  /** What a client gets of an event. */
  data(event: Dated): object;
}
