import type { Clock, Print, Trade } from '@crosstape/core';
import { watchFundingChanges } from './analytics/funding-changes.ts';
import { Prints } from './analytics/prints.ts';
import type { FeedSink } from './ingest/feed-sink.ts';
import { HeldSink } from './ingest/held-sink.ts';
import { Tape } from './ingest/tape.ts';
import type { Bus } from './platform/bus.ts';
import type { Log } from './platform/log.ts';
import { TickRecorder } from './recorder/tick-recorder.ts';
import { startWhaleRecorder } from './recorder/whale-recorder.ts';
import type { GapLedger } from './store/gap-ledger.ts';
import type { TickShelf } from './store/tick-shelf.ts';
import type { WhaleShelf } from './store/whale-shelf.ts';
import { printTopic, recorderHealthTopic, tradeTopic } from './topics.ts';

export interface RecordingOptions {
  /** Id of the venue whose trades are the tape. */
  readonly venue: string;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly ticks: TickShelf;
  readonly ledger: GapLedger;
  readonly whales: WhaleShelf;
  readonly retentionDays: number;
  readonly isRecorded: (coin: string) => boolean;
  /** Told every trade that is released to the tape. */
  readonly onTrade: (trade: Trade) => void;
  /** Gives an empty store a past before anything is added to it. Trades wait until it is through. */
  readonly seed?: (signal: AbortSignal) => Promise<void>;
}

export interface Recording {
  /** Where the engine's feeds deliver. */
  readonly sink: FeedSink;
  /** Writes everything that is pending. */
  stop(): Promise<void>;
}

/** Joins tape, prints and recorders: what a frame of the primary venue sets in motion. */
export async function startRecording(options: RecordingOptions): Promise<Recording> {
  const { venue, clock, bus, log, whales, retentionDays, isRecorded, seed } = options;
  const sink = new HeldSink();
  const whaleRecorder = startWhaleRecorder({ clock, log, retentionDays, isRecorded, bus, shelf: whales });
  const unwatch = watchFundingChanges(bus, venue);
  const abort = new AbortController();
  const begin = async (): Promise<Chain> => {
    const chain = await openChain(options);
    const { droppedUntilMs } = sink.open(chain.sink);
    if (droppedUntilMs !== undefined)
      log.error({ droppedUntilMs }, 'too many trades came before the tape was open');
    return chain;
  };
  // Without a past to make, the tape is open before the first trade can come.
  const begun =
    seed === undefined
      ? Promise.resolve(await begin())
      : seeded(seed, abort.signal, log).then((isOver) => (isOver ? begin() : undefined));
  return {
    sink,
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

/** Whether the tape can begin. A past that cannot be made is told, and does without; one that is broken off is made anew at the next start. */
async function seeded(
  seed: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  log: Log,
): Promise<boolean> {
  try {
    await seed(signal);
  } catch (error) {
    if (signal.aborted) return false;
    log.error({ error }, 'the simulated market gets no history');
  }
  return true;
}

/** Tape, prints and tick recorder, with what was recorded before. */
interface Chain {
  readonly sink: FeedSink;
  readonly recorder: TickRecorder;
  flush(): void;
}

async function openChain(options: RecordingOptions): Promise<Chain> {
  const { venue, clock, bus, log, ticks, ledger, retentionDays, isRecorded, onTrade } = options;
  const prints = new Prints({ clock, emit: (print: Print) => bus.publish(printTopic, print) });
  const heard = (): typeof tape.heard => tape.heard;
  const recorder = new TickRecorder({
    venue,
    clock,
    log,
    retentionDays,
    isRecorded,
    shelf: ticks,
    ledger,
    heard,
    onHealth: (health) => bus.publish(recorderHealthTopic, health),
  });
  const lastHeardMs = (await ledger.lastSpan())?.to;
  const tape = new Tape({
    venue,
    clock,
    release: (trade: Trade) => {
      recorder.add(trade);
      bus.publish(tradeTopic(trade.coin), trade);
      prints.add(trade);
      onTrade(trade);
    },
    onHole: (hole) => recorder.enter(hole),
    ...(lastHeardMs === undefined ? {} : { lastHeardMs }),
  });
  tape.restore(await recorder.restore());
  return {
    recorder,
    sink: {
      frame: (received) => {
        const { frame, receivedAtMs, socket } = received;
        if (received.venue === venue && frame.kind === 'trades')
          tape.add(frame.trades, frame.isBackfill, receivedAtMs, socket);
      },
      refused: (refused) => {
        if (refused.venue === venue) tape.refused(refused);
      },
      socket: (change) => {
        log.info({ ...change }, `a socket of ${change.venue} is ${change.kind}`);
        if (change.venue === venue) tape.socket(change);
      },
    },
    flush() {
      tape.flush();
      prints.flush();
    },
  };
}
