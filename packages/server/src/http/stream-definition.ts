import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TObject } from 'typebox';
import type { FailureCode } from '../platform/errors.ts';

/** What a stream is, apart from the transport that carries it. */
export interface StreamDefinition<Query extends TObject = TObject> {
  /** Below the base address: `/streams/trades`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Read with `readQuery`. */
  readonly query: Query;
  /** Schema of the data of each event, by event name. */
  readonly events: Readonly<Record<string, TObject>>;
  /** Failures before the first event, besides those of every path. */
  readonly errors: readonly FailureCode[];
}

/** A request for a stream that the HTTP server lets through: counted, its key looked at. */
export interface StreamOpening {
  readonly definition: StreamDefinition;
  /** The raw query string, without `?`. */
  readonly search: string;
  /** Who asks, for a bound on the streams of one caller. */
  readonly caller: string;
  /** Sent as they are with the answer: name, value, name, value. */
  readonly headers: readonly string[];
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What the HTTP server knows of the streams. */
export interface Streams {
  readonly definitions: readonly StreamDefinition[];
  /** Takes the response over. Throws a `Failure` while nothing has been written. */
  open(opening: StreamOpening): void;
  /** Numbers for the metrics, by name. */
  counts(): Readonly<Record<string, number>>;
  close(reason: string): Promise<void>;
}
