import {
  type Clock,
  type ConnectedSpan,
  type Liquidation,
  notionalUsdOf,
  type VenueLiquidation,
} from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import {
  LIQUIDATION_WINDOW_MS,
  LIQUIDATIONS_KEEP_MS,
  LIQUIDATIONS_MAX,
  type LiquidationTable,
  liquidationKey,
} from './liquidation-table.ts';
import { connectedVenuesTopic, liquidationTopic } from '../../topics.ts';
import { joinSpans } from './join-spans.ts';
import type { Retention } from '../../platform/retention.ts';

const WRITE_EVERY_MS = 1_000;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Pending rows while the store cannot be written; beyond this the oldest are dropped, and counted. */
const PENDING_MAX = 50_000;
/** A liquidation received this much later, because it was missed, is not live. */
const LATE_MS = 60_000;

export interface LiquidationRecorderOptions {
  readonly keptFromMs: Retention;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly table: LiquidationTable;
  readonly log: Log;
  /** Receives each liquidation once. */
  readonly onTaken?: (liquidation: Liquidation) => void;
  /** The quote currency of each contract of a venue, and its rate in dollars, if known. */
  readonly worthsOf: (
    venue: string,
  ) => (symbol: string) => { readonly quote: string; readonly rate: number | undefined };
}

/** Takes the liquidations of all venues: each is published once, and written within a second. */
export class LiquidationRecorder {
  readonly #options: LiquidationRecorderOptions;
  /** Times by identity: venues repeat themselves, and whole windows are requested again. */
  readonly #remembered = new Map<string, number>();
  /** Before this time the identities are incomplete for lack of room. */
  #forgottenUntilMs = 0;
  readonly #venues = new Map<string, { down: Set<number>; open?: ConnectedSpan; past: ConnectedSpan[] }>();
  readonly #timers;
  #pending: Liquidation[] = [];
  #closed: ConnectedSpan[] = [];
  #writing: Promise<void> | undefined;
  #isFailing = false;
  dropped = 0;

  /** Includes the record. */
  static async open(options: LiquidationRecorderOptions): Promise<LiquidationRecorder> {
    const recorder = new LiquidationRecorder(options);
    const { clock, table, log } = options;
    const sinceMs = clock.now() - LIQUIDATION_WINDOW_MS;
    try {
      for await (const rows of table.since(sinceMs)) {
        for (const row of rows) recorder.#remember(row);
      }
      for (const span of await table.spans(sinceMs)) recorder.#venue(span.venue).past.push(span);
      for (const known of recorder.#venues.values()) known.past = joinSpans(known.past);
    } catch (error) {
      log.error({ err: error }, 'the liquidations recorded before cannot be read');
    }
    recorder.#publishConnections();
    return recorder;
  }

  private constructor(options: LiquidationRecorderOptions) {
    this.#options = options;
    const { clock } = options;
    this.#timers = [
      clock.every(WRITE_EVERY_MS, () => void this.#writeOnce()),
      clock.every(PRUNE_EVERY_MS, () => this.#prune()),
    ];
  }

  /** Liquidations as sent by a venue; `isPast` for history. */
  add(venue: string, liquidations: readonly VenueLiquidation[], isPast = false): void {
    const worthOf = this.#options.worthsOf(venue);
    const lateBeforeMs = isPast ? this.#options.clock.now() - LATE_MS : 0;
    for (const { coin, symbol, id, side, price, size, venueTs } of liquidations) {
      // Whether it is news is no longer known, and its window is no longer complete.
      if (isPast && venueTs <= this.#forgottenUntilMs) continue;
      const { quote, rate } = worthOf(symbol);
      this.take({
        coin,
        venue,
        symbol,
        ...(id !== undefined && { id }),
        side,
        price,
        size,
        notionalUsd: notionalUsdOf(price * (rate ?? 1), size),
        ...(quote !== 'USD' && { quote }),
        ...(rate === undefined && { isUnconverted: true }),
        ts: venueTs,
        inferred: false,
        ...(venueTs < lateBeforeMs && { isLate: true }),
      });
    }
  }

  /** A repeated one is counted once. */
  take(liquidation: Liquidation): void {
    if (!this.#remember(liquidation)) return;
    this.#pending.push(liquidation);
    this.#options.onTaken?.(liquidation);
    this.#options.bus.publish(liquidationTopic, liquidation);
  }

  /** A socket of a venue's feed starts or stops delivering. A venue is connected while none of its sockets is down. */
  socket(venue: string, socket: number, kind: 'up' | 'down', atMs: number): void {
    const known = this.#venue(venue);
    if (kind === 'down') known.down.add(socket);
    else known.down.delete(socket);
    if (known.down.size === 0) known.open ??= { venue, from: atMs, to: atMs };
    else if (known.open) {
      const span = { ...known.open, to: atMs };
      delete known.open;
      known.past.push(span);
      this.#closed.push(span);
    }
    this.#publishConnections();
  }

  /** All liquidations of a venue in a span are here, although its feed was down. */
  bridge(span: ConnectedSpan): void {
    const { venue } = span;
    const known = this.#venue(venue);
    const open = known.open ? [{ ...known.open, to: Number.POSITIVE_INFINITY }] : [];
    const spans = joinSpans([...known.past, span, ...open]);
    if (known.open) {
      const from = spans.pop()?.from ?? known.open.from;
      known.open = { venue, from, to: from };
    }
    known.past = spans;
    this.#closed.push(...spans);
    this.#publishConnections();
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    await this.#writing;
    await this.#write();
  }

  #publishConnections(): void {
    const connected = [...this.#venues].map(([venue, { open, past }]) => ({
      venue,
      past: [...past],
      ...(open ? { openSinceMs: open.from } : {}),
    }));
    this.#options.bus.publish(connectedVenuesTopic, connected);
  }

  #venue(venue: string): { down: Set<number>; open?: ConnectedSpan; past: ConnectedSpan[] } {
    let known = this.#venues.get(venue);
    if (!known) this.#venues.set(venue, (known = { down: new Set(), past: [] }));
    return known;
  }

  /** Whether the liquidation is new. */
  #remember(liquidation: Liquidation): boolean {
    const key = liquidationKey(liquidation).join(' ');
    if (this.#remembered.has(key)) return false;
    this.#remembered.set(key, liquidation.ts);
    if (this.#remembered.size > LIQUIDATIONS_MAX) {
      const [oldest] = this.#remembered;
      if (oldest) {
        this.#remembered.delete(oldest[0]);
        this.#forgottenUntilMs = Math.max(this.#forgottenUntilMs, oldest[1]);
      }
    }
    return true;
  }

  #writeOnce(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { clock, table, log } = this.#options;
    const nowMs = clock.now();
    const rows = this.#pending;
    const closed = this.#closed;
    const open = [...this.#venues.values()].flatMap((known) =>
      known.open ? [{ ...known.open, to: nowMs }] : [],
    );
    if (rows.length === 0 && closed.length === 0 && open.length === 0) return;
    this.#pending = [];
    this.#closed = [];
    try {
      await table.append(rows, [...closed, ...open]);
      this.#isFailing = false;
    } catch (error) {
      this.#pending = [...rows, ...this.#pending];
      this.#closed = [...closed, ...this.#closed].slice(-PENDING_MAX);
      const excess = Math.max(0, this.#pending.length - PENDING_MAX);
      this.dropped += excess;
      this.#pending.splice(0, excess);
      if (!this.#isFailing) log.error({ err: error }, 'liquidations cannot be written; they wait in memory');
      this.#isFailing = true;
    }
  }

  #prune(): void {
    const { clock, table, log, keptFromMs } = this.#options;
    const beforeMs = clock.now() - LIQUIDATION_WINDOW_MS;
    for (const known of this.#venues.values()) {
      known.past = known.past.filter(({ to }) => to > beforeMs);
    }
    for (const [key, ts] of this.#remembered) if (ts < beforeMs) this.#remembered.delete(key);
    this.#publishConnections();
    const removedBeforeMs = keptFromMs(LIQUIDATIONS_KEEP_MS);
    if (removedBeforeMs === undefined) return;
    table
      .prune(removedBeforeMs)
      .catch((error: unknown) => log.error({ err: error }, 'old liquidations cannot be removed'));
  }
}
