import { sleep } from '@crosstape/core';
import { primaryVenue, spotVenues } from '@crosstape/venues';
import { sampleHistory } from '../analytics/history-samples.ts';
import { watchCloses } from '../analytics/watch-closes.ts';
import { watchOptions } from '../analytics/watch-options.ts';
import { startFlows } from '../flows.ts';
import { BookKeeper } from '../ingest/book-keeper.ts';
import { startEngine } from '../ingest/engine.ts';
import { type FeedSink, sendToEach } from '../ingest/feed-sink.ts';
import type { KeptAnswer } from '../ingest/kept-answer.ts';
import { SpotTape } from '../ingest/spot-tape.ts';
import { startLiquidations } from '../liquidations.ts';
import type { JobRunner } from '../platform/jobs.ts';
import { startHistoryRecorder } from '../recorder/history-recorder.ts';
import { type RecordingTurn, startRecording } from '../recording.ts';
import { createPast, type Past } from '../seeding/create-past.ts';
import { GapLedger } from '../store/gap-ledger.ts';
import { HistoryShelf } from '../store/history-shelf.ts';
import { KeptShelf } from '../store/kept-shelf.ts';
import { folderMark, type SharedPastMark } from '../store/past-mark.ts';
import { TickShelf } from '../store/tick-shelf.ts';
import { WhaleShelf } from '../store/whale-shelf.ts';
import { snapshotTopic } from '../topics.ts';
import { originsOf, type Upstream } from '../upstream.ts';
import { chosenFlowCoins, chosenPublishers } from './chosen.ts';
import { type Ground, startParts, type Started, type Stops } from './ground.ts';

/** How often a past is begun, and what is between. */
const PAST_TRIES = 10;
const PAST_RETRY_MS = 3_000;
/** Between tries to read what the one before has kept. */
const KEPT_RETRY_MS = 500;

export interface IngestGround extends Ground {
  readonly upstream: Upstream;
  /** Long work in the background, on threads of this process. */
  readonly builds: JobRunner;
  /** Of one of several ingesters: when it is the one that publishes and records, and how far the past was made before. */
  readonly turn?: RecordingTurn & {
    readonly pastMark: SharedPastMark;
    /** Resolves when it is. */
    readonly led: Promise<void>;
  };
}

/** Hears the venues, keeps the tape and every other record, and publishes what is heard and made of it. */
export function startIngest(ground: IngestGround): Promise<Started> {
  return startParts(async (stops) => {
    const { settings, clock, bus, log, store, folder, jobs, builds } = ground;
    const { retentionDays, recordCoins } = settings;
    const ticks = new TickShelf(store);
    const ledger = new GapLedger(store);
    const flowCoins = chosenFlowCoins(settings);
    const shelves = { ticks, ledger, flowCoins };
    const past = ground.turn ? pastInTurn(ground, ground.turn, shelves) : await pastFor(ground, shelves);
    const liquidations = await startLiquidations({
      clock,
      bus,
      log,
      store,
      primaryVenue: primaryVenue.id,
      tape: { folder, jobs: builds },
    });
    stops.add(() => liquidations.stop());
    const closes = watchCloses({ clock, bus, log, jobs: builds, folder });
    stops.add(() => closes.stop());
    const recording = await startRecording({
      venue: primaryVenue.id,
      clock,
      bus,
      log,
      ticks,
      ledger,
      whales: new WhaleShelf(store),
      retentionDays,
      recordCoins,
      onTrade: (trade) => liquidations.trade(trade),
      ...(past && {
        async seed(signal: AbortSignal) {
          await past.seed(signal);
          closes.refresh();
        },
      }),
      ...(ground.turn && { turn: ground.turn }),
    });
    stops.add(() => recording.stop());
    const flows = startFlows({
      clock,
      bus,
      log,
      store,
      primaryVenue: primaryVenue.id,
      coins: flowCoins,
      retentionDays,
      ...(past && { pastIsThere: past.isThere }),
    });
    stops.add(() => flows.stop());
    const historyRecorder = startHistoryRecorder({
      clock,
      bus,
      log,
      retentionDays,
      shelf: new HistoryShelf(store),
      sample: (t) =>
        sampleHistory(t, primaryVenue.id, (venue) => ({
          openInterest: bus.latest(snapshotTopic(venue, 'openInterest'))?.message,
          funding: bus.latest(snapshotTopic(venue, 'funding'))?.message,
        })),
    });
    stops.add(() => historyRecorder.stop());
    const books = new BookKeeper({ venue: primaryVenue.id, clock, bus });
    stops.add(() => books.stop());
    const spotTape = new SpotTape({ bus, venues: spotVenues });
    const receivers = [spotTape.receive, liquidations.receive, books.receive, recording.receive];
    await hearVenues(ground, sendToEach(receivers), stops);
    const optionWatch = watchOptions({ clock, bus, jobs, log });
    stops.add(() => optionWatch.stop());
    return {};
  });
}

/** The past that a simulated market is given when nothing of it is recorded. */
async function pastFor(
  { clock, log, settings, folder, builds, turn, upstream: { market } }: IngestGround,
  shelves: { ticks: TickShelf; ledger: GapLedger; flowCoins: readonly string[] },
): Promise<Past | undefined> {
  const days = settings.simHistoryDays;
  // A week of real size is 1.8 billion trades: recording starts with the service, as it does live.
  if (!market || market.size === 'real' || days === 0) return undefined;
  // What was imported stands: no past is made around it.
  const isNew = (await shelves.ledger.lastSpan()) === undefined && (await shelves.ticks.coins()).length === 0;
  if (!isNew) return undefined;
  const mark = turn?.pastMark ?? folderMark(folder);
  const parts = { clock, log, market, folder, mark, venue: primaryVenue.id, days };
  return createPast({ ...parts, ...shelves, jobs: builds });
}

/**
 * The same for one of several ingesters, which sees when it is its turn whether anything is recorded. Half a past, of one
 * that died or lost the server, is thrown away and made anew.
 */
function pastInTurn(
  ground: IngestGround,
  { pastMark }: { readonly pastMark: SharedPastMark },
  shelves: Parameters<typeof pastFor>[1],
): Past {
  const { clock, log } = ground;
  let settle: () => void = () => undefined;
  const isThere = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const make = async (signal: AbortSignal): Promise<void> => {
    await pastMark.clearUnfinished();
    const past = await pastFor(ground, shelves);
    await past?.seed(signal);
    void (past?.isThere ?? Promise.resolve()).then(settle);
  };
  return {
    isThere,
    async seed(signal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await make(signal);
        } catch (error) {
          signal.throwIfAborted();
          // With the mark on it, whoever comes next would throw away what is recorded from now on.
          const isClear = tries >= PAST_TRIES && (await isDone(pastMark.clearUnfinished()));
          if (isClear) throw error;
          log.warn({ err: error }, 'the past of the simulated market is begun anew');
          await sleep(clock, PAST_RETRY_MS, signal);
        }
      }
    },
  };
}

function isDone(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function hearVenues(
  { settings, clock, random, bus, log, store, jobs, upstream, turn }: IngestGround,
  sink: FeedSink,
  stops: Stops,
): Promise<void> {
  const kept = await KeptShelf.open<KeptAnswer>(store, 'kept-answers', log);
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
  const { all, etf } = chosenPublishers(settings);
  const engine = startEngine({
    venues: all,
    primaryVenue: primaryVenue.id,
    originsOf: (venue, connector) =>
      venue === etf ? connector.origins : originsOf(upstream, settings, venue),
    bus,
    clock,
    random,
    jobs,
    log,
    kept,
    sink,
    ...(turn && { turn: turn.led.then(takeUp) }),
    // A simulator is on the loopback, where no proxy is wanted.
    ...(settings.proxy === undefined || upstream.mode === 'sim' ? {} : { proxy: settings.proxy }),
  });
  stops.add(() => engine.stop());
}
