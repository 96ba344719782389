import type { Clock, Random } from '@crosstape/core';
import type { Connector, Publisher } from '@crosstape/venues';
import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { OpenBooks } from './book-feed.ts';
import type { CandleSource } from './candle-client.ts';
import type { FeedSink } from './feed-sink.ts';
import type { NodeFills } from './fills/node-fills.ts';
import type { KeptAnswers } from './kept-answer.ts';
import type { OpenMarkets } from './market-feed.ts';
import type { OptionTradeSource } from './option-trades-client.ts';
import { PrimaryCoins } from './primary-coins.ts';
import type { SampleSource } from './sample-client.ts';
import type { Ban } from './venue-gate.ts';
import { VenueRunner } from './venue-runner.ts';
import type { Wiretap } from './wiretap.ts';

export interface EngineOptions {
  readonly venues: readonly Publisher[];
  /** Id of the venue whose tickers all others use. */
  readonly primaryVenue: string;
  /** Addresses of a venue: its own, or a simulator's. */
  readonly originsOf: (venue: Publisher) => Connector['origins'];
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: Random;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly sink: FeedSink;
  /** Recorder of the trades of other venues' markets; absent: none. */
  readonly markets?: OpenMarkets;
  /** Keeper of the order books of other venues' markets; absent: none. */
  readonly books?: OpenBooks;
  /** Called at the start with the candles of each venue that has any. */
  readonly onCandles?: (source: CandleSource) => void;
  /** The primary venue's fills as a node writes them; only their health is used here. */
  readonly fills?: Pick<NodeFills, 'reportTo'> | undefined;
  /** Called at the start with each history of open interest or funding. */
  readonly onHistory?: (source: SampleSource) => void;
  /** Called at the start with the trades of each venue's options. */
  readonly onOptionTrades?: (source: OptionTradeSource) => void;
  /** URL of an outbound HTTP proxy. */
  readonly proxy?: string;
  /** State that survives a restart. */
  readonly kept?: KeptAnswers;
  /**
   * With several engines on the same venues: resolves when this one publishes and has the previous one's state. Sources
   * that only one may poll are not polled before.
   */
  readonly turn?: Promise<void>;
  /** Receives a copy of everything on the wire. */
  readonly wiretap?: Wiretap;
}

export interface Engine {
  /** Closes every connection; nothing is published afterwards. */
  stop(): Promise<void>;
}

/** Runs the connectors of all venues: resources to the bus as snapshots, feeds to the sink, health of both to the bus. */
export function startEngine(options: EngineOptions): Engine {
  const { bus, clock, primaryVenue } = options;
  const coins = new PrimaryCoins({ venue: primaryVenue, bus, clock });
  const bans = new Map<string, Ban>();
  const running = options.venues.flatMap((venue) =>
    venue.connector ? [new VenueRunner(venue, venue.connector, { coins, bans }, options)] : [],
  );
  let isStopped = false;
  const begin = (): void => {
    if (!isStopped) for (const venue of running) venue.begin();
  };
  if (options.turn) void options.turn.then(begin);
  else begin();
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(running.map((venue) => venue.stop()));
      coins.stop();
    },
  };
}
