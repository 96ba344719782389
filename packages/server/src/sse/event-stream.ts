import type { SourceGroups } from '../health/feed-state.ts';
import type { Dated, LogTopic } from '../platform/bus.ts';
import type { StreamDefinition } from '../http/stream-definition.ts';

/** Recorded events that are no longer in the log, and where the log continues. */
export interface Recalled {
  /** Oldest first; each batch is read when it is needed. */
  readonly batches: Iterable<readonly Dated[]>;
  readonly position: number;
  /** Gap that the tape itself reports. */
  readonly lost?: { readonly fromTs: number; readonly toTs: number };
}

/** The part of a stream that one query selects. */
export interface Selection<Event extends Dated = Dated> {
  readonly topic: LogTopic<Event>;
  /** Selections of a stream with the same key select the same events of the same topic. */
  readonly key: string;
  readonly accepts: (event: Event) => boolean;
  /** The sources of the topic; default: the stream's. */
  readonly sources?: SourceGroups;
  /** Converts an event for clients; default: the stream's. All events of a topic use the same function. */
  readonly data?: (event: Event) => object;
  /** Unknown coins of the request. */
  readonly unknown?: readonly string[];
  /** Reads recorded events since a time that are no longer in the log. Absent: events are not recorded. */
  readonly recall?: (fromTs: number) => Promise<Recalled | undefined>;
}

/** A sequence of events that clients can follow, independent of the transport. */
export interface EventStream {
  readonly definition: StreamDefinition;
  /** Name of its events, as in `definition.events`. */
  readonly eventName: string;
  /** Its sources, whose health is its state. */
  sources(primaryVenue: string): SourceGroups;
  /** Throws a `Failure` if the query is invalid or names unknown data. `services` is what `createStreams` got. */
  select(query: unknown, services: unknown): Selection;
  /** Converts an event for clients. */
  data(event: Dated): object;
}
