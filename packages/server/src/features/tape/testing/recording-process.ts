import { type Clock, type Random, SteadyClock, type Trade } from '@crosstape/core';
import { primaryVenue } from '@crosstape/venues';
import type { ConnectSocket } from '../../../ingest/feed-connection.ts';
import { FeedGroup } from '../../../ingest/feed-group.ts';
import { sendToEach } from '../../../ingest/feed-sink.ts';
import { VenueGate } from '../../../ingest/venue-gate.ts';
import { VenueHealth } from '../../../ingest/venue-health.ts';
import { VenueTime } from '../../../ingest/venue-time.ts';
import { LocalBus } from '../../../platform/local-bus.ts';
import type { Log } from '../../../platform/log.ts';
import { ProcessClock } from '../../../platform/testing/process-clock.ts';
import { ProcessStore } from '../../../store/testing/process-store.ts';
import type { Store } from '../../../store/store.ts';
import { renewTopic, seedingTopic } from '../../../topics.ts';
import { CandleLedger } from '../../candles/candle-ledger.ts';
import { WhaleTable } from '../../whales/whale-table.ts';
import { GapLedger } from '../gap-ledger.ts';
import { startRecording } from '../recording.ts';
import { TickTable } from '../tick-table.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface RecordingProcessOptions {
  /** Runs evenly and fires the timers. */
  readonly machine: Clock;
  /** The machine's time of day. */
  readonly wallMs: () => number;
  readonly random: Random;
  readonly store: Store;
  readonly log: Log;
  readonly connect: ConnectSocket;
  readonly retentionDays: number;
  /** Retention of candles; absent: none are recorded. */
  readonly candleDays?: number;
  readonly onTrade?: (trade: Trade) => void;
  readonly onCommitted?: () => void;
}

/** The path of the primary venue's trades from the socket to the store, as one process that can be stopped or killed. */
export interface RecordingProcess {
  readonly store: ProcessStore;
  /** The venue lists these coins now. */
  list(coins: readonly string[]): void;
  stop(): Promise<void>;
  /** Like `kill -9`: nothing is flushed. The venue closes its sockets. */
  kill(): void;
}

export async function startRecordingProcess(options: RecordingProcessOptions): Promise<RecordingProcess> {
  const { machine, wallMs, random, connect, retentionDays, candleDays, onTrade } = options;
  const log = { ...options.log };
  const { connector } = primaryVenue;
  const feed = connector?.feeds.find(({ name }) => name === 'trades');
  if (!connector || !feed) throw new Error('the primary venue has no trades');
  const timers = new ProcessClock(machine);
  const clock = new SteadyClock({
    wallMs,
    monotonicMs: () => machine.now(),
    after: (delayMs, run) => timers.after(delayMs, run),
    every: (periodMs, run) => timers.every(periodMs, run),
  });
  const bus = new LocalBus(clock);
  const store = new ProcessStore(options.store, options.onCommitted);
  const venueTime = new VenueTime({ clock, bus, log });
  const keptFromMs = (keepMs: number): number | undefined => venueTime.keptFromMs(keepMs);
  const candles =
    candleDays === undefined
      ? undefined
      : new CandleLedger({ store, bus, clock, log, keptFromMs, candleDays });
  const recording = await startRecording({
    venue: primaryVenue.id,
    clock,
    bus,
    log,
    ticks: new TickTable(store),
    ledger: new GapLedger(store),
    whales: new WhaleTable(store),
    retentionDays,
    keptFromMs,
    nowMs: () => venueTime.nowMs(),
    recordCoins: 'all',
    onTrade: (trade) => onTrade?.(trade),
    ...(candles && {
      candles: candles.writer(primaryVenue.id),
      onOpen: () => {
        bus.publish(seedingTopic, { isDone: true, progress: 1 });
        candles.start();
      },
    }),
  });
  const health = new VenueHealth({ venue: primaryVenue.id, bus, clock, log });
  const group = new FeedGroup({
    venue: primaryVenue.id,
    feed,
    origin: 'ws://venue',
    gate: new VenueGate({ connector, clock, random }),
    clock,
    random,
    openMeter: () => health.source('trades', ['trades']),
    warn: () => {},
    known: () => ({}),
    sink: sendToEach([venueTime.receive, recording.receive]),
    connect,
  });
  bus.subscribe(renewTopic, ({ topics }) => group.renew(topics));
  return {
    store,
    list: (coins) => group.list(coins.map((coin) => ({ coin, symbol: coin, sizeDecimals: 1 }))),
    async stop() {
      await group.stop();
      await recording.stop();
      await candles?.stop();
      venueTime.stop();
      health.stop();
    },
    kill() {
      Object.assign(log, silentLog);
      store.kill();
      timers.kill();
    },
  };
}
