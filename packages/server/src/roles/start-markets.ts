import type { Market, Trade } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import type { ArchiveCatalog } from '../features/archive/archive-catalog.ts';
import { HourlyAudit } from '../features/audit/hourly-audit.ts';
import type { CandleLedger } from '../features/candles/candle-ledger.ts';
import { openedMarkets } from '../features/candles/opened-markets.ts';
import {
  type MarketRecording,
  type MarketRecordingOptions,
  startMarketRecording,
} from '../features/market-tape/market-recording.ts';
import { startMarketBooks } from '../features/orderbook/market-books.ts';
import { startVenueWhales } from '../features/whales/venue-whales.ts';
import type { LogTopic } from '../platform/bus.ts';
import { isPrimaryOnly, type MarketChoice } from '../platform/market-choice.ts';
import type { Retention } from '../platform/retention.ts';
import { marketsFileOf, readRecordMarkets } from '../settings/record-markets.ts';
import type { Settings } from '../settings/settings.ts';
import { gapTopic, tradeTopic } from '../topics.ts';
import type { VenueParts } from './connect-venues.ts';
import type { IngestDependencies } from './ingest.ts';
import type { Stops } from './role-dependencies.ts';
import { watchMarketsFile } from './watch-markets-file.ts';

/** How long after an hour its candles are requested: a venue may take minutes to finish them, a simulated one does not. */
const AUDIT = { sim: { delayMs: 30_000, startShare: 1 }, live: { delayMs: 300_000 } };

interface MarketsOptions extends Pick<MarketRecordingOptions, 'prepare'> {
  readonly keptFromMs: Retention;
  readonly candles: CandleLedger;
  readonly audit: HourlyAudit;
  readonly archive: ArchiveCatalog | undefined;
}

/** Starts recording other venues' markets, their order books and larger prints. */
export function startMarkets(
  dependencies: IngestDependencies,
  { keptFromMs, candles, audit, archive, prepare }: MarketsOptions,
  stops: Stops,
): Pick<VenueParts, 'markets' | 'books'> {
  const { settings, clock, bus, log, store } = dependencies;
  const { retentionDays } = settings;
  const writerOf: MarketRecordingOptions['candles'] = (...venue) => candles.writer(...venue);
  const marketParts = { clock, bus, log, store, retentionDays, keptFromMs, candles: writerOf, archive };
  const whales = startVenueWhales({
    clock,
    bus,
    log,
    store,
    primaryVenue: primaryVenue.id,
    retentionDays,
    keptFromMs,
    led: dependencies.turn?.led,
  });
  stops.add(() => whales.stop());
  /** By the id of the market: to make one for each trade takes longer than to publish it. */
  const topics = new Map<string, LogTopic<Trade>>();
  const onTrade: MarketRecordingOptions['onTrade'] = (market, trade) => {
    let topic = topics.get(market.id);
    if (!topic) topics.set(market.id, (topic = tradeTopic(market.id)));
    bus.publish(topic, trade);
    whales.add(market, trade);
  };
  const turn = dependencies.turn && {
    led: dependencies.turn.led,
    published: ({ id }: Market, sinceMs: number) => bus.log(tradeTopic(id)).since(sinceMs),
    onTakenUp: (market: Market, trades: readonly Trade[]) => whales.takeUp(market, trades),
  };
  const markets = recordMarkets({ ...marketParts, onTrade, turn, prepare }, settings);
  if (markets) stops.add(() => markets.stop());
  const file = marketsFileOf(settings.recordMarkets);
  if (markets && file !== undefined) {
    const stopWatching = watchMarketsFile({ file, clock, log, onChoice: markets.choose });
    stops.add(async () => stopWatching());
  }
  const marketBooks = startMarketBooks({ clock, bus });
  stops.add(async () => marketBooks.stop());
  if (!markets) return {};
  return {
    markets(feed) {
      const isCounted = feed.feed.ids.counted !== undefined;
      if (feed.past && isCounted) audit.addPast(feed.publisher.id, feed.past);
      return markets.open(feed);
    },
    books: marketBooks.open,
  };
}

/** The audit of recorded hours; it begins when the recorder does. */
export function createAudit(
  { clock, bus, log, store, upstream }: IngestDependencies,
  keptFromMs: Retention,
): HourlyAudit {
  return new HourlyAudit({
    store,
    bus,
    clock,
    log,
    keptFromMs,
    marketsOf: openedMarkets({ store, bus, primaryVenue: primaryVenue.id }),
    ...(upstream.mode === 'sim' ? AUDIT.sim : AUDIT.live),
  });
}

/** Records other venues' markets, where the settings want any. */
function recordMarkets(
  parts: Omit<MarketRecordingOptions, 'choice' | 'primaryVenue' | 'onGap'>,
  { recordMarkets: text }: Pick<Settings, 'recordMarkets'>,
): MarketRecording | undefined {
  // A file may choose more markets later.
  const isFile = marketsFileOf(text) !== undefined;
  const choice: MarketChoice = readRecordMarkets(text) ?? { patterns: [] };
  if (isPrimaryOnly(choice) && !isFile) return undefined;
  return startMarketRecording({
    ...parts,
    choice,
    primaryVenue: primaryVenue.id,
    onGap: (id, { coin: _, ...gap }) => parts.bus.publish(gapTopic(id), { ts: parts.clock.now(), ...gap }),
  });
}
