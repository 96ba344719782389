import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Trade } from '@crosstape/core';
import { createCandleReader } from '../../features/candles/candle-reader.ts';
import { createMarketReader } from '../../features/market-tape/market-reader.ts';
import { createRateHistory } from '../../features/rates/rate-history.ts';
import { createTapeCoverage } from '../../features/tape/tape-coverage.ts';
import { createTapeReader } from '../../features/tape/tape-reader.ts';
import type { Bus } from '../../platform/bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import { startThreadJobs } from '../../platform/thread-jobs.ts';
import { Rotations } from '../../features/rotations/rotations.ts';
import { type Gap, GapLedger } from '../../features/tape/gap-ledger.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { RotationTable } from '../../features/rotations/rotation-table.ts';
import { TableBlobs } from '../../store/table-blobs.ts';
import { TickBuffer } from '../../features/tape/tick-buffer.ts';
import { TickTable } from '../../features/tape/tick-table.ts';
import { tradeTopic } from '../../topics.ts';
import type { TapeParts } from './no-tape.ts';

export interface TestTapeOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  /** Its folder, which then stays. Default: a temporary folder. */
  readonly folder?: string | undefined;
  /** How long trades are kept; default: 7. */
  readonly retentionDays?: number | undefined;
  /** Where builds run and pages are printed; default: threads. */
  readonly jobs?: JobRunner;
}

/** A real tape in a temporary folder. */
export class TestTape implements TapeParts {
  readonly tape;
  readonly coverage;
  readonly markets;
  readonly candles;
  readonly rates;
  readonly jobs: JobRunner;
  rotations!: Rotations;
  readonly store: LmdbStore;
  readonly ticks: TickTable;
  readonly ledger: GapLedger;
  readonly builds: RotationTable;
  readonly folder: string;
  readonly #options: TestTapeOptions;
  #position = 0;

  static async open(options: TestTapeOptions): Promise<TestTape> {
    const tape = new TestTape(options);
    await tape.restart();
    return tape;
  }

  private constructor(options: TestTapeOptions) {
    this.#options = options;
    const { clock, bus, retentionDays = 7, jobs = startThreadJobs() } = options;
    this.jobs = jobs;
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'crosstape-'));
    this.store = new LmdbStore(this.folder);
    this.ticks = new TickTable(this.store);
    this.ledger = new GapLedger(this.store);
    this.builds = new RotationTable(this.store, new TableBlobs(this.store));
    this.tape = createTapeReader({ table: this.ticks, bus });
    this.coverage = createTapeCoverage({
      clock,
      bus,
      ledger: this.ledger,
      venue: 'hyperliquid',
      retentionDays,
      recordCoins: 'all',
    });
    const primary = { ticks: this.ticks, tape: this.tape, coverage: this.coverage };
    const venues = [
      { id: 'hyperliquid', aliases: ['hl'], kinds: ['perp'] as const },
      { id: 'okx', aliases: ['okex'], kinds: ['perp', 'spot'] as const },
    ];
    this.candles = createCandleReader({ store: this.store, bus });
    this.rates = createRateHistory({ store: this.store, bus });
    this.markets = createMarketReader({ store: this.store, bus, clock, retentionDays, venues, primary });
  }

  /** Restarts from the store, as the next process would. */
  async restart(): Promise<void> {
    this.rotations = await Rotations.start({
      ...this.#options,
      table: this.builds,
      ticks: this.ticks,
      tape: this.tape,
      coverage: this.coverage,
      markets: this.markets,
      jobs: this.jobs,
      folder: this.folder,
      venue: 'hyperliquid',
      tickAt: (price, sizeDecimals) => (price > 10_000 ? 1 : 10 ** -sizeDecimals),
    });
  }

  /** Puts trades of one coin on the tape, as a sealed chunk or as the newest ones. */
  async record(trades: readonly Trade[], place: 'sealed' | 'tail' | 'memory'): Promise<void> {
    const coin = trades[0]?.coin ?? '';
    const buffer = new TickBuffer();
    for (const trade of trades) buffer.add(trade);
    this.#position += 1;
    if (place === 'sealed') await this.ticks.commit(this.ticks.sealing(coin, buffer, trades.length, []));
    if (place === 'tail') {
      await this.ticks.commit(this.ticks.appending(coin, buffer, 0, trades.length, this.#position));
    }
    const { bus } = this.#options;
    if (place === 'memory') for (const trade of trades) bus.publish(tradeTopic(coin), trade);
  }

  /** Says that the feed was up for a while, but for these gaps. */
  async connected(from: number, to: number, ...gaps: readonly Gap[]): Promise<void> {
    await this.store.commit([this.ledger.extending({ from, to }), ...this.ledger.entering(gaps)]);
  }

  async close(): Promise<void> {
    await this.rotations.stop();
    await this.jobs.stop();
    await this.store.close();
    if (this.#options.folder === undefined) rmSync(this.folder, { recursive: true });
  }
}
