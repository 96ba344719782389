import { setMaxListeners } from 'node:events';
import { type Candle, type Clock, intervalStart, sleep, venueCandles } from '@crosstape/core';
import { type VenueInterval, venueIntervalsMs } from '@crosstape/venues';
import type { CandleSource } from '../../ingest/candle-client.ts';
import { SourceFailure } from '../../ingest/source-failure.ts';
import type { BackfillDays } from '../../platform/backfill-days.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import type { Change, Store } from '../../store/store.ts';
import { backfillTopic } from '../../topics.ts';
import { type BackfillState, BackfillTable } from './backfill-table.ts';
import { type CandleLevel, CandleTable, hourLevel, minuteLevel } from './candle-table.ts';
import type { OpenedMarket } from './opened-markets.ts';
import { firstTapeTs } from './settle-candles.ts';
import { whenCaughtUp } from './when-caught-up.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Of what a venue allows in a minute, so much is spent on the back-fill. */
const MINUTE_SHARE = 0.4;
/** Between two requests to a venue, however much it allows: recording and callers come first. */
const PAUSE_MIN_MS = 1_000;
/** One venue is asked at a time, and after an answer none is for this many times as long as it took. */
const REST_FACTOR = 4;
/** The venue has nothing older after this many requests in a row that return nothing. */
const EMPTY_MAX = 2;
/** After a failure the venue is left alone for this long. */
const RETRY_MS = 5 * MINUTE_MS;
/** After a round, until it is looked whether other markets are recorded. */
const ROUND_MS = MINUTE_MS;

const levels: Readonly<Record<VenueInterval, CandleLevel>> = { '1h': hourLevel, '1m': minuteLevel };
const intervals: readonly VenueInterval[] = ['1h', '1m'];

export interface CandleBackfillOptions {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly days: BackfillDays;
  /** The recorded markets of a publisher, most traded first. */
  readonly marketsOf: (publisher: string) => Promise<readonly OpenedMarket[]>;
  /** Writes to the ledger when nothing else does. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
}

/** One request that is left to make. */
interface Piece {
  readonly market: OpenedMarket;
  readonly interval: VenueInterval;
  readonly fromMs: number;
  readonly toMs: number;
  readonly empty: number;
}

/** Stores the venues' own candles of the time before the record: most traded markets first, newest candles first. */
export class CandleBackfill {
  readonly #options: CandleBackfillOptions;
  readonly #table: CandleTable;
  readonly #states: BackfillTable;
  readonly #sources: CandleSource[] = [];
  readonly #left = new Map<string, number>();
  readonly #stopping = new AbortController();
  #requests = 0;
  #asking: Promise<unknown> = Promise.resolve();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: CandleBackfillOptions) {
    this.#options = options;
    this.#table = new CandleTable(options.store);
    this.#states = new BackfillTable(options.store);
    // One for each venue that waits.
    setMaxListeners(0, this.#stopping.signal);
  }

  add(source: CandleSource): void {
    this.#sources.push(source);
  }

  /** Begins once every recorded trade is in the ledger. */
  start(): void {
    const { bus, days } = this.#options;
    if (days['1h'] === 0 && days['1m'] === 0) return;
    const leave = whenCaughtUp(bus, () => {
      this.#running = Promise.all(this.#sources.map((source) => this.#run(source)));
    });
    this.#stopping.signal.addEventListener('abort', leave, { once: true });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(source: CandleSource): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    const venue = source.publisher.id;
    while (!signal.aborted) {
      let waitMs = ROUND_MS;
      try {
        await this.#round(source);
      } catch (error) {
        if (signal.aborted) return;
        waitMs = RETRY_MS;
        // The health of the source says what the venue answers.
        if (!(error instanceof SourceFailure))
          log.error({ err: error, venue }, "the venue's candles cannot be stored");
      }
      await sleep(clock, waitMs, signal).catch(() => undefined);
    }
  }

  /** Requests everything that is left of a venue's markets. */
  async #round(source: CandleSource): Promise<void> {
    const { clock, marketsOf } = this.#options;
    const { signal } = this.#stopping;
    const venue = source.publisher.id;
    const markets = await marketsOf(venue);
    for (const [i, market] of markets.entries()) {
      this.#publish(venue, markets.length - i);
      for (const interval of intervals)
        for (let piece = await this.#next(source, market, interval); piece; ) {
          const weight = await this.#fill(source, piece);
          const pauseMs = (weight / (MINUTE_SHARE * source.weightPerMinute)) * MINUTE_MS;
          await sleep(clock, Math.max(PAUSE_MIN_MS, pauseMs), signal);
          piece = await this.#next(source, market, interval);
        }
    }
    this.#publish(venue, 0);
  }

  /** The newest candles of a market that are not stored yet; `undefined` when there are none. */
  async #next(
    { candles: { rowsMax, newestMax } }: CandleSource,
    market: OpenedMarket,
    interval: VenueInterval,
  ): Promise<Piece | undefined> {
    const { clock, days } = this.#options;
    const intervalMs = venueIntervalsMs[interval];
    const state = await this.#states.get(market.id, interval);
    const toMs = state?.from ?? (await this.#recordStart(market));
    if (toMs === undefined || (state && state.empty >= EMPTY_MAX)) return undefined;
    const reachMs = (newestMax?.[interval] ?? Number.POSITIVE_INFINITY) * intervalMs;
    const oldestMs = clock.now() - Math.min(days[interval] * DAY_MS, reachMs);
    const fromMs = Math.max(intervalStart(oldestMs, HOUR_MS) + HOUR_MS, toMs - rowsMax * intervalMs);
    return fromMs < toMs ? { market, interval, fromMs, toMs, empty: state?.empty ?? 0 } : undefined;
  }

  /** Start of the first recorded hour: the venue's candles end there. */
  async #recordStart(market: OpenedMarket): Promise<number | undefined> {
    const { id, symbol, ticks } = market;
    const sealedFrom = (await this.#table.state(id))?.tapeFrom ?? (await firstTapeTs(ticks, symbol));
    const tapeFrom = sealedFrom ?? market.recordedSinceMs;
    return tapeFrom === undefined ? undefined : intervalStart(tapeFrom, HOUR_MS);
  }

  /** Requests and stores one piece; returns what that cost. */
  async #fill(source: CandleSource, { market, interval, fromMs, toMs, empty }: Piece): Promise<number> {
    const { symbol, restSymbol, units } = market;
    const span = {
      market: { symbol, ...(restSymbol !== undefined && { restSymbol }) },
      interval,
      fromMs,
      toMs,
    };
    const { weight = source.candles.weight } = source.candles.request(span);
    const rows = venueCandles(await this.#ask(() => source.read(span)), units);
    const state: BackfillState = { from: fromMs, empty: rows.length === 0 ? empty + 1 : 0 };
    await this.#options.inTurn(async () => {
      const changes = await this.#storing(market.id, levels[interval], rows);
      await this.#table.commit([...changes, this.#states.putting(market.id, interval, state)]);
    });
    return weight;
  }

  /** Asks after all others, and then lets the venue, which may be a simulated one, do other work. */
  #ask<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    let tookMs = 0;
    const answer = this.#asking.then(async () => {
      signal.throwIfAborted();
      const fromMs = clock.now();
      this.#requests += 1;
      try {
        return await read();
      } finally {
        tookMs = clock.now() - fromMs;
      }
    });
    this.#asking = answer.then(() => sleep(clock, REST_FACTOR * tookMs, signal)).catch(() => undefined);
    return answer;
  }

  /** Changes that add candles to the blocks of the ledger; those that are there stay. */
  async #storing(market: string, level: CandleLevel, rows: readonly Candle[]): Promise<readonly Change[]> {
    const changes: Change[] = [];
    const starts = new Set(rows.map(({ ts }) => intervalStart(ts, level.blockMs)));
    for (const startTs of starts) {
      const added = rows.filter(({ ts }) => intervalStart(ts, level.blockMs) === startTs);
      const before = await this.#table.block(level, market, startTs);
      const known = new Set(before?.candles.map(({ ts }) => ts));
      const candles = [...(before?.candles ?? []), ...added.filter(({ ts }) => !known.has(ts))];
      // No recorded trade is in it yet: trades that are imported later replace it.
      const toTs = before?.toTs ?? startTs;
      changes.push(
        this.#table.putting(level, market, {
          startTs,
          toTs,
          candles: candles.toSorted((a, b) => a.ts - b.ts),
        }),
      );
    }
    return changes;
  }

  #publish(venue: string, marketsLeft: number): void {
    this.#left.set(venue, marketsLeft);
    const left = [...this.#left.values()].reduce((sum, one) => sum + one, 0);
    this.#options.bus.publish(backfillTopic, {
      isDone: left === 0 && this.#left.size === this.#sources.length,
      marketsLeft: left,
      requests: this.#requests,
    });
  }
}
