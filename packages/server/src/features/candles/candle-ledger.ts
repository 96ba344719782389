import { type Clock, DAY_MS, HOUR_MS, type Liquidation, type MarketUnits, sleep } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import type { Retention } from '../../platform/retention.ts';
import type { Store } from '../../store/store.ts';
import { candlesTopic, liquidationTopic, seedingTopic } from '../../topics.ts';
import { liquidationKey, LiquidationTable } from '../liquidations/liquidation-table.ts';
import { GapLedger } from '../tape/gap-ledger.ts';
import { TickTable } from '../tape/tick-table.ts';
import { CandleTable } from './candle-table.ts';
import { CandleWriter } from './candle-writer.ts';
import { foldMissingHours } from './fold-missing-hours.ts';
import { MinuteLiquidations } from './minute-liquidations.ts';
import { settleMarket, SETTLED_AFTER_MS } from './settle-candles.ts';

const SETTLE_EVERY_MS = 10 * 60_000;
/** Liquidations of this long are read at the start: candles that old are not settled yet. */
const LIQUIDATIONS_MS = SETTLED_AFTER_MS + HOUR_MS;
/** Delay between attempts to fold the record. */
const RETRY_MS = 10_000;
const RECEIVED_MAX = 100_000;

export interface CandleLedgerOptions {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** How long candles are kept. */
  readonly candleDays: number;
  readonly keptFromMs: Retention;
}

interface Venue {
  readonly prefix: string;
  readonly ticks: TickTable;
  readonly gaps: GapLedger;
  readonly writer: CandleWriter;
  readonly unitsOf: (symbol: string) => MarketUnits | undefined;
}

/**
 * Maintains the ledger of candles: gives each recorder its writer, folds tape that has no candles yet, stores gaps and
 * hourly candles that no longer change, and removes old ones.
 */
export class CandleLedger {
  readonly #options: CandleLedgerOptions;
  readonly #table: CandleTable;
  readonly #liquidations = new MinuteLiquidations();
  readonly #venues: Venue[] = [];
  readonly #stopping = new AbortController();
  /** Liquidations received before the stored ones were read, which may include them. */
  readonly #received = new Set<string>();
  #isRead = false;
  #working = Promise.resolve();
  #leaves: (() => void)[] = [];

  constructor(options: CandleLedgerOptions) {
    this.#options = options;
    this.#table = new CandleTable(options.store);
    const leave = options.bus.subscribe(liquidationTopic, (one) => {
      this.#liquidations.add(one);
      if (!this.#isRead && this.#received.size < RECEIVED_MAX) this.#received.add(nameOf(one));
    });
    this.#leaves.push(leave);
  }

  /** The writer for the recorder of a venue's markets. */
  writer(prefix: string, unitsOf: Venue['unitsOf'] = () => undefined): CandleWriter {
    const { store, log } = this.#options;
    const ticks = new TickTable(store, prefix);
    const writer = new CandleWriter({
      prefix,
      table: this.#table,
      ticks,
      log,
      liquidations: this.#liquidations,
      unitsOf,
    });
    this.#venues.push({ prefix, ticks, gaps: new GapLedger(store, prefix), writer, unitsOf });
    return writer;
  }

  /** Begins once this process is the one that records. */
  start(): void {
    const { bus, clock } = this.#options;
    const timer = clock.every(SETTLE_EVERY_MS, () => this.#queue(() => this.#settle()));
    this.#leaves.push(() => timer.cancel());
    this.#queue(() => this.#readLiquidations());
    if (bus.latest(seedingTopic)?.message.isDone) this.#queue(() => this.#catchUp());
    // A history that is created writes to the tape itself.
    else {
      const leave = bus.subscribe(seedingTopic, ({ isDone }) => {
        if (!isDone) return;
        leave();
        this.#queue(() => this.#catchUp());
      });
      this.#leaves.push(leave);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const leave of this.#leaves.splice(0)) leave();
    await this.#working;
  }

  /** Runs `work` exclusively on the ledger; rejects as `work` does. */
  inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(() => {
      this.#stopping.signal.throwIfAborted();
      return work();
    });
    this.#working = done.catch(() => undefined);
    return done;
  }

  /** Runs one task at a time; a failure is logged, and the next attempt retries. */
  #queue(work: () => Promise<void>): void {
    const { signal } = this.#stopping;
    this.#working = this.#working
      .then(() => (signal.aborted ? undefined : work()))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.log.error({ err: error }, 'candles cannot be kept up to date');
      });
  }

  /** Liquidations of the last hours, for candles that are rewritten. Later ones arrive over the bus. */
  async #readLiquidations(): Promise<void> {
    const { store, clock } = this.#options;
    for await (const rows of new LiquidationTable(store).since(clock.now() - LIQUIDATIONS_MS))
      for (const row of rows) if (!this.#received.has(nameOf(row))) this.#liquidations.add(row);
    this.#received.clear();
    this.#isRead = true;
  }

  async #catchUp(): Promise<void> {
    const { bus, clock, log } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      try {
        let hours = 0;
        for (const { prefix, ticks, writer, unitsOf } of this.#venues)
          for (const symbol of await ticks.coins()) {
            if (signal.aborted) return;
            const beforeTs = writer.hourOf(symbol) ?? Number.MAX_SAFE_INTEGER;
            const market = { prefix, ticks, symbol, units: unitsOf(symbol) };
            hours += await foldMissingHours(this.#table, market, beforeTs, signal);
          }
        if (hours > 0) log.info({ hours }, 'recorded trades were folded into candles');
        bus.publish(candlesTopic, { isCaughtUp: true });
        return await this.#settle();
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, 'recorded trades cannot be folded into candles yet');
        await sleep(clock, RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  async #settle(): Promise<void> {
    const { bus, clock, candleDays, keptFromMs } = this.#options;
    const { signal } = this.#stopping;
    if (!bus.latest(candlesTopic)?.message.isCaughtUp) return;
    for (const { prefix, ticks, gaps } of this.#venues)
      for (const symbol of await ticks.coins()) {
        if (signal.aborted) return;
        await settleMarket({
          table: this.#table,
          ticks,
          gaps,
          prefix,
          symbol,
          nowMs: clock.now(),
          liquidations: this.#liquidations,
        });
      }
    const beforeMs = keptFromMs(candleDays * DAY_MS);
    if (beforeMs !== undefined) await this.#table.prune(beforeMs);
  }
}

function nameOf(liquidation: Liquidation): string {
  return liquidationKey(liquidation).join(' ');
}
