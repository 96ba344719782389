import type { Clock, Market, Trade } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import type { OpenMarkets } from '../../ingest/market-feed.ts';
import type { Bus } from '../../platform/bus.ts';
import type { MarketChoice } from '../../platform/market-choice.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import type { Store } from '../../store/store.ts';
import { type RecordedMarket, recordedMarketsTopic } from '../../topics.ts';
import { awaitedMarketsTopic } from './followed-tape.ts';
import { MarketChooser } from './market-chooser.ts';
import { MarketTable } from './market-table.ts';
import { StandbyRecording } from './standby-recording.ts';
import { VenueRecording } from './venue-recording.ts';
import type { VenueRecordingOptions } from './venue-recording-options.ts';

/** How often the coins with the most open interest are looked up again. */
const CHOOSE_EVERY_MS = 10 * 60_000;

export interface MarketRecordingOptions {
  readonly choice: MarketChoice;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /** Id of the venue whose open interest ranks the coins. */
  readonly primaryVenue: string;
  readonly onTrade: (market: Market, trade: Trade) => void;
  readonly onGap: VenueRecordingOptions['onGap'];
  /** Gives the writer of the candles of a venue. */
  readonly candles?: VenueRecordingOptions['candles'];
  readonly archive?: VenueRecordingOptions['archive'];
  /** Gives the markets of a venue their history before recording begins, on a first run. */
  readonly prepare?: ((publisher: Publisher, markets: readonly Market[]) => Promise<void>) | undefined;
  /** With several ingesters. */
  readonly turn?: MarketTurn | undefined;
}

/** When, and from where, the tapes are taken up from another ingester. */
export interface MarketTurn extends Pick<VenueRecordingOptions, 'onTakenUp'> {
  /** Resolves when it is this process that records. */
  readonly led: Promise<void>;
  readonly published: NonNullable<VenueRecordingOptions['published']>;
}

export interface MarketRecording {
  readonly open: OpenMarkets;
  /** Records these from now on. */
  readonly choose: (choice: MarketChoice) => void;
  stop(): Promise<void>;
}

/** Records the trades of secondary venues' markets, and publishes which markets these are. */
export function startMarketRecording(options: MarketRecordingOptions): MarketRecording {
  const { choice, clock, bus, log, primaryVenue, turn } = options;
  const table = new MarketTable(options.store);
  const recordings: (VenueRecording | StandbyRecording)[] = [];
  const followed = new Map<string, readonly RecordedMarket[]>();
  const publishers: Publisher[] = [];
  const chooser = new MarketChooser({
    choice,
    bus,
    primaryVenue,
    onUnmatched: (glob) => log.warn({ glob }, 'no listed market matches this part of RECORD_MARKETS'),
  });
  const { choose } = chooser;
  /** The previous ingester's list, as far as it is still chosen, is used until each venue has its own. */
  const takeUpList = (): void => {
    const before = bus.latest(recordedMarketsTopic)?.message ?? [];
    for (const publisher of publishers) {
      const listed = before.filter((market) => market.publisher === publisher.id);
      const chosen = new Set(chooser.chosen(publisher, listed).map(({ id }) => id));
      followed.set(
        publisher.id,
        listed.filter(({ id }) => chosen.has(id)),
      );
    }
  };
  let stored: readonly RecordedMarket[] = [];
  const publishAwaited = (): void => {
    const isAwaited = ({ publisher }: RecordedMarket): boolean =>
      !followed.has(publisher) && publishers.some(({ id }) => id === publisher);
    const awaited = stored.filter(isAwaited);
    if (awaited.length > 0 || bus.latest(awaitedMarketsTopic)) bus.publish(awaitedMarketsTopic, awaited);
  };
  const noteStored = (markets: readonly RecordedMarket[]): void => {
    const news = new Set(markets.map(({ id }) => id));
    stored = [...stored.filter(({ id }) => !news.has(id)), ...markets];
    publishAwaited();
  };
  // If ingesters take turns, the previous one's list is kept.
  if (!turn)
    void table
      .all()
      .then(noteStored, (error: unknown) => log.error({ err: error }, 'the list of markets cannot be read'));
  const update = (): void => {
    for (const recording of recordings) recording.update();
  };
  const timer = clock.every(CHOOSE_EVERY_MS, update);
  chooser.onOpenInterest(primaryVenue, update);

  return {
    open(feed) {
      const { publisher } = feed;
      publishers.push(publisher);
      chooser.expect(publisher);
      publishAwaited();
      const { ids, grouping } = feed.feed;
      const own = { publisher: publisher.id, isCounted: ids.counted !== undefined, grouping };
      const recorded = (markets: readonly Market[]): readonly RecordedMarket[] =>
        markets.map((market) => ({ ...market, ...own }));
      const logged = (written: Promise<void>): Promise<void> =>
        written.catch((error: unknown) => log.error({ err: error }, 'the list of markets cannot be written'));
      const parts: VenueRecordingOptions = {
        ...options,
        feed,
        choose,
        published: turn?.published,
        onTakenUp: turn?.onTakenUp,
        onFollowed: (markets) => {
          if (turn && followed.size === 0) takeUpList();
          followed.set(publisher.id, recorded(markets));
          log.info({ venue: publisher.id, markets: markets.length }, 'markets are recorded');
          const all = [...followed.values()].flat();
          bus.publish(recordedMarketsTopic, all);
          publishAwaited();
          void logged(table.put(all, clock.now()));
        },
      };
      const begin = (): VenueRecording => new VenueRecording(parts);
      const { prepare } = options;
      const recording =
        turn || prepare
          ? new StandbyRecording({
              feed,
              choose,
              led: turn?.led ?? Promise.resolve(),
              prepare:
                prepare &&
                (async (markets) => {
                  // A reader of the record, also after a crash, needs the units of its trades.
                  await logged(table.add(recorded(markets), clock.now()));
                  noteStored(recorded(markets));
                  await prepare(publisher, markets);
                }),
              begin,
            })
          : begin();
      recordings.push(recording);
      chooser.onOpenInterest(publisher.id, update);
      return recording;
    },
    choose(next) {
      chooser.change(next);
      update();
    },
    async stop() {
      timer.cancel();
      chooser.stop();
      await Promise.all(recordings.map((recording) => recording.stop()));
    },
  };
}
