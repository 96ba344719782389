import { type Clock, DAY_MS, HOUR_MS, type Timer } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { PendingRows } from '../../platform/pending-rows.ts';
import { HISTORY_CADENCE_MS, type HistorySample, type HistoryTable } from './history-table.ts';
import { type SampleLedger, type SamplePoint, TEN_MINUTES_DAYS } from './samples/sample-ledger.ts';
import { historyTopic } from '../../topics.ts';
import type { Retention } from '../../platform/retention.ts';

/** Times whose samples wait while the store cannot be written to: a day; beyond it the oldest are dropped. */
const PENDING_MAX = 144;

/** The data of one time: the coins of the short histories, and every series of the ledger. */
export interface HistoryBatch {
  readonly samples: readonly HistorySample[];
  readonly points: readonly SamplePoint[];
}

export interface HistoryRecorderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: HistoryTable;
  readonly ledger: SampleLedger;
  readonly log: Log;
  readonly sample: (t: number) => HistoryBatch;
  readonly retentionDays: number;
  /** How long hours are kept. */
  readonly candleDays: number;
  readonly keptFromMs: Retention;
}

export interface HistoryRecorder {
  /** Times whose samples were dropped. */
  readonly dropped: number;
  /** Writes pending samples and stops. */
  stop(): Promise<void>;
}

/**
 * Takes a sample of open interest and funding on every multiple of the cadence, and prunes both tables to their retention.
 */
export function startHistoryRecorder(options: HistoryRecorderOptions): HistoryRecorder {
  const { clock, bus, table, ledger, log, sample, retentionDays, candleDays, keptFromMs } = options;
  let timer: Timer;
  let working = Promise.resolve();
  const pending = new PendingRows<HistoryBatch>({
    max: PENDING_MAX,
    what: 'histories',
    log,
    write: (batch) =>
      ledger.record(
        batch.flatMap(({ points }) => points),
        [table.appending(batch.flatMap(({ samples }) => samples))],
      ),
  });

  const record = async (t: number): Promise<void> => {
    await pending.write();
    if (!pending.isFailing) bus.publish(historyTopic, { t });
    await prune(t).catch((error: unknown) => log.error({ err: error }, 'old histories cannot be removed'));
  };
  const prune = async (t: number): Promise<void> => {
    const [beforeMs, tenMinutes, hours] = [retentionDays, TEN_MINUTES_DAYS, candleDays].map((days) =>
      keptFromMs(days * DAY_MS),
    );
    if (beforeMs === undefined || tenMinutes === undefined || hours === undefined) return;
    await table.prune(beforeMs);
    if (t % HOUR_MS === 0) await ledger.prune({ '10m': tenMinutes, '1h': hours });
  };
  const wait = (): void => {
    const nowMs = clock.now();
    const nextMs = (Math.floor(nowMs / HISTORY_CADENCE_MS) + 1) * HISTORY_CADENCE_MS;
    timer = clock.after(nextMs - nowMs, () => {
      pending.add(sample(nextMs));
      working = working.then(() => record(nextMs));
      wait();
    });
  };
  wait();

  return {
    get dropped() {
      return pending.dropped;
    },
    async stop() {
      timer.cancel();
      await working;
      await pending.write();
    },
  };
}
