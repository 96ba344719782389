import type {
  AnswerOf,
  BuildItem,
  ChannelName,
  FeedStatus,
  GetPath,
  Health,
  ParamsOf,
  PayloadOf,
  QueryOf,
  Readiness,
  StreamItem,
  StreamPath,
} from '@crosstape/client';
import type { AlertRule, Met } from '../alerts/alert-rule.ts';
import type { BuildSpec, CandleSpec, FootprintSpec, LiveBars } from '@crosstape/client/bars';
import type { Prints, PrintsSpec } from './prints.ts';

/** An answer that is polled. */
export interface RestTopic<Path extends GetPath = GetPath> {
  readonly from: 'rest';
  readonly path: Path;
  readonly query: QueryOf<Path>;
  /** Maximum age of the answer. */
  readonly everyMs: number;
}

/** A channel of the gateway. */
export interface ChannelTopic<Channel extends ChannelName = ChannelName> {
  readonly from: 'channel';
  readonly channel: Channel;
  readonly symbol: string;
  readonly params: ParamsOf<Channel>;
}

/** The order book of a coin, or of another venue's market, kept by its changes. */
export interface BookTopic {
  readonly from: 'book';
  readonly symbol: string;
  /** Id of the market; default: the primary venue's. */
  readonly market?: string;
}

/** A stream of events. */
export interface StreamTopic<Path extends StreamPath = StreamPath> {
  readonly from: 'stream';
  readonly path: Path;
  readonly query: QueryOf<Path>;
}

/** Bars of any kind: built by the service, or its candles of any market; then carried on with each trade. */
export interface BarsTopic {
  readonly from: 'bars';
  readonly spec: BuildSpec | CandleSpec;
}

/** A build that was submitted just now: how far it is. */
export interface BuildTopic {
  readonly from: 'build';
  readonly spec: BuildSpec;
}

/** The health of the service, polled. */
export interface ServiceTopic {
  readonly from: 'service';
  readonly path: '/healthz';
  readonly everyMs: number;
}

/** Volume at each price, bar by bar: from the record, then live. */
export interface FootprintTopic {
  readonly from: 'footprints';
  readonly spec: FootprintSpec;
}

/** The trades of a time, one by one, as columns: from the record, then live. */
export interface PrintsTopic {
  readonly from: 'prints';
  readonly spec: PrintsSpec;
}

/** What a panel can follow. Panels that follow the same topic, in any tab, share one source. */
export type Topic =
  | RestTopic
  | ChannelTopic
  | BookTopic
  | StreamTopic
  | BarsTopic
  | BuildTopic
  | FootprintTopic
  | PrintsTopic
  | ServiceTopic;

export type Bar = LiveBars['closed'][number];

/** The health of the service, and how long the answer took. */
export interface ServiceWord {
  readonly health: Health;
  readonly readiness: Readiness;
  readonly roundTripMs: number;
}

/** The state of a build, or why it failed. */
export type BuildWord = BuildItem | { readonly type: 'build:error'; readonly message: string };

export interface Book {
  readonly bids: readonly (readonly [price: number, size: number, count?: number])[];
  readonly asks: readonly (readonly [price: number, size: number, count?: number])[];
  readonly ts: number;
  readonly isStale: boolean;
  readonly proofs: number;
  readonly breaks: number;
}

/** The items of a topic. */
export type ItemOf<T extends Topic> =
  T extends RestTopic<infer Path>
    ? AnswerOf<Path>
    : T extends ChannelTopic<infer Channel>
      ? PayloadOf<Channel>
      : T extends StreamTopic<infer Path>
        ? Exclude<StreamItem<Path>, { readonly event: 'gap' }>
        : T extends BookTopic
          ? Book
          : T extends BarsTopic
            ? Bar
            : T extends BuildTopic
              ? BuildWord
              : T extends FootprintTopic
                ? PayloadOf<'footprint'>
                : T extends PrintsTopic
                  ? Prints
                  : T extends ServiceTopic
                    ? ServiceWord
                    : never;

/** News of a topic. */
export interface Update<Item = unknown> {
  /** New items, oldest first. */
  readonly items: readonly Item[];
  /** Earlier items are dropped. */
  readonly isWhole?: boolean;
  /** For bars: the one in progress. */
  readonly open?: Bar | null;
  /** When it was received, by this machine's clock. */
  readonly atMs: number;
  /** Whether the source is up. */
  readonly state: 'up' | 'down';
  /** Why it is not. */
  readonly problem?: string;
  /** Its code, where the service refused: `not_found`. */
  readonly code?: string;
  /** Until when this visitor is rate limited, by this machine's clock. */
  readonly limitedUntilMs?: number;
  /** Status of its sources, by the service; absent while they deliver or it is unknown, null: no longer known. */
  readonly status?: FeedStatus | null;
  /** For an answer: its request time, in a replay that of the replay. */
  readonly askedMs?: number;
  /** Something is missing before these items. */
  readonly gap?: { readonly from: number; readonly to: number };
}

/** From a tab to the hub. */
export type Order =
  | { readonly op: 'follow'; readonly id: number; readonly topic: Topic }
  | { readonly op: 'leave'; readonly id: number }
  | { readonly op: 'alive' }
  | { readonly op: 'alerts'; readonly rules: readonly AlertRule[]; readonly met: Met }
  | { readonly op: 'bye' };

/** From the hub to a tab. */
export interface Report {
  readonly id: number;
  /** Followers in the same tab that get it too: reading a message costs more than passing it on. */
  readonly others?: readonly number[];
  readonly update: Update;
}

/** An alert that fired. */
export interface Firing {
  readonly id: string;
  /** Id of its rule. */
  readonly rule: string;
  readonly atMs: number;
  readonly title: string;
  /** The measured value, in words. */
  readonly why: string;
}

/** The current value of a rule; without a text nothing has been measured yet. */
export interface AlertState {
  readonly id: string;
  readonly text?: string;
  /** Whether its condition is met; single events have none. */
  readonly isMet?: boolean;
  /** Why it cannot be measured. */
  readonly problem?: string;
}

/** Everything that a tab receives. */
export type HubReport =
  | Report
  | { readonly fired: Firing; readonly isLead: boolean }
  | { readonly alertStates: readonly AlertState[] };
