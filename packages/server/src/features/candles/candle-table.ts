import {
  BadBlock,
  type CandleBlock,
  DAY_MS,
  encodeBlock,
  HOUR_MS,
  intervalStart,
  joinBlocks,
  type JoinedBlocks,
  MINUTE_MS,
  splitBlocks,
} from '@crosstape/core';
import { nextTurn } from '../../platform/next-turn.ts';
import { ReadBlock, type ReadBlocks } from './read-blocks.ts';
import { pagesOf, removeRange } from '../../store/pages.ts';
import type { Change, Entry, Key, Store, Table } from '../../store/store.ts';

/**
 * Candles are written in blocks: one row of the store has those of `blockMs`. Blocks that no longer change are joined:
 * one row then has those of `joinMs`, which fills the pages of the store.
 */
export interface CandleLevel {
  readonly table: string;
  readonly intervalMs: number;
  readonly blockMs: number;
  readonly joinMs: number;
}

export const minuteLevel: CandleLevel = {
  table: 'candles-1m',
  intervalMs: MINUTE_MS,
  blockMs: HOUR_MS,
  joinMs: DAY_MS,
};
export const hourLevel: CandleLevel = {
  table: 'candles-1h',
  intervalMs: HOUR_MS,
  blockMs: 2 * DAY_MS,
  joinMs: 32 * DAY_MS,
};
/** In the keys of joined blocks, between market and start: other blocks have a number there, and sort before. */
const JOINED = 'joined';

/** A span where trades of a market are or may be missing: half open, in ms. */
export interface CandleGap {
  readonly from: number;
  readonly to: number;
}

/** State of a market's candles. */
export interface LedgerState {
  /** When its tape begins: candles before it are the venue's. */
  readonly tapeFrom: number;
  /** Up to when gaps, liquidations and hourly candles are stored. */
  readonly settledTo: number;
}

export interface StoredBlock extends CandleBlock {
  readonly startTs: number;
}

/**
 * Stored gaps are no longer than a step of settling, or an imported day. The time between imported days and the record
 * may be longer, but has no other gap within it.
 */
const GAP_MS_MAX = hourLevel.blockMs;
/** Rows read or removed at a time. */
const PAGE_ROWS = 500;
const GAPS_MAX = 100_000;
const MARKETS_MAX = 20_000;

/** The ledger of candles: blocks of minutes and hours by market, their gaps, and how far they are settled. */
export class CandleTable {
  readonly #store: Store;
  readonly #blocks: ReadonlyMap<string, Table<Uint8Array>>;
  readonly #gaps: Table<CandleGap>;
  readonly #states: Table<LedgerState>;
  readonly #known: ReadBlocks | undefined;

  /** With `known`, blocks that are read often are decoded once. */
  constructor(store: Store, known?: ReadBlocks) {
    this.#store = store;
    this.#known = known;
    this.#blocks = new Map(
      [minuteLevel, hourLevel].map(({ table }) => [table, store.table(table, 'binary')]),
    );
    this.#gaps = store.table<CandleGap>('candle-gaps', 'json');
    this.#states = store.table<LedgerState>('candle-markets', 'json');
  }

  commit(changes: readonly Change[]): Promise<void> {
    return this.#store.commit(changes);
  }

  /** The change that replaces a block. */
  putting(level: CandleLevel, market: string, { startTs, ...block }: StoredBlock): Change {
    const value = encodeBlock(startTs, level.intervalMs, block);
    return this.#table(level).puts([{ key: [market, startTs], value }]);
  }

  puttingState(market: string, state: LedgerState): Change {
    return this.#states.puts([{ key: [market], value: state }]);
  }

  puttingGaps(market: string, gaps: readonly CandleGap[]): Change {
    return this.#gaps.puts(gaps.map((gap) => ({ key: [market, gap.from], value: gap })));
  }

  /** The change that replaces all gaps of a span. */
  async replacingGaps(market: string, span: CandleGap, gaps: readonly CandleGap[]): Promise<Change> {
    const stored = await this.gaps(market, span.from, span.to);
    const rests = stored.flatMap(({ from, to }) => [
      { from, to: Math.min(to, span.from) },
      { from: Math.max(from, span.to), to },
    ]);
    const { table, put } = this.puttingGaps(market, [...rests.filter(({ from, to }) => from < to), ...gaps]);
    return { table, put, remove: stored.map(({ from }): Key => [market, from]) };
  }

  async block(level: CandleLevel, market: string, startTs: number): Promise<ReadBlock | undefined> {
    // In this order: blocks are joined meanwhile.
    const loose = await this.#table(level).get([market, startTs]);
    const value = loose ?? (await this.#joined(level, market, startTs)).get(startTs);
    return value && new ReadBlock(level, market, startTs, value);
  }

  /** Blocks with a time in `from <= ts < to`, newest first, at most `limit`. */
  async newestBlocks(
    level: CandleLevel,
    market: string,
    from: number,
    to: number,
    limit: number,
  ): Promise<readonly ReadBlock[]> {
    const first = Math.max(0, intervalStart(from, level.blockMs));
    if (to <= first) return [];
    // Joined blocks last: blocks joined meanwhile are read twice rather than not at all.
    const range = { from: [market, first], to: [market, to], reverse: true, limit };
    const rows = await this.#table(level).range(range);
    const loose = rows.map(({ key, value }): [number, Uint8Array] => [key[1] as number, value]);
    const joinedFrom = loose.length < limit ? first : (loose.at(-1)?.[0] ?? first);
    const joined = await this.#newestJoined(level, market, joinedFrom, to, limit);
    // A block that was written again after it was joined counts.
    const newest =
      joined.size === 0 ? loose : [...new Map([...joined, ...loose])].toSorted(([a], [b]) => b - a);
    return newest
      .slice(0, limit)
      .map(
        ([startTs, value]) =>
          this.#known?.of(level, market, startTs, value) ?? new ReadBlock(level, market, startTs, value),
      );
  }

  /** Joined blocks that start in `from <= startTs < to`: all that are among the newest `limit`. */
  async #newestJoined(
    level: CandleLevel,
    market: string,
    from: number,
    to: number,
    limit: number,
  ): Promise<JoinedBlocks> {
    const found = new Map<number, Uint8Array>();
    const first = intervalStart(from, level.joinMs);
    for (let end = to; found.size < limit; ) {
      const count = Math.ceil(((limit - found.size) * level.blockMs) / level.joinMs) + 1;
      const range = { from: [market, JOINED, first], to: [market, JOINED, end], reverse: true, limit: count };
      const rows = await this.#table(level).range(range);
      for (const { key, value } of rows)
        for (const [startTs, bytes] of split(level, market, key[2] as number, value))
          if (startTs >= from && startTs < to) found.set(startTs, bytes);
      if (rows.length < count) break;
      end = rows.at(-1)?.key[2] as number;
    }
    return found;
  }

  /** The blocks that a block is joined with. */
  async #joined(level: CandleLevel, market: string, blockTs: number): Promise<JoinedBlocks> {
    const startTs = intervalStart(blockTs, level.joinMs);
    const value = await this.#table(level).get([market, JOINED, startTs]);
    return value ? split(level, market, startTs, value) : new Map<number, Uint8Array>();
  }

  /** Joins blocks that end by a time. Nothing else may write them meanwhile. */
  async join(level: CandleLevel, market: string, beforeMs: number): Promise<void> {
    const table = this.#table(level);
    const to = Math.max(0, beforeMs - level.blockMs + 1);
    const limit = level.joinMs / level.blockMs;
    for (;;) {
      const rows = await table.range({ from: [market, 0], to: [market, to], limit });
      const [first] = rows;
      if (!first) return;
      const startTs = intervalStart(startOf(first), level.joinMs);
      const own = rows.filter((row) => startOf(row) < startTs + level.joinMs);
      const blocks = new Map(await this.#joined(level, market, startTs));
      for (const row of own) blocks.set(startOf(row), row.value);
      const value = joinBlocks(startTs, level.blockMs, blocks);
      const { put } = table.puts([{ key: [market, JOINED, startTs], value }]);
      await this.#store.commit([{ table: level.table, put, remove: own.map(({ key }) => key) }]);
      await nextTurn();
    }
  }

  /** Starts of the blocks of minutes in a range whose trades are all in. */
  async closedHours(market: string, from: number, to: number, caller?: string): Promise<ReadonlySet<number>> {
    const closed = new Set<number>();
    for (let end = to; ; ) {
      const blocks = await this.newestBlocks(minuteLevel, market, from, end, PAGE_ROWS);
      for (const { startTs, toTs } of blocks) if (toTs === startTs + HOUR_MS) closed.add(startTs);
      const last = blocks.at(-1);
      if (!last || blocks.length < PAGE_ROWS) return closed;
      end = last.startTs;
      await nextTurn(caller);
    }
  }

  /** The newest block of minutes: its `toTs` is where the tape continues. */
  async newest(market: string): Promise<ReadBlock | undefined> {
    const [block] = await this.newestBlocks(minuteLevel, market, 0, Number.MAX_SAFE_INTEGER, 1);
    return block;
  }

  state(market: string): Promise<LedgerState | undefined> {
    return this.#states.get([market]);
  }

  /** Stored gaps that meet `from <= ms < to`, oldest first. `caller` is whose turns it takes. */
  async gaps(market: string, from: number, to: number, caller?: string): Promise<readonly CandleGap[]> {
    const nearMs = Math.max(0, from - GAP_MS_MAX);
    const older = { from: [market, 0], to: [market, nearMs], reverse: true, limit: 1 };
    const found = (await this.#gaps.range(older)).map(({ value }) => value);
    for await (const rows of pagesOf(this.#gaps, { from: [market, nearMs], to: [market, to], caller }))
      for (const { value } of rows) found.push(value);
    return found.filter((gap) => gap.to > from);
  }

  /** Forgets candles and gaps that end before `beforeMs`. */
  async prune(beforeMs: number): Promise<void> {
    const states = await this.#states.range({ limit: MARKETS_MAX });
    for (const { key } of states) {
      const market = key[0] as string;
      for (const level of [minuteLevel, hourLevel]) {
        await this.#removeOld(this.#table(level), [market], beforeMs - level.blockMs);
        await this.#removeOld(this.#table(level), [market, JOINED], beforeMs - level.joinMs);
      }
      const gaps = await this.#gaps.range({ from: [market, 0], to: [market, beforeMs], limit: GAPS_MAX });
      const old = gaps.filter(({ value }) => value.to < beforeMs).map((row) => row.key);
      if (old.length > 0) await this.#store.commit([this.#gaps.removes(old)]);
    }
  }

  /** Removes rows that start before a time; the start follows `prefix` in the key. */
  async #removeOld(table: Table<Uint8Array>, prefix: Key, beforeMs: number): Promise<void> {
    if (beforeMs <= 0) return;
    await removeRange(this.#store, table, { from: [...prefix, 0], to: [...prefix, beforeMs] });
  }

  #table({ table }: CandleLevel): Table<Uint8Array> {
    return this.#blocks.get(table) as Table<Uint8Array>;
  }
}

function startOf({ key }: Entry<Uint8Array>): number {
  return key[1] as number;
}

function split(level: CandleLevel, market: string, startTs: number, value: Uint8Array): JoinedBlocks {
  try {
    return splitBlocks(startTs, level.blockMs, value);
  } catch (error) {
    if (error instanceof BadBlock)
      throw new BadBlock(`${level.table} ${market} ${startTs}: ${error.message}`);
    throw error;
  }
}
