import { setMaxListeners } from 'node:events';
import { type Clock, HOUR_MS, type Market, sleep } from '@crosstape/core';
import type { Publisher } from '@crosstape/venues';
import type { CandleLedger } from '../features/candles/candle-ledger.ts';
import { CandleTable } from '../features/candles/candle-table.ts';
import { importingCandles } from '../features/candles/import-candles.ts';
import { GapLedger } from '../features/tape/gap-ledger.ts';
import type { Bus } from '../platform/bus.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import { venueOf } from '../store/market-key.ts';
import type { Store } from '../store/store.ts';
import { marketSeedingTopic, recordedMarketsTopic } from '../topics.ts';
import { type SeededMarket, type SeedMarkets, seedMarketsTask } from './seed-markets.ts';

/** Coins whose markets get a history on secondary venues. */
const COINS: readonly string[] = ['BTC', 'ETH', 'SOL'];
const HOUR_ATTEMPTS_MAX = 3;
const HOUR_RETRY_MS = 3_000;
/** Between tries while the store cannot be read. */
const STORE_RETRY_MS = 30_000;
/** A venue whose markets are not recorded within this time gets no history. */
const VENUES_WAIT_MS = 5 * 60_000;

export interface MarketHistoryOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  /** Location of the store. */
  readonly folder: string;
  /** The simulated market. */
  readonly market: { readonly seed: number; readonly rate: number };
  /** For the hour in progress: trades wait for it. */
  readonly jobs: JobRunner;
  /** For the hours before, in the background. */
  readonly builds: JobRunner;
  readonly candles: Pick<CandleLedger, 'inTurn'>;
  /** Ids of the publishers whose markets may be recorded. */
  readonly publishers: readonly string[];
}

/** The markets of a venue that are given a history. */
interface SeededVenue {
  readonly publisher: string;
  readonly prefix: string;
  readonly markets: readonly Market[];
  /** Where its record begins: a full hour, or later within the hour that is not filled. */
  readonly recordedFromMs: number;
}

/**
 * Gives the largest markets of a simulated market's secondary venues the day that they would have if they had been
 * recorded. The hour in progress comes first, and live trades continue it; earlier hours follow in the background,
 * newest first. Each enters the gap ledger when it is written. A process that ends before the oldest hour leaves a
 * mark, and the next one continues.
 */
export class MarketHistory {
  readonly #options: MarketHistoryOptions;
  readonly #fromMs: number;
  readonly #stopping = new AbortController();
  /** Venues whose hours cannot be created. */
  readonly #failed = new Set<string>();
  /** The markets whose history is being created. */
  readonly #ids = new Set<string>();
  readonly #createdTo: Record<string, number> = {};
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  /** A venue may have been added since the last one was looked for. */
  #isAwaited = false;
  #isDone = false;
  /** Until then, venues that are not recorded yet are waited for. */
  #waitUntilMs = Infinity;
  readonly #leaves: (() => void)[] = [];

  private constructor(options: MarketHistoryOptions, fromMs: number) {
    this.#options = options;
    this.#fromMs = fromMs;
    // One for each venue whose first hour is created.
    setMaxListeners(0, this.#stopping.signal);
    this.#publish();
  }

  /** For a first run. */
  static async begin(options: MarketHistoryOptions, hours: number): Promise<MarketHistory> {
    const fromMs = hourOf(options.clock.now() - hours * HOUR_MS);
    await options.store.commit([marks(options.store).puts([{ key: MARK, value: { fromMs } }])]);
    return new MarketHistory(options, fromMs);
  }

  /** For a later run; `undefined` if nothing was left unfinished. */
  static async resume(options: MarketHistoryOptions): Promise<MarketHistory | undefined> {
    const mark = await marks(options.store).get(MARK);
    return mark && new MarketHistory(options, mark.fromMs);
  }

  /** Records the hour in progress. Without it, the record begins with the first live trade. */
  readonly prepare = async (publisher: Pick<Publisher, 'id'>, all: readonly Market[]): Promise<void> => {
    const { clock, jobs, log, store } = this.#options;
    const markets = all.filter(isSeeded);
    const [first] = markets;
    if (!first || this.#isDone) return;
    this.#announce(markets);
    const startMs = clock.now();
    const fromMs = Math.max(this.#fromMs, hourOf(startMs));
    const order = { publisher: publisher.id, markets, rest: 'tail' } as const;
    try {
      await this.#seed(jobs, { ...order, fromMs, toMs: startMs });
      // A second, short pass for the time that the first one took.
      const toMs = clock.now();
      if (toMs > startMs) await this.#seed(jobs, { ...order, fromMs: startMs, toMs });
      const ledger = new GapLedger(store, venueOf(first.id));
      await store.commit([ledger.extending({ from: fromMs, to: toMs, recordCoins: symbolsOf(markets) })]);
      this.#createdTo[publisher.id] = toMs;
      this.#publish();
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        log.warn({ err: error, venue: publisher.id }, 'the first hour of a venue cannot be created');
    }
  };

  /** Creates the hours before in the background, of each venue from when its markets are recorded on. */
  start(): void {
    if (this.#stopping.signal.aborted) return;
    const { bus, clock } = this.#options;
    this.#waitUntilMs = clock.now() + VENUES_WAIT_MS;
    const late = clock.after(VENUES_WAIT_MS, () => this.#wake());
    this.#leaves.push(
      bus.subscribe(recordedMarketsTopic, () => this.#wake()),
      () => late.cancel(),
    );
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    this.#end();
    await this.#running;
  }

  #end(): void {
    for (const leave of this.#leaves.splice(0)) leave();
  }

  #wake(): void {
    this.#isAwaited = true;
    if (this.#isRunning || this.#isDone) return;
    this.#isRunning = true;
    const { log, clock } = this.#options;
    const { signal } = this.#stopping;
    this.#running = this.#run()
      .catch(async (error: unknown) => {
        if (signal.aborted) return;
        log.error({ err: error }, 'the history of secondary markets cannot be created yet');
        await sleep(clock, STORE_RETRY_MS, signal).catch(() => undefined);
        this.#isAwaited = true;
      })
      .finally(() => {
        this.#isRunning = false;
        if (this.#isAwaited && !this.#stopping.signal.aborted) this.#wake();
      });
  }

  async #run(): Promise<void> {
    const { log, store, clock } = this.#options;
    const { signal } = this.#stopping;
    const startMs = clock.now();
    let hours = 0;
    for (;;) {
      this.#isAwaited = false;
      const venue = await this.#next();
      if (signal.aborted) return;
      if (!venue) break;
      this.#announce(venue.markets);
      hours += 1;
      await this.#seedPatiently(venue);
    }
    const followed = this.#followed();
    const isWhole = this.#options.publishers.every((id) => followed.has(id) || this.#failed.has(id));
    if (!isWhole && clock.now() < this.#waitUntilMs) return;
    await store.commit([marks(store).removes([MARK])]);
    this.#isDone = true;
    this.#end();
    this.#ids.clear();
    this.#publish();
    if (hours > 0)
      log.info({ hours, tookMs: clock.now() - startMs }, 'the history of secondary markets is complete');
  }

  /** The venue with the newest hour that is missing. */
  async #next(): Promise<SeededVenue | undefined> {
    const { store } = this.#options;
    let newest: SeededVenue | undefined;
    for (const [publisher, markets] of this.#followed()) {
      const prefix = venueOf(markets[0]?.id ?? '');
      const recordedFromMs = (await new GapLedger(store, prefix).recordedSinceMs()) ?? 0;
      if (hourOf(recordedFromMs) <= this.#fromMs || recordedFromMs <= (newest?.recordedFromMs ?? 0)) continue;
      newest = { publisher, prefix, markets, recordedFromMs };
    }
    return newest;
  }

  /** The markets that are given a history, of venues that record them now. */
  #followed(): ReadonlyMap<string, readonly Market[]> {
    const byPublisher = new Map<string, Market[]>();
    for (const { publisher, ...market } of this.#options.bus.latest(recordedMarketsTopic)?.message ?? []) {
      if (!isSeeded(market) || this.#failed.has(publisher)) continue;
      const markets = byPublisher.get(publisher);
      if (markets) markets.push(market);
      else byPublisher.set(publisher, [market]);
    }
    return byPublisher;
  }

  async #seedPatiently(venue: SeededVenue): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await this.#seedHour(venue);
      } catch (error) {
        if (signal.aborted) return;
        const fields = { err: error, venue: venue.publisher };
        if (attempt === HOUR_ATTEMPTS_MAX) {
          this.#failed.add(venue.publisher);
          return log.error(fields, 'the history of a venue cannot be created');
        }
        log.warn(fields, 'an hour of the history of a venue is created again');
        await sleep(clock, HOUR_RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  /** The hour before the record begins: trades first, then the ledgers that vouch for them. */
  async #seedHour({ publisher, prefix, markets, recordedFromMs }: SeededVenue): Promise<void> {
    const { builds, store, candles } = this.#options;
    const to = hourOf(recordedFromMs);
    const span = { from: to - HOUR_MS, to };
    const seeded = await this.#seed(builds, {
      publisher,
      markets,
      fromMs: span.from,
      toMs: span.to,
      rest: 'chunk',
    });
    await candles.inTurn(async () => {
      const table = new CandleTable(store);
      const changes = await Promise.all(
        seeded.map(({ id, minutes }) =>
          importingCandles(table, { market: id, span, minutes, isComplete: true }),
        ),
      );
      const ledger = new GapLedger(store, prefix);
      await store.commit([...changes.flat(), ledger.extending({ ...span, recordCoins: symbolsOf(markets) })]);
    });
  }

  #announce(markets: readonly Market[]): void {
    const { size } = this.#ids;
    for (const { id } of markets) this.#ids.add(id);
    if (this.#ids.size > size) this.#publish();
  }

  #publish(): void {
    this.#options.bus.publish(marketSeedingTopic, {
      isDone: this.#isDone,
      markets: [...this.#ids],
      createdTo: { ...this.#createdTo },
    });
  }

  #seed(
    jobs: JobRunner,
    order: Omit<SeedMarkets, 'folder' | 'seed' | 'rate'>,
  ): Promise<readonly SeededMarket[]> {
    const { folder, market } = this.#options;
    return jobs.run(seedMarketsTask, { ...order, ...market, folder }, { signal: this.#stopping.signal });
  }
}

const MARK = ['market history'];

/** Up to which time in the past an unfinished history is to reach. */
function marks(store: Store) {
  return store.table<{ readonly fromMs: number }>('marks', 'json');
}

function isSeeded({ coin }: Market): boolean {
  return COINS.includes(coin);
}

function symbolsOf(markets: readonly Market[]): string {
  return markets
    .map(({ symbol }) => symbol)
    .toSorted()
    .join(',');
}

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}
