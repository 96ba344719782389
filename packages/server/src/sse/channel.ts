import type { TObject } from 'typebox';
import type { SourceGroups } from '../features/sources/feed-state.ts';
import type { Dated, LogTopic } from '../platform/bus.ts';
import { Failure } from '../platform/errors.ts';
import type { CoinIndex } from '../features/markets/coins.ts';
import type { QueryOf } from '../http/read-query.ts';
import type { Recalled, StreamRecord } from '../features/tape/recall-events.ts';
import type { StreamDefinition } from './stream-definition.ts';

/** The part of a channel that one query asks for. */
export interface Selection<Event extends Dated = Dated> {
  readonly topic: LogTopic<Event>;
  /** Two selections of a channel with the same key let the same events of the same topic through. */
  readonly key: string;
  readonly accepts: (event: Event) => boolean;
  /** Asked coins that nobody knows. */
  readonly unknown?: readonly string[];
  /** Reads what was recorded since a time and is no longer in the log. Absent: its events are not recorded. */
  readonly recall?: (record: StreamRecord, fromTs: number) => Promise<Recalled | undefined>;
}

/** A line of events that clients can follow, whatever transport carries it. */
export interface Channel {
  readonly definition: StreamDefinition;
  /** Name of its events, as in `definition.events`. */
  readonly eventName: string;
  /** What it is made of: the health of these sources is its state. */
  sources(primaryVenue: string): SourceGroups;
  /** Throws a `Failure` when the query asks for what is not there. */
  select(query: unknown, coins: KnownCoins): Selection;
  /** What a client gets of an event. */
  data(event: Dated): object;
}

/** The coins of the primary venue. Throws a `Failure` while they are not known. */
export type KnownCoins = () => CoinIndex;

interface ChannelOptions<Query extends TObject, Event extends Dated> {
  readonly definition: StreamDefinition<Query>;
  readonly eventName: string;
  sources(primaryVenue: string): SourceGroups;
  select(query: QueryOf<Query>, coins: KnownCoins): Selection<Event>;
  data(event: Event): object;
}

/** The types of query and event hold inside a channel; outside, all channels look alike. */
export function channel<Query extends TObject, Event extends Dated>(
  options: ChannelOptions<Query, Event>,
): Channel {
  return options as unknown as Channel;
}

/** The one coin that a parameter names. */
export function knownCoin(coins: KnownCoins, text: string): string {
  const coin = coins().find(text);
  if (coin === undefined) {
    throw new Failure('not_found', `Parameter \`coin\`: no coin \`${text}\` is known on the primary venue.`);
  }
  return coin;
}
