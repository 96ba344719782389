import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TObject } from 'typebox';
import type { FailureCode } from '../platform/errors.ts';

/** A stream, independent of its transport. */
export interface StreamDefinition<Query extends TObject = TObject> {
  /** Below the base address: `/streams/trades`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Parsed with `readQuery`. */
  readonly query: Query;
  /** Schema of the data of each event, by event name. */
  readonly events: Readonly<Record<string, TObject>>;
  /** Failures before the first event, besides those of every path. */
  readonly errors: readonly FailureCode[];
}

/** An admitted request for a stream, with its key checked. */
export interface StreamOpening {
  readonly definition: StreamDefinition;
  /** The raw query string, without `?`. */
  readonly search: string;
  /** The caller, to limit streams per caller. */
  readonly caller: string;
  /** Sent with the answer: name, value, name, value. */
  readonly headers: readonly string[];
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What the HTTP server needs from the streams. */
export interface Streams {
  readonly definitions: readonly StreamDefinition[];
  /** Takes over the response. Throws a `Failure` before anything is written. */
  open(opening: StreamOpening): void;
  /** Numbers for the metrics, by name. */
  counts(): Readonly<Record<string, number>>;
  close(reason: string): Promise<void>;
}
