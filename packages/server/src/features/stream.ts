import type { TObject } from 'typebox';
import type { QueryOf } from '../http/read-query.ts';
import type { StreamDefinition } from '../http/stream-definition.ts';
import { Failure } from '../platform/errors.ts';
import type { Bus, Dated } from '../platform/bus.ts';
import type { EventStream, Selection } from '../sse/event-stream.ts';
import type { CoinIndex } from './markets/coins.ts';
import type { StreamRecord } from './tape/recall-events.ts';

/** Available to the streams of all features. */
export interface StreamServices {
  /** The coins of the primary venue. Throws a `Failure` while unknown. */
  readonly knownCoins: () => CoinIndex;
  /** Reads recorded events. Absent: a resume reaches no further back than the log. */
  readonly record?: StreamRecord;
  readonly bus: Bus;
  readonly primaryVenue: string;
}

interface StreamOptions<Query extends TObject, Event extends Dated>
  extends Pick<EventStream, 'eventName' | 'sources'> {
  readonly definition: StreamDefinition<Query>;
  select(query: QueryOf<Query>, services: StreamServices): Selection<Event>;
  data(event: Event): object;
}

/** Query and event are typed inside a stream; outside, all streams have the same type. */
export function stream<Query extends TObject, Event extends Dated>(
  options: StreamOptions<Query, Event>,
): EventStream {
  return options as unknown as EventStream;
}

/** The one coin that a parameter names. */
export function knownCoin({ knownCoins }: StreamServices, text: string): string {
  const coin = knownCoins().find(text);
  if (coin === undefined) {
    throw new Failure('not_found', `Parameter \`coin\`: no coin \`${text}\` is known on the primary venue.`);
  }
  return coin;
}
