import type { Clock } from '@crosstape/core';
import type { TObject, TProperties, TSchema } from 'typebox';
import type { SourceGroups } from '../health/feed-state.ts';
import type { SocketCaller } from '../http/gate.ts';
import type { Bus } from '../platform/bus.ts';
import type { Log } from '../platform/log.ts';

/** A message of a topic, and its time. */
export interface Update<Payload = unknown> {
  readonly ts: number;
  /** Encoded as JSON and msgpack: an absent field is left out, never `undefined`. */
  readonly payload: Payload;
}

/** A coin of the primary venue or, with `market`, a market of that coin; both as the service spells them. */
export type TopicName = { readonly symbol: string; readonly market?: string | undefined };

/** A validated request for a topic: its name and the channel's own parameters, with defaults. */
export type TopicRequest<Params = unknown> = Params & TopicName;

/** Available to the sources of every channel. Features add their readers. */
export interface ChannelContext {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  /** Id of the venue whose coins are the symbols. */
  readonly primaryVenue: string;
  /** The client that a source is opened for. */
  readonly caller?: SocketCaller;
}

/** What determines the sources of a topic. */
export type SourceContext = Pick<ChannelContext, 'primaryVenue' | 'bus'>;

/** `one`: a market; `any`: a market, or every recorded market of a coin. */
export type MarketScope = 'one' | 'any';

/** A frame beside the data of a topic: its type and fields, without channel and symbol. */
export type Notice = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The source of one topic: opened for the first follower, closed after the last.
 *
 * A source with a `snapshot` is state: a client that joins or was too slow gets the snapshot and continues from there.
 * One without is a sequence of events: no subscriber misses any silently.
 */
export interface Source<Payload = unknown> {
  /** No subscribers join, and nothing may be published, until it resolves. Absent: ready at once. */
  readonly ready?: Promise<void>;
  /** Number of updates published before it was opened, if known: they count towards `seq`. */
  readonly published?: number;
  /** Called once with the function that sends notices: frames without a `seq`, in order with the data. */
  listen?(notify: (notice: Notice) => void): void;
  /** The state after everything published so far; `undefined` while unknown. */
  snapshot?(): Update<Payload> | undefined;
  /** The caller that it was opened for has left; it now counts for this one. */
  passTo?(caller: SocketCaller): void;
  close(): void;
}

/** How a source sends to its followers. Each update gets the next `seq` of the topic. */
export type Publish<Payload = unknown> = (update: Update<Payload>) => void;

/** A channel of the gateway: its parameters, its messages and their source. */
export interface GatewayChannel {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** The channel's own fields of the subscribe frame, each with a default; with the symbol they identify a topic. */
  readonly params: TProperties;
  readonly payload: TObject;
  /** Which ids the field `market` takes instead of `symbol`: markets, or aggregates too. Absent: none. */
  readonly markets?: MarketScope;
  /** Default: every coin of the primary venue. */
  symbols?(context: ChannelContext): readonly string[];
  /** Whether its sources have a snapshot. */
  readonly isState: boolean;
  /** The field `since`, if a subscription can begin with recorded history. */
  readonly since?: TSchema;
  /** The sources of a topic, whose health is its state. */
  sources(request: TopicRequest, context: SourceContext): SourceGroups;
  open(request: TopicRequest, publish: Publish, context: ChannelContext): Source;
}

/** The channel's own parameters of a request, after the market, if any. */
export function paramsOf(
  { params }: GatewayChannel,
  request: TopicRequest,
): Readonly<Record<string, unknown>> {
  const given = request as Readonly<Record<string, unknown>>;
  const own = Object.fromEntries(Object.keys(params).map((name) => [name, given[name]]));
  return { ...marketOf(request), ...own };
}

/** The field `market` of a topic's frames. */
export function marketOf({ market }: TopicName): { readonly market?: string } {
  return market === undefined ? {} : { market };
}
