import type { Clock } from '@crosstape/core';
import type { TObject, TProperties, TSchema } from 'typebox';
import type { SourceGroups } from '../health/feed-state.ts';
import type { SocketCaller } from '../http/gate.ts';
import type { Bus } from '../platform/bus.ts';
import type { Log } from '../platform/log.ts';

/** One thing that a topic says, and the time that it is of. */
export interface Update<Payload = unknown> {
  readonly ts: number;
  /** Sent as it is, in JSON and in msgpack: a missing field is absent, never `undefined`. */
  readonly payload: Payload;
}

/** A coin of the primary venue or, with `market`, a market of that coin; both as the service spells them. */
export type TopicName = { readonly symbol: string; readonly market?: string | undefined };

/** What a source is given: what it is of, and the channel's own parameters, defaults filled in. */
export type Ask<Params = unknown> = Params & TopicName;

/** What the sources of every channel can use. Features add their readers. */
export interface ChannelContext {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  /** Id of the venue whose coins are the symbols. */
  readonly primaryVenue: string;
  /** The client that a source is opened for. */
  readonly caller?: SocketCaller;
}

/** What the sources of a topic are found by. */
export type SourceContext = Pick<ChannelContext, 'primaryVenue' | 'bus'>;

/** `one`: a market; `any`: a market, or every recorded market of a coin. */
export type MarketScope = 'one' | 'any';

/** A frame beside the data of a topic: its type and fields, without channel and symbol. */
export type Notice = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The source of one topic while it has followers: opened for the first follower, closed after the last.
 *
 * A source with a `snapshot` is state: a client that joins, or was too slow, gets the snapshot and continues from there.
 * One without is of events: no subscriber misses any silently.
 */
export interface Source<Payload = unknown> {
  /** Until it resolves there are no subscribers, and nothing may be published. Absent: it is ready at once. */
  readonly ready?: Promise<void>;
  /** How many were published before it was opened, where that is known: they have their `seq`s, too. */
  readonly published?: number;
  /** Called once with the function that sends notices: frames without a `seq`, between the data. */
  listen?(notify: (notice: Notice) => void): void;
  /** The state after everything that was published; `undefined` while nothing is known. */
  snapshot?(): Update<Payload> | undefined;
  /** The caller that it was opened for has left; it stays open for this one. */
  passTo?(caller: SocketCaller): void;
  close(): void;
}

/** How a source sends to its followers. Everything published gets the next `seq` of the topic. */
export type Publish<Payload = unknown> = (update: Update<Payload>) => void;

/** A channel of the gateway: what can be asked of it, what it says, and where that comes from. */
export interface GatewayChannel {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Fields of the subscribe frame that are its own, each with a default; with the symbol they make a topic. */
  readonly params: TProperties;
  readonly payload: TObject;
  /** Which ids the field `market` takes instead of `symbol`: those of markets, or also of aggregates. Omitted: none. */
  readonly markets?: MarketScope;
  /** Omitted: every coin of the primary venue. */
  symbols?(context: ChannelContext): readonly string[];
  /** Whether its sources have a snapshot. */
  readonly isState: boolean;
  /** The field `since`, where a subscription can begin with what was recorded. Omitted: it cannot. */
  readonly since?: TSchema;
  /** What a topic is made of: the health of these sources is its state. */
  sources(ask: Ask, context: SourceContext): SourceGroups;
  open(ask: Ask, publish: Publish, context: ChannelContext): Source;
}

/** The channel's own parameters, as they were asked for, behind the market, if any. */
export function paramsOf({ params }: GatewayChannel, ask: Ask): Readonly<Record<string, unknown>> {
  const given = ask as Readonly<Record<string, unknown>>;
  const own = Object.fromEntries(Object.keys(params).map((name) => [name, given[name]]));
  return { ...marketOf(ask), ...own };
}

/** The field `market` of a topic's frames. */
export function marketOf({ market }: TopicName): { readonly market?: string } {
  return market === undefined ? {} : { market };
}
