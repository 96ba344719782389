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

/** An answer that is asked for again and again. */
export interface RestTopic<Path extends GetPath = GetPath> {
  readonly from: 'rest';
  readonly path: Path;
  readonly query: QueryOf<Path>;
  /** The answer may be so old before it is asked for again. */
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

/** How the service itself is, asked again and again. */
export interface ServiceTopic {
  readonly from: 'service';
  readonly path: '/healthz';
  readonly everyMs: number;
}

/** What was traded at each price, bar by bar: from the record, then live. */
export interface FootprintTopic {
  readonly from: 'footprints';
  readonly spec: FootprintSpec;
}

/** The trades of a time, one by one, as columns: from the record, then live. */
export interface PrintsTopic {
  readonly from: 'prints';
  readonly spec: PrintsSpec;
}

/** What a panel can follow. Panels that follow the same topic, in whatever tab, share one source. */
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

/** How the service is, and how long it took to say so. */
export interface ServiceWord {
  readonly health: Health;
  readonly readiness: Readiness;
  readonly roundTripMs: number;
}

/** Where a build stands; one that failed says why. */
export type BuildWord = BuildItem | { readonly type: 'build:error'; readonly message: string };

export interface Book {
  readonly bids: readonly (readonly [price: number, size: number, count?: number])[];
  readonly asks: readonly (readonly [price: number, size: number, count?: number])[];
  readonly ts: number;
  readonly isStale: boolean;
  readonly proofs: number;
  readonly breaks: number;
}

/** What a topic consists of. */
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
  /** What came before is to be forgotten. */
  readonly isWhole?: boolean;
  /** Of bars: the one in progress. */
  readonly open?: Bar | null;
  /** When it came, by this machine's clock. */
  readonly atMs: number;
  /** Whether the source is up. */
  readonly state: 'up' | 'down';
  /** Why it is not. */
  readonly trouble?: string;
  /** Its code, where the service refused: `not_found`. */
  readonly code?: string;
  /** This visitor has been answered, or has asked, often enough for now; until then, by this machine's clock. */
  readonly limitedUntilMs?: number;
  /** How the sources behind it are, by the service; absent while they deliver or nothing is known, null: no longer known. */
  readonly status?: FeedStatus | null;
  /** Of an answer: the time that it was requested at, in a replay that of the replay. */
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
  /** What was measured. */
  readonly why: string;
}

/** What a rule is compared with now; without a text nothing has been measured yet. */
export interface AlertState {
  readonly id: string;
  readonly text?: string;
  /** Whether its condition is true; single events have none. */
  readonly isMet?: boolean;
  /** Why it cannot be measured. */
  readonly trouble?: string;
}

/** Everything that a tab receives. */
export type HubReport =
  | Report
  | { readonly fired: Firing; readonly isLead: boolean }
  | { readonly alertStates: readonly AlertState[] };
