import { type Clock, onClockStep, type Print, sleep, type Trade } from '@crosstape/core';
import { watchFundingChanges } from '../perps/funding-changes.ts';
import { lastOrdersOf, printName, Prints } from '../whales/prints.ts';
import { printsOfTicks } from '../whales/prints-of-ticks.ts';
import { BufferingSink, isSocketEvent } from './buffering-sink.ts';
import type { FeedEvent, FeedSink } from '../../ingest/feed-sink.ts';
import type { FillSink, NodeFills } from '../../ingest/fills/node-fills.ts';
import { Tape } from './tape.ts';
import type { Bus, LogTopic } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import { type CandleSink, TickRecorder } from './tick-recorder.ts';
import { startWhaleRecorder } from '../whales/whale-recorder.ts';
import type { Gap, GapLedger } from './gap-ledger.ts';
import { isRecordedBy } from './is-recorded-by.ts';
import type { ArchivedChunks, TickTable } from './tick-table.ts';
import { TickBuffer } from './tick-buffer.ts';
import { recordedSpan } from './recorded-span.ts';
import { SEAM_MS, STANDBY_MS } from './takeover.ts';
import { unrecordedOf } from './unrecorded-of.ts';
import { WHALE_FLOOR_USD, type WhaleTable } from '../whales/whale-table.ts';
import { gapTopic, printTopic, recorderHealthTopic, renewTopic, tradeTopic } from '../../topics.ts';

export interface RecordingOptions {
  /** Id of the venue whose trades are the tape. */
  readonly venue: string;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly ticks: TickTable;
  readonly ledger: GapLedger;
  readonly whales: WhaleTable;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /** The time, as far as our clock and the venues agree. */
  readonly nowMs: () => number;
  /** The recorded coins: `all`, or coins separated by commas. */
  readonly recordCoins: string;
  /** Writes candles with the trades. */
  readonly candles?: CandleSink;
  readonly archive?: ArchivedChunks | undefined;
  /** Called with every trade that is released to the tape. */
  readonly onTrade: (trade: Trade) => void;
  /** Fills an empty store with history before anything is added. Trades are buffered meanwhile. */
  readonly seed?: (signal: AbortSignal) => Promise<void>;
  /** Called before the first trade is released. */
  readonly onOpen?: (signal: AbortSignal) => void;
  /** A directory with fills: trades missing since the record ended are read from it before the sockets'. */
  readonly fills?: Pick<NodeFills, 'start'> | undefined;
  /** Standby ingesters buffer records here and publish them if the leader's lease expires. */
  readonly turn?: RecordingTurn;
}

/** Leadership among several ingesters: when it is acquired, and the previous leader's recent output. */
export interface RecordingTurn {
  /** Resolves when this process becomes the leader. */
  acquired(signal: AbortSignal): Promise<void>;
  /** Trades that the previous leader published in the last minutes, by coin, oldest first. */
  trades(): Iterable<readonly Trade[]>;
  prints(): readonly Print[];
}

export interface Recording {
  /** Receives the trades of the tape's venue, and the state of their sockets. */
  readonly receive: FeedSink;
  /** Writes everything that is pending. */
  stop(): Promise<void>;
}

/** The feed whose frames the tape is made of. */
const TRADES_FEED = 'trades';

/** Delay between attempts to read the previous leader's record. */
const OPEN_RETRY_MS = 500;

/** Trades that are read from a directory before they are written. */
const CATCH_UP_TRADES = 50_000;

/** Joins tape, prints and recorders for frames of the primary venue. */
export async function startRecording(options: RecordingOptions): Promise<Recording> {
  const { venue, clock, bus, log, whales, retentionDays, keptFromMs, recordCoins, seed, turn, onOpen } =
    options;
  const { fills } = options;
  const isRecorded = isRecordedBy(recordCoins);
  const buffer = new BufferingSink(turn ? { keepMs: STANDBY_MS } : {});
  const whaleRecorder = startWhaleRecorder({
    clock,
    log,
    retentionDays,
    keptFromMs,
    isRecorded: ({ coin }) => isRecorded(coin),
    bus,
    topic: printTopic,
    table: whales,
  });
  const unwatch = watchFundingChanges(bus, venue);
  const abort = new AbortController();
  const begin = async (): Promise<Chain | undefined> => {
    const chain = turn ? await openChainPatiently(options, abort.signal) : await openChain(options);
    if (!chain) return undefined;
    await fills?.start(chain.lastRecordedMs, chain.fills);
    if (abort.signal.aborted) return chain;
    whaleRecorder.add(chain.unstored);
    onOpen?.(abort.signal);
    const { droppedUntilMs } = buffer.open(chain.receive, chain.sinceMs);
    if (droppedUntilMs !== undefined)
      log.error({ droppedUntilMs }, 'trades were dropped because the tape was not open yet');
    return chain;
  };
  // With nothing to seed, open the tape before the first trade.
  const wait = async (): Promise<boolean> => {
    await turn?.acquired(abort.signal);
    return abort.signal.aborted ? false : seed ? seeded(seed, abort.signal, log) : true;
  };
  const begun =
    seed === undefined && turn === undefined && fills === undefined
      ? Promise.resolve(await begin())
      : wait().then((isOver) => (isOver ? begin() : undefined));
  return {
    receive: (event) => {
      if (event.venue !== venue || event.feed !== TRADES_FEED) return;
      if (isSocketEvent(event)) buffer.receive(event);
    },
    async stop() {
      abort.abort(new Error('the service stops'));
      unwatch();
      const chain = await begun;
      chain?.flush();
      await whaleRecorder.stop();
      await chain?.recorder.stop();
    },
  };
}

/** With several ingesters: retries while Redis does not respond; the sink buffers frames meanwhile. */
async function openChainPatiently(
  options: RecordingOptions,
  signal: AbortSignal,
): Promise<Chain | undefined> {
  const { clock, log } = options;
  while (!signal.aborted) {
    try {
      return await openChain(options);
    } catch (error) {
      // A permanent error must surface, not be retried forever.
      if (!(error instanceof Failure)) throw error;
      log.warn({ err: error }, 'cannot resume the tape yet; retrying');
      await sleep(clock, OPEN_RETRY_MS, signal).catch(() => undefined);
    }
  }
  return undefined;
}

/** Runs the seed. A failed seed does not prevent recording; false only on shutdown. */
async function seeded(
  seed: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  log: Log,
): Promise<boolean> {
  try {
    await seed(signal);
  } catch (error) {
    if (signal.aborted) return false;
    log.error({ err: error }, 'failed to seed simulated history');
  }
  return true;
}

/** Tape, prints and tick recorder, restored from the record. */
interface Chain {
  readonly receive: FeedSink;
  readonly recorder: TickRecorder;
  /** Large prints whose trades were stored, but which were not. */
  readonly unstored: readonly Print[];
  /** Earlier trades are on the tape already. */
  readonly sinceMs?: number;
  /** Up to when the tape was recorded earlier. */
  readonly lastRecordedMs: number | undefined;
  readonly fills: FillSink;
  flush(): void;
}

async function openChain(options: RecordingOptions): Promise<Chain> {
  const { venue, clock, bus, log, ticks, ledger, whales, retentionDays, recordCoins, onTrade, turn } =
    options;
  const { keptFromMs, nowMs } = options;
  const lastRecordedMs = (await recordedSpan(ledger, ticks, clock.now()))?.to;
  const published = new Set(turn?.prints().map(printName));
  const prints = new Prints({
    clock,
    emit: (print: Print) => {
      if (published.size === 0 || !published.delete(printName(print))) bus.publish(printTopic, print);
    },
  });
  const connectedSpan = (): typeof tape.connectedSpan => tape.connectedSpan;
  const publishGap = ({ coin, ...notice }: Gap): void =>
    bus.publish(gapTopic(coin), { ts: clock.now(), ...notice });
  const recorder = new TickRecorder({
    venue,
    clock,
    log,
    retentionDays,
    keptFromMs,
    recordCoins,
    table: ticks,
    ledger,
    connectedSpan,
    candles: options.candles,
    archive: options.archive,
    onHealth: (health) => bus.publish(recorderHealthTopic, health),
    onLate: publishGap,
  });
  /** Cached by coin: creating a topic costs more than publishing a trade. */
  const topics = new Map<string, LogTopic<Trade>>();
  const tape = new Tape({
    venue,
    clock,
    nowMs,
    release: (trade: Trade) => {
      recorder.add(trade);
      let topic = topics.get(trade.coin);
      if (!topic) topics.set(trade.coin, (topic = tradeTopic(trade.coin)));
      bus.publish(topic, trade);
      prints.add(trade);
      onTrade(trade);
    },
    onGap: (gap) => {
      recorder.enter(gap);
      publishGap(gap);
    },
    onSuspected: (coins) => {
      log.warn({ coins: coins.length, first: coins[0] }, 'trades may be missing: subscribing again');
      bus.publish(renewTopic, { venue, feed: TRADES_FEED, topics: coins });
    },
    ...(lastRecordedMs === undefined ? {} : { lastRecordedMs }),
  });
  const steps = onClockStep(clock, (fromMs, toMs) => tape.clockStepped(fromMs, toMs));
  const printedMs = Math.max(0, (lastRecordedMs ?? 0) - PRINTS_BEHIND_MS);
  // Everything that can fail comes before anything is added: otherwise a retry would record it twice.
  const { recorded, unstored } = await restored(recorder, whales, printedMs);
  // Trades are streamed before the first are written: health is reported from the start.
  bus.publish(recorderHealthTopic, recorder.health);
  tape.restore(recorded);
  for (const trades of turn?.trades() ?? []) resumeCoin(trades, recorded, { tape, recorder, prints });
  const receive = (event: FeedEvent): void => {
    // The tape tracks outages itself, and the venue's back-fill arrives as frames.
    if (!isSocketEvent(event)) return;
    if (event.type === 'refused') return tape.refused(event);
    if (event.type === 'frame') {
      const { frame, receivedAtMs, socket } = event;
      if (frame.kind === 'trades') tape.add(frame.trades, frame.isBackfill, receivedAtMs, socket);
      return;
    }
    const { type: _, ...change } = event;
    log.info({ ...change }, `${venue} socket ${event.kind}`);
    tape.socket(event);
  };
  return {
    recorder,
    unstored,
    ...(turn && lastRecordedMs !== undefined && { sinceMs: lastRecordedMs - SEAM_MS }),
    lastRecordedMs,
    receive,
    fills: {
      async past(trades) {
        tape.catchUp(trades);
        if (recorder.health.unwritten >= CATCH_UP_TRADES) await recorder.write();
      },
      caughtUp: (toMs, missing) => tape.caughtUp(toMs, missing),
      receive,
    },
    flush() {
      steps.cancel();
      tape.flush();
      prints.flush();
    },
  };
}

/** Restores the record. Stops the recorder if it cannot be read. */
async function restored(
  recorder: TickRecorder,
  whales: WhaleTable,
  sinceMs: number,
): Promise<{ readonly recorded: readonly Trade[]; readonly unstored: readonly Print[] }> {
  try {
    const recorded = await recorder.restore();
    return { recorded, unstored: await unstoredPrints(whales, recorded, sinceMs) };
  } catch (error) {
    await recorder.stop();
    throw error;
  }
}

/** Records what the previous leader published of a coin but did not record, and continues its last orders. */
function resumeCoin(
  published: readonly Trade[],
  recorded: readonly Trade[],
  { tape, recorder, prints }: { tape: Tape; recorder: TickRecorder; prints: Prints },
): void {
  const coin = published[0]?.coin;
  const own = recorded.filter((trade) => trade.coin === coin);
  for (const trade of unrecordedOf(published, own)) recorder.add(trade);
  tape.restore(published);
  for (const trade of lastOrdersOf(published)) prints.add(trade);
}

/** Prints are written after their trades: after a crash, those of this long before the end of the record are looked for. */
const PRINTS_BEHIND_MS = 60_000;
const PRINT_SCAN_MAX = 10_000;

/** The large prints of recorded trades since a time that are not in the table. */
async function unstoredPrints(
  whales: WhaleTable,
  recorded: readonly Trade[],
  sinceMs: number,
): Promise<readonly Print[]> {
  const query = { minUsd: WHALE_FLOOR_USD, sinceMs, limit: PRINT_SCAN_MAX };
  const stored = new Set((await whales.newest(query)).map(printName));
  const byCoin = new Map<string, TickBuffer>();
  for (const trade of recorded) {
    const ticks = byCoin.get(trade.coin);
    if (ticks) ticks.add(trade);
    // An order that began earlier is incomplete here.
    else if (trade.ts >= sinceMs && !trade.sameOrder) {
      const begun = new TickBuffer();
      begun.add(trade);
      byCoin.set(trade.coin, begun);
    }
  }
  const venue = recorded[0]?.venue ?? '';
  return [...byCoin]
    .flatMap(([coin, ticks]) => printsOfTicks({ coin, venue }, ticks, WHALE_FLOOR_USD))
    .filter((print) => !stored.has(printName(print)));
}
