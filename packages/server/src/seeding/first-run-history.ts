import { type Clock, DAY_MS, HOUR_MS, sleep } from '@crosstape/core';
import { type Coin, createMarket } from '@crosstape/simulator';
import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { GapLedger } from '../features/tape/gap-ledger.ts';
import type { PastMark } from './unfinished-history.ts';
import type { TickTable } from '../features/tape/tick-table.ts';
import { type Seeding, seedingTopic } from '../topics.ts';
import { seedFlowsTask } from './seed-flows.ts';
import { seedHistoriesTask } from './seed-histories.ts';
import type { SeedOrder } from './seed-order.ts';
import { type SeedTicks, seedTicksTask } from './seed-ticks.ts';

/** Jobs that the coins are divided among, so that every thread has work. */
const SHARES = 4;
/** Shares of the whole work, as measured. */
const WORK = { ticks: 0.5, histories: 0.1, flows: 0.4 };
/** Every step after the newest day writes the same rows again when it is repeated. */
const STEP_ATTEMPTS_MAX = 3;
const STEP_RETRY_MS = 3_000;

export interface FirstRunHistoryOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly jobs: JobRunner;
  readonly log: Log;
  readonly ticks: TickTable;
  readonly ledger: GapLedger;
  /** The simulated market. */
  readonly market: Pick<SeedOrder, 'seed' | 'rate' | 'coins'>;
  readonly folder: string;
  readonly mark: PastMark;
  readonly venue: string;
  readonly days: number;
  /** The coins whose flows are followed. */
  readonly flowCoins: readonly string[];
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Gives a simulated market the history it would have if it had been recorded: trades, samples of open interest and
 * funding, and flows. The newest day comes first and the tape continues it; older days follow in the background.
 */
export class FirstRunHistory {
  /** Resolves when everything exists, or cannot be created. */
  readonly done: Promise<void>;
  readonly #options: FirstRunHistoryOptions;
  readonly #shares: readonly (readonly string[])[];
  readonly #startMs: number;
  /** The newest day, from a full hour on, so that chunks end where the recorder would end them. */
  readonly #recent: Range;
  /** The recorded range of the tape. */
  #tape: Range | undefined;
  #isOpen = false;
  #progress = 0;
  #running: Promise<void> | undefined;
  #markDone: () => void = () => undefined;

  constructor(options: FirstRunHistoryOptions) {
    this.#options = options;
    this.#startMs = options.clock.now();
    this.#shares = shareCoins(createMarket(options.market).coins, SHARES);
    const dayMs = Math.floor((this.#startMs - DAY_MS) / HOUR_MS) * HOUR_MS;
    this.#recent = { fromMs: Math.max(this.#fromMs, dayMs), toMs: this.#startMs };
    this.done = new Promise((resolve) => {
      this.#markDone = resolve;
    });
    this.#publish({ isDone: false });
  }

  /** Records the newest day; resolves when the tape can continue from it. */
  async seedRecent(signal: AbortSignal): Promise<void> {
    const { clock, log, ticks, ledger, mark, days } = this.#options;
    log.info(
      { days },
      'creating the first-run history; trades are buffered until its newest day is recorded',
    );
    await mark.set();
    const { fromMs } = this.#recent;
    await this.#seedTicks(this.#recent, 'tail', signal);
    // A second, short pass for the time that the first one took.
    const toMs = clock.now();
    if (toMs > this.#startMs) await this.#seedTicks({ fromMs: this.#startMs, toMs }, 'tail', signal);
    await ticks.commit([ledger.extending({ from: fromMs, to: toMs })]);
    this.#tape = { fromMs, toMs };
    this.#worked(WORK.ticks * this.#shareOfDays(this.#recent));
    log.info({ tookMs: toMs - this.#startMs }, 'the newest day of the first-run history is recorded');
  }

  /** To be called before the first trade is released: clients follow from here. Continues with the rest. */
  tapeOpened(signal: AbortSignal): void {
    this.#isOpen = true;
    if (!this.#tape) return this.#finish();
    this.#publish({ isDone: false });
    this.#running ??= this.#seedRest(signal);
  }

  /** Waits for running work; the signal ends it. */
  async stop(): Promise<void> {
    await this.#running;
  }

  get #fromMs(): number {
    return this.#startMs - this.#options.days * DAY_MS;
  }

  async #seedRest(signal: AbortSignal): Promise<void> {
    const { jobs, folder, market, venue, flowCoins, mark, log, clock } = this.#options;
    const range = { fromMs: this.#fromMs, toMs: this.#startMs };
    const order = { ...market, ...range, folder, venue };
    const histories = this.#attempt('open interest and funding', signal, async () => {
      await jobs.run(seedHistoriesTask, order, { signal });
      this.#worked(WORK.histories);
    });
    const older = this.#seedOlderDays(signal);
    const flows = async (coin: string): Promise<void> => {
      await this.#attempt(`flows of ${coin}`, signal, () =>
        jobs.run(seedFlowsTask, { ...order, coin }, { signal }),
      );
      this.#worked(WORK.flows / flowCoins.length);
    };
    await older;
    await Promise.all([histories, ...flowCoins.map(flows)]);
    if (signal.aborted) return;
    await this.#attempt('mark', signal, () => mark.remove());
    log.info({ tookMs: clock.now() - this.#startMs }, 'the first-run history is complete');
    this.#finish();
  }

  /** Day by day, newest first: each can be read as soon as it is written. */
  async #seedOlderDays(signal: AbortSignal): Promise<void> {
    const { ticks, ledger } = this.#options;
    for (let toMs = this.#recent.fromMs; toMs > this.#fromMs && !signal.aborted; ) {
      const day = { fromMs: Math.max(this.#fromMs, toMs - DAY_MS), toMs };
      await this.#attempt('trades', signal, async () => {
        await this.#seedTicks(day, 'chunk', signal);
        await ticks.commit([ledger.extending({ from: day.fromMs, to: day.toMs })]);
        if (this.#tape?.fromMs === toMs) this.#tape = { ...this.#tape, fromMs: day.fromMs };
      });
      this.#worked(WORK.ticks * this.#shareOfDays(day));
      toMs = day.fromMs;
    }
  }

  async #seedTicks(range: Range, rest: SeedTicks['rest'], signal: AbortSignal): Promise<void> {
    const { jobs, market, folder, venue } = this.#options;
    const order = { ...market, ...range, folder, venue, rest };
    const parts = this.#shares.map((coins) => jobs.run(seedTicksTask, { ...order, coins }, { signal }));
    // Waits for all, even if one has failed: a retry must not conflict with what the others still write.
    await Promise.allSettled(parts);
    await Promise.all(parts);
  }

  /** A failed part is logged and left out; the gap ledger never claims it. */
  async #attempt(what: string, signal: AbortSignal, step: () => Promise<unknown>): Promise<void> {
    const { clock, log } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await step();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (attempt === STEP_ATTEMPTS_MAX)
          return log.error({ err: error, what }, 'a part of the first-run history cannot be created');
        log.warn({ err: error, what }, 'a part of the first-run history is created again');
        await sleep(clock, STEP_RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  #shareOfDays({ fromMs, toMs }: Range): number {
    return (toMs - fromMs) / (this.#startMs - this.#fromMs);
  }

  #worked(share: number): void {
    this.#progress = Math.min(1, this.#progress + share);
    this.#options.log.info({ progress: Number(this.#progress.toFixed(2)) }, 'creating the first-run history');
    this.#publish({ isDone: false });
  }

  #finish(): void {
    this.#progress = 1;
    this.#publish({ isDone: true });
    this.#markDone();
  }

  #publish(state: Pick<Seeding, 'isDone'>): void {
    const tape = this.#isOpen && this.#tape && { tape: this.#tape };
    this.#options.bus.publish(seedingTopic, { ...state, progress: this.#progress, ...tape });
  }
}

/** The coins that have a market, in parts of about the same number of trades. */
function shareCoins(coins: readonly Coin[], parts: number): readonly (readonly string[])[] {
  const shares = Array.from({ length: parts }, () => ({ names: [] as string[], trades: 0 }));
  const listed = coins.filter(({ isDelisted, dex }) => !isDelisted && dex === '');
  for (const { name, tradesPerWeek } of listed.toSorted((a, b) => b.tradesPerWeek - a.tradesPerWeek)) {
    const least = shares.reduce((best, share) => (share.trades < best.trades ? share : best));
    least.names.push(name);
    least.trades += tradesPerWeek;
  }
  return shares.map(({ names }) => names);
}
