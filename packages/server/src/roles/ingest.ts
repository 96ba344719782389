import { type Market, sleep, type Trade } from '@crosstape/core';
import { primaryVenue, spotVenues } from '@crosstape/venues';
import { historyBatch } from '../features/perps/history-batch.ts';
import { watchCloses } from '../features/perps/watch-closes.ts';
import { recordLevels } from '../features/options/option-levels.ts';
import { watchOptions } from '../features/options/watch-options.ts';
import { recordQuestionPrices } from '../features/prediction/question-prices.ts';
import { recordRates } from '../features/rates/record-rates.ts';
import { watchUsdRates } from '../features/rates/watch-usd-rates.ts';
import { startFlows } from '../features/flows/flows.ts';
import { BookKeeper } from '../features/orderbook/book-keeper.ts';
import { startMarketBooks } from '../features/orderbook/market-books.ts';
import type { CandleSource } from '../ingest/candle-client.ts';
import { type EngineOptions, startEngine } from '../ingest/engine.ts';
import { type FeedSink, sendToEach } from '../ingest/feed-sink.ts';
import { NodeFills } from '../ingest/fills/node-fills.ts';
import type { KeptAnswer } from '../ingest/kept-answer.ts';
import { SpotTape } from '../features/spot/spot-tape.ts';
import type { OpenMarkets } from '../ingest/market-feed.ts';
import { VenueTime } from '../ingest/venue-time.ts';
import { ArchiveCatalog } from '../features/archive/archive-catalog.ts';
import { HourlyAudit } from '../features/audit/hourly-audit.ts';
import { CandleLedger } from '../features/candles/candle-ledger.ts';
import { openedMarkets } from '../features/candles/opened-markets.ts';
import { startLiquidations } from '../features/liquidations/liquidations.ts';
import {
  type MarketRecording,
  type MarketRecordingOptions,
  startMarketRecording,
} from '../features/market-tape/market-recording.ts';
import { isPrimaryOnly, readMarketChoice } from '../platform/market-choice.ts';
import type { JobRunner } from '../platform/jobs.ts';
import { logIfSlow } from '../platform/slow-step.ts';
import type { Settings } from '../settings/settings.ts';
import { watchFigures } from '../features/perps/cross-check/watch-figures.ts';
import { startHistoryRecorder } from '../features/perps/history-recorder.ts';
import { type RecordingTurn, startRecording } from '../features/tape/recording.ts';
import { GapLedger } from '../features/tape/gap-ledger.ts';
import { HistoryTable } from '../features/perps/history-table.ts';
import { SampleLedger } from '../features/perps/samples/sample-ledger.ts';
import { ResponseCache } from '../store/response-cache.ts';
import type { SharedPastMark } from '../seeding/unfinished-history.ts';
import { TickTable } from '../features/tape/tick-table.ts';
import { startVenueWhales } from '../features/whales/venue-whales.ts';
import { WhaleTable } from '../features/whales/whale-table.ts';
import { originsOf, type Upstream } from '../upstream.ts';
import { gapTopic, seedingTopic, tradeTopic } from '../topics.ts';
import { createBackfill } from './create-backfill.ts';
import { configuredFlowCoins, configuredPublishers } from './configured-publishers.ts';
import { historyFor, historyInTurn, marketHistoryFor } from './first-run.ts';
import { type RoleDependencies, startParts, type Started, type Stops } from './role-dependencies.ts';

/** Between tries to read what the one before has kept. */
const KEPT_RETRY_MS = 500;
/** How long after an hour its candles are requested: a venue may take minutes to finish them, a simulated one does not. */
const AUDIT = { sim: { delayMs: 30_000, startShare: 1 }, live: { delayMs: 300_000 } };

export interface IngestDependencies extends RoleDependencies {
  readonly upstream: Upstream;
  /** Of a replay: starts it, right before the venues are first asked. */
  readonly begin?: () => Promise<void>;
  /** Long work in the background, on threads of this process. */
  readonly builds: JobRunner;
  /** Of one of several ingesters: when it is the one that publishes and records, and whether a first-run history was left unfinished. */
  readonly turn?: RecordingTurn & {
    readonly pastMark: SharedPastMark;
    /** Resolves when it is. */
    readonly led: Promise<void>;
  };
}

/** Connects to the venues, keeps the tape and every other record, and publishes what is received and derived. */
export function startIngest(dependencies: IngestDependencies): Promise<Started> {
  return startParts(async (stops) => {
    const { settings, clock, bus, log, store, folder, jobs, builds } = dependencies;
    const { retentionDays, recordCoins } = settings;
    const ticks = new TickTable(store);
    const ledger = new GapLedger(store);
    const flowCoins = configuredFlowCoins(settings);
    const tables = { ticks, ledger, flowCoins };
    const history = dependencies.turn
      ? historyInTurn(dependencies, dependencies.turn, tables)
      : await historyFor(dependencies, tables);
    stops.add(() => history?.stop());
    const venueTime = new VenueTime({ clock, bus, log });
    stops.add(() => venueTime.stop());
    const keptFromMs = (keepMs: number): number | undefined => venueTime.keptFromMs(keepMs);
    const fills = followFills(dependencies, (event) => liquidations.receive(event));
    const openedLiquidations = startLiquidations({
      clock,
      keptFromMs,
      bus,
      log,
      store,
      primaryVenue: primaryVenue.id,
      tape: { folder, jobs: builds },
      ...(fills && { isMeasured: (ts: number) => fills.isMeasured(ts) }),
    });
    const liquidations = await logIfSlow('the recorded liquidations', openedLiquidations, { log });
    stops.add(() => liquidations.stop());
    const usdRates = watchUsdRates({ clock, bus });
    stops.add(() => usdRates.stop());
    const { candleDays } = settings;
    const rateRecorder = recordRates({ clock, bus, log, store, candleDays, keptFromMs });
    stops.add(() => rateRecorder.stop());
    const closes = watchCloses({ clock, bus, log, jobs: builds, folder });
    stops.add(() => closes.stop());
    const candles = new CandleLedger({
      store,
      bus,
      clock,
      log,
      keptFromMs,
      candleDays,
    });
    const archive = settings.archive === 'off' ? undefined : new ArchiveCatalog(store);
    const audit = createAudit(dependencies);
    stops.add(() => audit.stop());
    const histories = new HistoryTable(store);
    const samples = new SampleLedger(store, log);
    const backfill = createBackfill(dependencies, { candles, histories, samples });
    // Together: the back-fill waits for its turn with the ledger, which may be folding days of trades.
    stops.add(async () => void (await Promise.all([candles.stop(), backfill.stop()])));
    const openedTape = startRecording({
      venue: primaryVenue.id,
      clock,
      bus,
      log,
      ticks,
      ledger,
      whales: new WhaleTable(store),
      retentionDays,
      keptFromMs,
      recordCoins,
      archive,
      candles: candles.writer(primaryVenue.id),
      nowMs: () => venueTime.nowMs(),
      onTrade: (trade) => liquidations.trade(trade),
      ...(history && {
        async seed(signal: AbortSignal) {
          await history.seedRecent(signal);
          closes.refresh();
        },
      }),
      onOpen: (signal) => {
        if (history) history.tapeOpened(signal);
        else bus.publish(seedingTopic, { isDone: true, progress: 1 });
        candles.start();
        audit.start();
        backfill.start();
      },
      ...(dependencies.turn && { turn: dependencies.turn }),
      fills,
    });
    const recording = await logIfSlow('the recorded tape', openedTape, { log });
    stops.add(() => recording.stop());
    if (fills) stops.add(() => fills.stop());
    const flows = startFlows({
      clock,
      bus,
      log,
      store,
      primaryVenue: primaryVenue.id,
      coins: flowCoins,
      retentionDays,
      keptFromMs,
      ...(history && { historyIsThere: history.done }),
    });
    stops.add(() => flows.stop());
    const historyRecorder = startHistoryRecorder({
      clock,
      bus,
      log,
      retentionDays,
      candleDays,
      keptFromMs,
      table: histories,
      ledger: samples,
      sample: (t) => historyBatch(t, bus, primaryVenue.id),
    });
    stops.add(() => historyRecorder.stop());
    const figures = watchFigures({ clock, bus });
    stops.add(async () => figures.stop());
    const books = new BookKeeper({ venue: primaryVenue.id, clock, bus });
    stops.add(() => books.stop());
    const spotTape = new SpotTape({ bus, venues: spotVenues });
    const tapes = [spotTape.receive, liquidations.receive, books.receive, recording.receive];
    // The time of a frame is compared before anything goes by it.
    const receivers = [venueTime.receive, ...tapes];
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
    const onTrade: MarketRecordingOptions['onTrade'] = (market, trade) => {
      bus.publish(tradeTopic(market.id), trade);
      whales.add(market, trade);
    };
    const marketTurn = dependencies.turn && {
      led: dependencies.turn.led,
      published: ({ id }: Market, sinceMs: number) => bus.log(tradeTopic(id)).since(sinceMs),
      onTakenUp: (market: Market, trades: readonly Trade[]) => whales.takeUp(market, trades),
    };
    const marketHistory = await marketHistoryFor(dependencies, {
      isFirstRun: history !== undefined,
      candles,
    });
    stops.add(() => marketHistory?.stop());
    const prepare = history && marketHistory?.prepare;
    const markets = recordMarkets({ ...marketParts, onTrade, turn: marketTurn, prepare }, settings);
    if (markets) stops.add(() => markets.stop());
    void (history?.done ?? Promise.resolve()).then(() => marketHistory?.start());
    const onCandles = (source: CandleSource): void => {
      audit.add(source);
      backfill.addCandles(source);
    };
    const openMarkets: OpenMarkets | undefined =
      markets &&
      ((feed) => {
        const isCounted = feed.feed.ids.counted !== undefined;
        if (feed.past && isCounted) audit.addPast(feed.publisher.id, feed.past);
        return markets.open(feed);
      });
    const marketBooks = startMarketBooks({ clock, bus });
    stops.add(async () => marketBooks.stop());
    const parts: VenueParts = {
      sink: sendToEach(receivers),
      fills,
      ...(openMarkets && { markets: openMarkets, books: marketBooks.open }),
      // A capture has no candles to compare with.
      ...(dependencies.upstream.mode !== 'replay' && { onCandles, onHistory: backfill.addHistory }),
    };
    await connectVenues(dependencies, parts, stops);
    const optionWatch = watchOptions({ clock, bus, jobs, log });
    stops.add(() => optionWatch.stop());
    const optionLevels = recordLevels({ clock, bus, log, store, keptFromMs });
    stops.add(() => optionLevels.stop());
    const questionPrices = recordQuestionPrices({ clock, bus, log, store, keptFromMs });
    stops.add(() => questionPrices.stop());
    return {};
  });
}

/** The fills of a node as a second source of the tape, where a directory with them is given. */
function followFills(parts: IngestDependencies, liquidations: FeedSink): NodeFills | undefined {
  const folder = parts.settings.hyperliquidFillsDir;
  return folder === undefined
    ? undefined
    : new NodeFills({ ...parts, venue: primaryVenue.id, folder, liquidations });
}

/** The audit of recorded hours; it begins when the recorder does. */
function createAudit({ clock, bus, log, store, upstream }: IngestDependencies): HourlyAudit {
  return new HourlyAudit({
    store,
    bus,
    clock,
    log,
    marketsOf: openedMarkets({ store, bus, primaryVenue: primaryVenue.id }),
    ...(upstream.mode === 'sim' ? AUDIT.sim : AUDIT.live),
  });
}

/** Records other venues' markets, where the settings want any. */
function recordMarkets(
  parts: Omit<MarketRecordingOptions, 'choice' | 'primaryVenue' | 'onGap'>,
  { recordMarkets: text }: Pick<Settings, 'recordMarkets'>,
): MarketRecording | undefined {
  const choice = readMarketChoice(text);
  if (!choice || isPrimaryOnly(choice)) return undefined;
  return startMarketRecording({
    ...parts,
    choice,
    primaryVenue: primaryVenue.id,
    onGap: ({ id }, { coin: _, ...gap }) =>
      parts.bus.publish(gapTopic(id), { ts: parts.clock.now(), ...gap }),
  });
}

/** Where what the venues send goes. */
type VenueParts = Pick<EngineOptions, 'sink' | 'markets' | 'books' | 'onCandles' | 'onHistory' | 'fills'>;

async function connectVenues(
  { settings, clock, random, bus, log, store, jobs, upstream, turn, begin }: IngestDependencies,
  parts: VenueParts,
  stops: Stops,
): Promise<void> {
  const opened = ResponseCache.open<KeptAnswer>(store, 'kept-answers', log);
  const kept = await logIfSlow('the answers kept from the last run', opened, { log });
  stops.add(() => kept.close());
  let isOver = false;
  stops.add(() => {
    isOver = true;
  });
  // Nothing is asked before it is known when the one before asked.
  const takeUp = async (): Promise<void> => {
    while (!isOver) {
      try {
        return await kept.reload();
      } catch (error) {
        log.warn({ err: error }, 'what the ingester before has kept cannot be read yet');
        await sleep(clock, KEPT_RETRY_MS);
      }
    }
  };
  await begin?.();
  const engine = startEngine({
    venues: configuredPublishers(settings),
    primaryVenue: primaryVenue.id,
    originsOf: (venue) => originsOf(upstream, settings, venue),
    bus,
    clock,
    random,
    jobs,
    log,
    kept,
    ...parts,
    ...(turn && { turn: turn.led.then(takeUp) }),
    // A simulator and a replay are on the loopback, where no proxy is wanted.
    ...(settings.proxy === undefined || upstream.mode !== 'live' ? {} : { proxy: settings.proxy }),
  });
  stops.add(() => engine.stop());
}
