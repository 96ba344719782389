import { type Clock, DAY_MS, type TickColumns, type Trade } from '@crosstape/core';
import type { Log } from '../../platform/log.ts';
import { type Gap, type GapLedger, gapName } from './gap-ledger.ts';
import type { Change } from '../../store/store.ts';
import type { ArchivedChunks, Ticks, TickTable } from './tick-table.ts';
import { isRecordedBy } from './is-recorded-by.ts';
import { LateMinutes } from './late-minutes.ts';
import { lossOf, LostTrades } from './lost-trades.ts';
import { newestTrades } from './newest-trades.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { OpenChunk, type WrittenPiece } from './open-chunk.ts';
import type { RecorderHealth } from '../../topics.ts';
import { readStoredPieces } from './stored-pieces.ts';
import { TickBuffer } from './tick-buffer.ts';
import { isChunkFull } from './chunk-rule.ts';
import { everyMultiple } from '../../platform/every-multiple.ts';
import type { Retention } from '../../platform/retention.ts';

/**
 * Durable within a second, the commit itself included. At the same time for the recorders of all venues: the store joins
 * their commits into one.
 */
const WRITE_EVERY_MS = 400;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Ticks are kept a little longer than the retention: a window of all of it is read a moment after it was fixed. */
const KEPT_LONGER_MS = 60_000;
/** Trades that wait in memory while the store cannot be written to; beyond it the tape has a reported gap. */
const UNWRITTEN_MAX = 500_000;
/** An ended chunk takes the memory of this many trades at least. */
const CHUNK_TRADES_MIN = 64;
/** At the full hour every market has a chunk to seal: trades of the others are committed after this many. */
const SEALS_PER_COMMIT = 32;
/** Gaps that wait; beyond it those of a coin become one. */
const GAPS_MAX = 10_000;

interface EndedChunk {
  readonly coin: string;
  readonly chunk: OpenChunk;
}

/** Folds trades into candles as they are written. */
export interface CandleSink {
  /** Continues where the stored candles of a coin end. Called before its first trade, with its unsealed ones. */
  restore(coin: string, tail: TickColumns): Promise<void>;
  /** Changes that store the candles that the trades [from, to) close; they are committed with the trades. */
  fold(coin: string, columns: TickColumns, from: number, to: number): readonly Change[];
}

export interface TickRecorderOptions {
  readonly venue: string;
  readonly clock: Clock;
  readonly table: TickTable;
  readonly ledger: GapLedger;
  readonly log: Log;
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /**
   * The recorded coins: `all`, or coins separated by commas. A function if that changes: then every given trade is
   * recorded.
   */
  readonly recordCoins: string | (() => string);
  /** Whether a coin's trades of two times cannot be in one chunk. */
  readonly isSplit?: (coin: string, lastTs: number, ts: number) => boolean;
  readonly unwrittenMax?: number;
  readonly gapsMax?: number;
  /** How far the feed has delivered without interruption. */
  readonly connectedSpan: () => { readonly fromMs: number; readonly toMs: number } | undefined;
  /** Called with each minute that late trades make incomplete; it is entered in the ledger. */
  readonly onLate?: ((gap: Gap) => void) | undefined;
  /** Called after every write, and every attempt at one. */
  readonly onHealth?: (health: RecorderHealth) => void;
  readonly candles?: CandleSink | undefined;
  /** With an archive: nothing is removed before it is archived, and the ledger of gaps is kept. */
  readonly archive?: ArchivedChunks | undefined;
}

/** Writes every trade of the tape within a second, seals chunks, keeps the ledger of gaps, and prunes old data. */
export class TickRecorder {
  readonly #options: TickRecorderOptions;
  readonly #isRecorded: (coin: string) => boolean;
  readonly #chunks = new Map<string, OpenChunk>();
  /**
   * Chunks that have ended, oldest first; the next write seals them. They count towards the bound of unwritten trades.
   */
  readonly #ended: EndedChunk[] = [];
  /** Changes to write, in order; they stay until a commit with them has succeeded. */
  readonly #pending: Change[] = [];
  /** Gaps that are to be written, by coin and start: a new report replaces the previous one. */
  readonly #gaps = new Map<string, Gap>();
  #unwritten = 0;
  /** The number of trades in `#pending`. */
  #encoded = 0;
  #position = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: string; readonly sinceMs: number } | undefined;
  #writtenToMs: number | undefined;
  /**
   * The span as last written. A new one is written at once, so that no later process confuses it with the previous one.
   */
  #connectedSpan: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly #lost = new LostTrades();
  readonly #late = new LateMinutes();
  readonly #timers;

  constructor(options: TickRecorderOptions) {
    this.#options = options;
    const { recordCoins } = options;
    this.#isRecorded = typeof recordCoins === 'string' ? isRecordedBy(recordCoins) : () => true;
    const { clock } = options;
    this.#timers = [
      everyMultiple(clock, WRITE_EVERY_MS, () => void this.write()),
      clock.every(PRUNE_EVERY_MS, () => void this.#prune()),
    ];
  }

  /** Write status and backlog. */
  get health(): RecorderHealth {
    const counts = {
      unwritten: this.#unwritten,
      lost: this.#lost.trades,
      ...(this.#writtenToMs !== undefined && { writtenToMs: this.#writtenToMs }),
    };
    if (!this.#failure) return { status: 'ok', ...counts };
    const { error, sinceMs } = this.#failure;
    return { status: 'failing', ...counts, error, sinceMs };
  }

  /**
   * Restores the tails of the previous process, and returns the newest recorded trades of each coin, oldest first. Call
   * before anything is added, and again if it fails.
   */
  async restore(): Promise<readonly Trade[]> {
    const { table, venue } = this.#options;
    // A failed attempt starts over; a write may be sealing what it had restored.
    await this.#writing;
    this.#chunks.clear();
    this.#ended.length = 0;
    const newest: Trade[] = [];
    for (const coin of await table.coins()) {
      const ticks = new TickBuffer();
      for (const piece of await table.tail(coin)) {
        const firstTs = piece.columns.ts[0] as number;
        this.#chunkAt(coin, firstTs, (chunk) => chunk.takesPiece(piece)).restore(piece, piece);
        ticks.addTicks(piece);
        this.#position = Math.max(this.#position, piece.position);
      }
      await this.#options.candles?.restore(coin, ticks.columns);
      newest.push(...(await newestTrades(table, { coin, venue }, ticks)));
    }
    return newest;
  }

  add(trade: Trade): void {
    const { coin, ts, venueTs } = trade;
    if (!this.#isRecorded(coin)) return;
    const waiting = Math.max(this.#unwritten, this.#ended.length * CHUNK_TRADES_MIN);
    if (waiting >= (this.#options.unwrittenMax ?? UNWRITTEN_MAX)) return this.#lost.add(coin, ts);
    const chunk = this.#chunkAt(coin, ts, (one) => one.takes(trade));
    if (!chunk.takes(trade)) {
      const { price, size, tid } = trade;
      this.#options.log.error({ coin, ts, price, size, tid }, 'a trade cannot be encoded');
      return this.#lost.add(coin, ts);
    }
    chunk.add(trade);
    this.#unwritten += 1;
    if (venueTs !== undefined) this.#enterLate(trade);
  }

  /**
   * The chunk of trades from a time on. One ends when it is full, and before trades that its columns cannot take; a
   * millisecond is never split.
   */
  #chunkAt(coin: string, ts: number, isTakenBy: (chunk: OpenChunk) => boolean): OpenChunk {
    const chunk = this.#chunk(coin);
    const { length, lastTs } = chunk;
    if (lastTs === undefined || lastTs === ts) return chunk;
    const isSplit = this.#options.isSplit?.(coin, lastTs, ts) === true;
    if (!isSplit && !isChunkFull(length, lastTs, ts) && isTakenBy(chunk)) return chunk;
    this.#end(coin, chunk);
    return this.#chunk(coin);
  }

  #end(coin: string, chunk: OpenChunk): void {
    this.#ended.push({ coin, chunk });
    this.#chunks.delete(coin);
  }

  enter(gap: Gap): void {
    if (!this.#isRecorded(gap.coin)) return;
    const name = nameOf(gap);
    const isFull = this.#gaps.size >= (this.#options.gapsMax ?? GAPS_MAX);
    // A separate row: one that begins where the gap does would be replaced by the next report.
    if (isFull && !this.#gaps.has(name)) this.#lost.widen(gap.coin, gap.from - 1, gap.to);
    else this.#gaps.set(name, gap);
  }

  #enterLate(trade: Trade): void {
    for (const gap of this.#late.of(trade)) {
      this.enter(gap);
      this.#options.onLate?.(gap);
    }
  }

  /** One write at a time; a concurrent call waits for the running one. */
  write(): Promise<void> {
    this.#writing ??= this.#writeOnce().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    await this.#writing;
    await this.write();
    const { status, unwritten: trades } = this.health;
    if (status === 'failing' && trades > 0)
      this.#options.log.error(
        { trades },
        'trades that could not be written are lost; the next start reports the gap',
      );
  }

  async #writeOnce(): Promise<void> {
    const { clock, log, onHealth } = this.#options;
    const startedMs = clock.now();
    const trades = this.#unwritten;
    try {
      // While nothing can be written, trades wait unencoded: encoding small batches would be wasted work.
      if (this.#failure && this.#pending.length > 0) await this.#commit([]);
      for (let sealed = 1; this.#ended[0]; sealed += 1) {
        await this.#sealStored(this.#ended[0]);
        this.#ended.shift();
        if (sealed % SEALS_PER_COMMIT !== 0) continue;
        this.#extendTails();
        await this.#commit([]);
      }
      // Nothing is awaited in between.
      this.#extendTails();
      const wasWritten = await this.#commitReceived();
      for (const chunk of this.#chunks.values()) chunk.release();
      if (!wasWritten && !this.#failure) return;
      if (this.#failure) log.info({ trades }, 'the tape is being written again');
      this.#failure = undefined;
      this.#writtenToMs = startedMs;
    } catch (error) {
      if (!this.#failure) log.error({ err: error }, 'the tape cannot be written; trades wait in memory');
      const sinceMs = this.#failure?.sinceMs ?? startedMs;
      this.#failure = { error: error instanceof Error ? error.message : String(error), sinceMs };
    }
    onHealth?.(this.health);
  }

  /** Writes pending changes, and more. */
  async #commit(more: readonly Change[]): Promise<void> {
    const changes = this.#pending.length;
    const trades = this.#encoded;
    await this.#options.table.commit([...this.#pending, ...more]);
    this.#pending.splice(0, changes);
    this.#unwritten -= trades;
    this.#encoded -= trades;
  }

  /**
   * Writes pending trades, dropped ones as gaps, and how far the feed was connected: that confirms every trade so far,
   * so all of them are encoded by now. Returns whether there was anything to write.
   */
  async #commitReceived(): Promise<boolean> {
    const { ledger, connectedSpan, recordCoins: recorded } = this.#options;
    const recordCoins = typeof recorded === 'string' ? recorded : recorded();
    const losses = this.#lost.gaps();
    const gaps = [...this.#gaps.values()];
    const span = connectedSpan();
    const isNew =
      span && (span.fromMs !== this.#connectedSpan?.fromMs || span.toMs > this.#connectedSpan.toMs);
    // It is reported each time, so it does not wait with the rest.
    const extension = isNew ? [ledger.extending({ from: span.fromMs, to: span.toMs, recordCoins })] : [];
    if (this.#pending.length + extension.length + losses.length + gaps.length === 0) return false;
    await this.#commit([...ledger.entering([...gaps, ...losses]), ...extension]);
    // More may have been reported and dropped meanwhile.
    for (const gap of gaps) if (this.#gaps.get(nameOf(gap)) === gap) this.#gaps.delete(nameOf(gap));
    this.#lost.entered(losses);
    this.#connectedSpan = span;
    return true;
  }

  /**
   * Trades that cannot be encoded, which should not happen, cost one coin its unwritten trades, and are reported.
   * Returns whether they were encoded.
   */
  #encode(coin: string, chunk: OpenChunk, step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      const { columns, from, to } = chunk.unwritten;
      this.#options.log.error({ err: error, coin, trades: to - from }, 'trades cannot be encoded');
      for (let i = from; i < to; i += 1) this.#lost.add(coin, columns.ts[i] as number);
      this.#unwritten -= to - from;
      chunk.dropUnwritten();
      return false;
    }
  }

  /** A piece of a chunk is never in the tail before the previous chunk is sealed. */
  #extendTails(): void {
    const ending = new Set(this.#ended.map(({ coin }) => coin));
    for (const [coin, chunk] of this.#chunks)
      if (!ending.has(coin)) this.#encode(coin, chunk, () => this.#extendTail(coin, chunk));
  }

  #extendTail(coin: string, chunk: OpenChunk): void {
    const { from, to } = chunk.unwritten;
    if (from === to) return;
    // All that can fail comes first: then pending changes are written, and their trades are not lost.
    const piece = chunk.nextPiece(this.#position + 1);
    const candles = this.#fold(coin, chunk);
    const { table } = this.#options;
    this.#position += 1;
    this.#pending.push(table.appendingPiece(coin, piece));
    if (piece.replaces.length > 0) this.#pending.push(table.dropping(coin, piece.replaces));
    this.#pending.push(...candles);
    this.#encoded += to - from;
    chunk.keep(piece);
  }

  async #sealStored({ coin, chunk }: EndedChunk): Promise<void> {
    const { released, written } = chunk;
    const stored = await readStoredPieces(this.#options, coin, released);
    const lost = released.filter(({ position }) => !stored.has(position));
    const seal = (): void => this.#seal(coin, chunk, stored);
    // Written trades can still be sealed: they were encoded before.
    if (this.#encode(coin, chunk, seal) || this.#encode(coin, chunk, seal)) this.#lose(coin, lost);
    else {
      // Later chunks must not find them in the tail.
      this.#pending.push(this.#options.table.dropping(coin, chunk.positions));
      this.#lose(coin, written);
    }
    await nextTurn();
  }

  /** In the commit that removes the pieces: the span that was written covers their time. */
  #lose(coin: string, pieces: readonly WrittenPiece[]): void {
    for (const { startTs, endTs, trades } of pieces) {
      this.#lost.count(trades);
      this.#pending.push(...this.#options.ledger.entering([lossOf(coin, startTs, endTs + 1)]));
    }
  }

  #seal(coin: string, chunk: OpenChunk, stored: ReadonlyMap<number, Ticks>): void {
    const { table } = this.#options;
    const ticks = chunk.ticks(stored);
    const changes =
      ticks.length > 0
        ? table.sealing(coin, ticks, ticks.length, chunk.positions)
        : [table.dropping(coin, chunk.positions)];
    this.#pending.push(...changes, ...this.#fold(coin, chunk));
    const { from, to } = chunk.unwritten;
    this.#encoded += to - from;
  }

  /** The candles of the trades that are written now. */
  #fold(coin: string, { unwritten: { columns, from, to } }: OpenChunk): readonly Change[] {
    return this.#options.candles?.fold(coin, columns, from, to) ?? [];
  }

  async #prune(): Promise<void> {
    const { table, ledger, log, retentionDays, keptFromMs, archive } = this.#options;
    const beforeMs = keptFromMs(retentionDays * DAY_MS + KEPT_LONGER_MS);
    // The next write seals what a market that is no longer traded has in its tail: only sealed chunks are removed.
    if (beforeMs !== undefined)
      for (const [coin, chunk] of this.#chunks)
        if ((chunk.lastTs ?? Infinity) < beforeMs) this.#end(coin, chunk);
    // On a full disk only removals are written. It is tried again each time; until then reads take longer.
    await ledger
      .index()
      .catch((error: unknown) => log.debug({ err: error }, 'long gaps cannot be listed yet'));
    if (beforeMs === undefined) return;
    try {
      await table.prune(beforeMs, archive);
      if (!archive) await ledger.prune(beforeMs);
    } catch (error) {
      log.error({ err: error }, 'old ticks cannot be removed');
    }
  }

  #chunk(coin: string): OpenChunk {
    let chunk = this.#chunks.get(coin);
    if (!chunk) this.#chunks.set(coin, (chunk = new OpenChunk()));
    return chunk;
  }
}

function nameOf(gap: Gap): string {
  return `${gap.coin} ${gapName(gap)}`;
}
