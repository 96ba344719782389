import { type Candle, type Clock, DAY_MS, HOUR_MS, intervalStart, venueCandles } from '@crosstape/core';
import { type VenueInterval, venueIntervalsMs } from '@crosstape/venues';
import type { CandleSource } from '../../ingest/candle-client.ts';
import type { BackfillDays } from '../../platform/backfill-days.ts';
import type { Change, Store } from '../../store/store.ts';
import {
  type ScheduleRequest,
  type BackfillPiece,
  type BackfillTask,
  EMPTY_MAX,
} from '../backfill/backfill.ts';
import { type BackfillState, BackfillTable } from '../backfill/backfill-table.ts';
import { type CandleLevel, CandleTable, hourLevel, minuteLevel } from './candle-table.ts';
import type { OpenedMarket } from './opened-markets.ts';
import { firstTapeTs } from './settle-candles.ts';

const levels: Readonly<Record<VenueInterval, CandleLevel>> = { '1h': hourLevel, '1m': minuteLevel };
const intervals: readonly VenueInterval[] = ['1h', '1m'];

export interface CandleTasksOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly days: BackfillDays;
  /** The recorded markets of a publisher, most traded first. */
  readonly marketsOf: (publisher: string) => Promise<readonly OpenedMarket[]>;
  /** Writes to the ledger exclusively. */
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

/** Stores the venues' own candles of the time before the record: hours, then minutes of each market, newest first. */
export class CandleTasks {
  readonly #options: CandleTasksOptions;
  readonly #table: CandleTable;
  readonly #states: BackfillTable;

  constructor(options: CandleTasksOptions) {
    this.#options = options;
    this.#table = new CandleTable(options.store);
    this.#states = new BackfillTable(options.store);
  }

  of(source: CandleSource): BackfillTask {
    const venue = source.publisher.id;
    return {
      kind: 'candles',
      venue,
      weightPerMinute: source.weightPerMinute,
      targets: async () => {
        const markets = await this.#options.marketsOf(venue);
        return markets.map((market) => ({ market: market.id, next: () => this.#next(source, market) }));
      },
    };
  }

  async #next(source: CandleSource, market: OpenedMarket): Promise<BackfillPiece | undefined> {
    for (const interval of intervals) {
      const piece = await this.#newest(source, market, interval);
      if (piece) return { fill: (ask) => this.#fill(source, piece, ask) };
    }
    return undefined;
  }

  /** The newest candles of a market that are not stored yet; `undefined` if there are none. */
  async #newest(
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

  /** Requests and stores one piece; returns its cost. */
  async #fill(
    source: CandleSource,
    { market, interval, fromMs, toMs, empty }: Piece,
    ask: ScheduleRequest,
  ): Promise<number> {
    const { symbol, restSymbol, units } = market;
    const span = {
      market: { symbol, ...(restSymbol !== undefined && { restSymbol }) },
      interval,
      fromMs,
      toMs,
    };
    const { weight = source.candles.weight } = source.candles.request(span);
    const rows = venueCandles(await ask(() => source.read(span)), units);
    const state: BackfillState = { from: fromMs, empty: rows.length === 0 ? empty + 1 : 0 };
    await this.#options.inTurn(async () => {
      const changes = await this.#storing(market.id, levels[interval], rows);
      await this.#table.commit([...changes, this.#states.putting(market.id, interval, state)]);
      // A span may begin within a block that is joined already.
      await this.#table.join(levels[interval], market.id, (await this.#recordStart(market)) ?? toMs);
    });
    return weight;
  }

  /** Changes that add candles to the blocks of the ledger; existing ones are kept. */
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
}
