import { figuresOfBooks, primaryVenue, spotVenues } from '@crosstape/venues';
import { historyBatch } from '../features/perps/history-batch.ts';
import { watchCloses } from '../features/perps/watch-closes.ts';
import { recordLevels } from '../features/options/option-levels.ts';
import { recordOptionTrades } from '../features/options/trades/record-option-trades.ts';
import { watchOptions } from '../features/options/watch-options.ts';
import { recordQuestionPrices } from '../features/prediction/question-prices.ts';
import { recordRates } from '../features/rates/record-rates.ts';
import { watchUsdRates } from '../features/rates/watch-usd-rates.ts';
import { startFlows } from '../features/flows/flows.ts';
import { recordDepth } from '../features/orderbook/depth/record-depth.ts';
import { BookKeeper } from '../features/orderbook/book-keeper.ts';
import type { CandleSource } from '../ingest/candle-client.ts';
import { type FeedSink, sendToEach } from '../ingest/feed-sink.ts';
import { NodeFills } from '../ingest/fills/node-fills.ts';
import { SpotTape } from '../features/spot/spot-tape.ts';
import { VenueTime } from '../ingest/venue-time.ts';
import { ArchiveCatalog } from '../features/archive/archive-catalog.ts';
import { CandleLedger } from '../features/candles/candle-ledger.ts';
import { startLiquidations } from '../features/liquidations/liquidations.ts';
import type { JobRunner } from '../platform/jobs.ts';
import { logIfSlow } from '../platform/slow-step.ts';
import { watchFigures } from '../features/perps/cross-check/watch-figures.ts';
import { startHistoryRecorder } from '../features/perps/history-recorder.ts';
import { type RecordingTurn, startRecording } from '../features/tape/recording.ts';
import { GapLedger } from '../features/tape/gap-ledger.ts';
import { HistoryTable } from '../features/perps/history-table.ts';
import { SampleLedger } from '../features/perps/samples/sample-ledger.ts';
import type { SharedPastMark } from '../seeding/unfinished-history.ts';
import { TickTable } from '../features/tape/tick-table.ts';
import { WhaleTable } from '../features/whales/whale-table.ts';
import type { Upstream } from '../upstream.ts';
import { seedingTopic } from '../topics.ts';
import { capturedCandles, capturedOptionTrades, capturedSamples } from './captured-sources.ts';
import { connectVenues, type VenueParts } from './connect-venues.ts';
import { createBackfill } from './create-backfill.ts';
import { configuredFlowCoins } from './configured-publishers.ts';
import { historyFor, historyInTurn, marketHistoryFor } from './first-run.ts';
import { type RoleDependencies, startParts, type Started } from './role-dependencies.ts';
import { createAudit, startMarkets } from './start-markets.ts';

export interface IngestDependencies extends RoleDependencies {
  readonly upstream: Upstream;
  /** Starts a replay, right before the venues are first requested. */
  readonly begin?: () => Promise<void>;
  /** Long work in the background, on threads of this process. */
  readonly builds: JobRunner;
  /** With several ingesters: when this one leads, and whether a first-run history was left unfinished. */
  readonly turn?: RecordingTurn & {
    readonly pastMark: SharedPastMark;
    /** Resolves when it is. */
    readonly led: Promise<void>;
  };
}

/** Connects to the venues, keeps the tape and every other record, and publishes received and derived data. */
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
    const candles = new CandleLedger({
      store,
      bus,
      clock,
      log,
      keptFromMs,
      candleDays,
    });
    const primaryCandles = candles.writer(primaryVenue.id);
    const openCandle = (coin: string) => primaryCandles.openCandle(coin);
    stops.add(watchCloses({ clock, bus, log, store, ticks, venue: primaryVenue.id, openCandle }));
    const archive = settings.archive === 'off' ? undefined : new ArchiveCatalog(store);
    const audit = createAudit(dependencies, keptFromMs);
    stops.add(() => audit.stop());
    const histories = new HistoryTable(store);
    const samples = new SampleLedger(store, log);
    const backfill = createBackfill(dependencies, { candles, sampled: { histories, samples } });
    // Together: the back-fill waits for the ledger, which may be folding days of trades.
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
      candles: primaryCandles,
      nowMs: () => venueTime.nowMs(),
      onTrade: (trade) => liquidations.trade(trade),
      ...(history && {
        seed: (signal: AbortSignal) => history.seedRecent(signal),
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
    const bookDepth = recordDepth({
      clock,
      bus,
      log,
      store,
      keptFromMs,
      venue: primaryVenue.id,
      figures: figuresOfBooks,
    });
    stops.add(() => bookDepth.stop());
    const spotTape = new SpotTape({ bus, venues: spotVenues });
    const tapes = [spotTape.receive, liquidations.receive, books.receive, recording.receive];
    // Frame times are compared before anything uses them.
    const receivers = [venueTime.receive, ...tapes];
    const marketHistory = await marketHistoryFor(dependencies, {
      isFirstRun: history !== undefined,
      candles,
    });
    stops.add(() => marketHistory?.stop());
    const prepare = history && marketHistory?.prepare;
    const markets = startMarkets(dependencies, { keptFromMs, candles, audit, archive, prepare }, stops);
    void (history?.done ?? Promise.resolve()).then(() => marketHistory?.start());
    const onCandles = (source: CandleSource): void => {
      audit.add(source);
      backfill.addCandles(capturedCandles(dependencies.upstream, source));
    };
    const parts: VenueParts = {
      sink: sendToEach(receivers),
      fills,
      ...markets,
      onCandles,
      onHistory: (source) => backfill.addHistory(capturedSamples(dependencies.upstream, source)),
      onOptionTrades: (one) => {
        const source = capturedOptionTrades(dependencies.upstream, one);
        const begin = dependencies.turn?.led ?? Promise.resolve();
        const trades = recordOptionTrades({ clock, bus, log, store, keptFromMs, source, begin });
        stops.add(() => trades.stop());
      },
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
