import type { Harvest, Instrument, TableName, VenueIdentity, VenueTrade } from '@crosstape/core';

/** Thrown by a parser that does not understand what the venue said. The engine counts it and turns the source's health. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

export interface VenueRequest {
  readonly method: 'GET' | 'POST';
  /** Appended to the venue's `rest` origin. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Something a venue answers over REST. */
export interface Resource {
  readonly name: string;
  /** `always`: polled on its cadence; `demand`: only while somebody asks for it. */
  readonly polled: 'always' | 'demand';
  readonly everyMs: number;
  /** The tables that its answers fill. */
  readonly gives: readonly TableName[];
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  readonly request: VenueRequest;
  /** Throws `Malformed`. `receivedAtMs` is for values that the venue leaves undated. */
  parse(body: unknown, receivedAtMs: number): Harvest;
}

/** What one frame of a feed turned out to be. */
export type Frame =
  | { readonly kind: 'trades'; readonly trades: readonly VenueTrade[]; readonly isBackfill: boolean }
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'subscribed'; readonly topic: string }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** A socket subscription to something that a venue pushes. */
export interface Feed {
  readonly name: string;
  /** Appended to the venue's `ws` origin. */
  readonly path: string;
  /** Independent sockets that carry the same topics, so that one reconnect makes no hole. */
  readonly sockets: number;
  /** What to subscribe to, given what the venue lists; one text per topic. */
  topics(instruments: readonly Instrument[]): readonly string[];
  /** The frame that subscribes to, or leaves, a topic. */
  subscribe(topic: string): string;
  unsubscribe(topic: string): string;
  /** Sent every so often to keep the connection open; the answer proves that the peer lives. */
  readonly ping: { readonly everyMs: number; readonly frame: string };
  /** Silence longer than this is a stall whatever the feed's usual rate; a busy feed is called stalled sooner. */
  readonly silentMaxMs: number;
  /** A fresh parser for each connection, so that one may remember what it has seen. Never throws. */
  open(): (frame: string) => Frame;
}

/** The venue's published limits, which the engine keeps. */
export interface Limits {
  readonly weightPerMinute: number;
  readonly requestsInFlight: number;
  readonly connectionsPerMinute: number;
  readonly messagesPerMinute: number;
}

/** How a venue's wire is spoken: a plain value. One engine runs all of them. */
export interface Connector {
  readonly origins: { readonly rest: string; readonly ws: string };
  readonly limits: Limits;
  readonly resources: readonly Resource[];
  readonly feeds: readonly Feed[];
}

export interface Venue extends VenueIdentity {
  /** Absent while the venue is known by name only. */
  readonly connector?: Connector;
}
