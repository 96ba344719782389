import { type Clock, type ConnectedSpan, HOUR_MS, type Liquidation } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import type { Retention } from '../../platform/retention.ts';
import { connectedVenuesTopic } from '../../topics.ts';
import { connectedWithin, hourOf, HourSums } from './hour-sums.ts';
import { HOURS_KEEP_MS, type LiquidationHourTable, type StoredHour } from './hour-table.ts';
import { LIQUIDATION_WINDOW_MS, LIQUIDATIONS_KEEP_MS, type LiquidationTable } from './liquidation-table.ts';

const WRITE_EVERY_MS = 30_000;
const PRUNE_EVERY_MS = HOUR_MS;
/** Hours of the past that are written together. */
const HOURS_PER_COMMIT = 24;

export interface HourRecorderOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly events: LiquidationTable;
  readonly hours: LiquidationHourTable;
  readonly keptFromMs: Retention;
}

/**
 * Keeps the sums of liquidations by hour. The hours within the window of the recorder are in memory, because a
 * liquidation may be received that late; they are written when they change. What a process did not write is added up
 * from the recorded liquidations by the next one. An earlier hour is added up from them again when one of it is received.
 */
export class LiquidationHourRecorder {
  readonly #options: HourRecorderOptions;
  readonly #sums = new Map<number, HourSums>();
  /** As last written, by hour. */
  readonly #written = new Map<number, string>();
  /** Hours before the window with a liquidation received since the last write, and those from before it. */
  #late = new Set<number>();
  #due = new Set<number>();
  readonly #stopping = new AbortController();
  readonly #timers;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  /** Resolves when the hours before the window that are due are written, too. */
  past: Promise<void> = Promise.resolve();

  /** Includes the record. */
  static async open(options: HourRecorderOptions): Promise<LiquidationHourRecorder> {
    const recorder = new LiquidationHourRecorder(options);
    const { clock, events, hours, log } = options;
    const nowMs = clock.now();
    const liveFromMs = firstLiveHour(nowMs);
    try {
      for await (const rows of events.since(liveFromMs)) for (const row of rows) recorder.add(row);
      const newestMs = await hours.newest();
      const keptFromMs = firstKeptHour(nowMs);
      const fromMs = newestMs === undefined ? keptFromMs : hourOf(newestMs - LIQUIDATION_WINDOW_MS);
      recorder.past = recorder.#addPast(Math.max(fromMs, keptFromMs), liveFromMs);
    } catch (error) {
      log.error({ err: error }, 'the hourly sums of liquidations cannot be read');
    }
    return recorder;
  }

  private constructor(options: HourRecorderOptions) {
    this.#options = options;
    const { clock } = options;
    this.#timers = [
      clock.every(WRITE_EVERY_MS, () => this.#onTime()),
      clock.every(PRUNE_EVERY_MS, () => this.#prune()),
    ];
  }

  /** Takes each liquidation once. */
  add(liquidation: Liquidation): void {
    const nowMs = this.#options.clock.now();
    const ts = hourOf(liquidation.ts);
    if (ts > nowMs + HOUR_MS) return;
    if (ts < firstLiveHour(nowMs)) {
      // The record of an earlier hour is no longer whole.
      if (ts >= firstKeptHour(nowMs)) this.#late.add(ts);
      return;
    }
    let sums = this.#sums.get(ts);
    if (!sums) this.#sums.set(ts, (sums = new HourSums()));
    sums.add(liquidation);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    this.#stopping.abort();
    await this.past;
    await this.#writing;
    await this.#writeOnce();
    await this.#addLate([...this.#due, ...this.#late]);
  }

  #onTime(): void {
    void this.#writeOnce();
    // One that has just been received may not be on record yet.
    const due = [...this.#due];
    [this.#due, this.#late] = [this.#late, new Set()];
    if (due.length > 0) this.past = this.past.then(() => this.#addLate(due));
  }

  #writeOnce(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { clock, hours, log } = this.#options;
    const nowMs = clock.now();
    const firstMs = firstLiveHour(nowMs);
    for (const known of [this.#sums, this.#written])
      for (const ts of known.keys()) if (ts < firstMs) known.delete(ts);
    const spans = this.#connectedSpans(nowMs);
    const changed: (StoredHour & { readonly text: string })[] = [];
    for (let ts = firstMs; ts <= nowMs; ts += HOUR_MS) {
      const stored = storedHour(ts, this.#sums.get(ts), spans, nowMs);
      const text = JSON.stringify(stored?.hour);
      if (stored && this.#written.get(ts) !== text) changed.push({ ...stored, text });
    }
    try {
      await hours.put(changed.map(({ ts, hour }) => ({ ts, hour })));
      for (const { ts, text } of changed) this.#written.set(ts, text);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.error({ err: error }, 'hourly sums of liquidations cannot be written');
      this.#isFailing = true;
    }
  }

  #connectedSpans(nowMs: number): readonly ConnectedSpan[] {
    const venues = this.#options.bus.latest(connectedVenuesTopic)?.message ?? [];
    return venues.flatMap(({ venue, past, openSinceMs: from }) => [
      ...past,
      ...(from === undefined ? [] : [{ venue, from, to: nowMs }]),
    ]);
  }

  async #addPast(fromMs: number, toMs: number): Promise<void> {
    const { events, log } = this.#options;
    try {
      await this.#addUp(fromMs, toMs, await events.spans(fromMs), this.#stopping.signal);
    } catch (error) {
      log.error({ err: error }, 'hourly sums of recorded liquidations cannot be written');
    }
  }

  /** Again later if that fails. */
  async #addLate(hours: readonly number[]): Promise<void> {
    if (hours.length === 0) return;
    const { events, log } = this.#options;
    try {
      const spans = await events.spans(Math.min(...hours));
      for (const ts of hours) await this.#addUp(ts, ts + HOUR_MS, spans);
    } catch (error) {
      for (const ts of hours) this.#late.add(ts);
      log.error({ err: error }, 'hourly sums of late liquidations cannot be written');
    }
  }

  /** Adds up the hours of `fromMs <= ts < toMs` from the recorded liquidations. */
  async #addUp(
    fromMs: number,
    toMs: number,
    spans: readonly ConnectedSpan[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { events, hours } = this.#options;
    const done: StoredHour[] = [];
    let [ts, sums] = [fromMs, new HourSums()];
    const finishUntil = (untilMs: number): void => {
      for (; ts < untilMs; ts += HOUR_MS) {
        const stored = storedHour(ts, sums, spans, toMs);
        if (stored) done.push(stored);
        sums = new HourSums();
      }
    };
    for await (const rows of events.since(fromMs)) {
      if (signal?.aborted) return;
      for (const row of rows) {
        if (row.ts >= toMs) break;
        finishUntil(hourOf(row.ts));
        sums.add(row);
      }
      while (done.length >= HOURS_PER_COMMIT) await hours.put(done.splice(0, HOURS_PER_COMMIT));
      if ((rows.at(-1)?.ts ?? 0) >= toMs) break;
      await nextTurn();
    }
    finishUntil(toMs);
    while (done.length > 0) await hours.put(done.splice(0, HOURS_PER_COMMIT));
  }

  #prune(): void {
    const { hours, log, keptFromMs } = this.#options;
    const beforeMs = keptFromMs(HOURS_KEEP_MS);
    if (beforeMs === undefined) return;
    hours
      .prune(hourOf(beforeMs))
      .catch((error: unknown) => log.error({ err: error }, 'old sums of liquidations cannot be removed'));
  }
}

/** The first hour that lies within the window of the recorder as a whole. */
function firstLiveHour(nowMs: number): number {
  return hourOf(nowMs - LIQUIDATION_WINDOW_MS) + HOUR_MS;
}

/** The first hour whose liquidations are kept as a whole. */
function firstKeptHour(nowMs: number): number {
  return hourOf(nowMs - LIQUIDATIONS_KEEP_MS) + HOUR_MS;
}

/** An hour that was recorded: with a connected feed, or a liquidation. */
function storedHour(
  ts: number,
  sums: HourSums | undefined,
  spans: readonly ConnectedSpan[],
  nowMs: number,
): StoredHour | undefined {
  const connectedMs = connectedWithin(spans, ts, Math.min(ts + HOUR_MS, nowMs));
  const hour = (sums ?? new HourSums()).hour(connectedMs);
  return Object.keys(hour.venues).length === 0 ? undefined : { ts, hour };
}
