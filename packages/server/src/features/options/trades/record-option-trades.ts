import { type Clock, DAY_MS, MINUTE_MS, type OptionBook } from '@crosstape/core';
import type { OptionTradeSource } from '../../../ingest/option-trades-client.ts';
import { SourceFailure } from '../../../ingest/source-failure.ts';
import type { SamplingOptions } from '../../sampled-series.ts';
import { snapshotTopic } from '../../../topics.ts';
import { type BookSpan, OPTION_TRADES_DAYS, OptionTradeTable } from './option-trade-table.ts';
import { type ForwardRatios, forwardRatiosOf, withGreeks } from './trade-greeks.ts';

/** Requested again with each poll: a trade that the venue lists late, or by a clock behind ours, is not missed. */
const OVERLAP_MS = 30_000;
/** Pages of a book in one turn; a longer history continues with the next one, so that the other books get theirs. */
const PAGES_MAX = 20;
const PRUNE_EVERY_MS = 10 * MINUTE_MS;

export interface OptionTradeRecording extends SamplingOptions {
  readonly source: OptionTradeSource;
  /** Resolves when this process is the one that records. */
  readonly begin: Promise<unknown>;
}

/**
 * Records the trades of options. Each poll continues where the record of a book ends, also after a restart; a stored
 * trade is stored once, by its id. What is older than the venue answers is a gap: the next span begins after it.
 */
export function recordOptionTrades(options: OptionTradeRecording): { stop(): Promise<void> } {
  const recorder = new OptionTradeRecorder(options);
  void options.begin.then(() => recorder.start());
  return { stop: () => recorder.stop() };
}

class OptionTradeRecorder {
  readonly #options: OptionTradeRecording;
  readonly #table: OptionTradeTable;
  /** The newest span of each book; absent before they are read. */
  #spans: Map<OptionBook, BookSpan> | undefined;
  #timer: ReturnType<Clock['every']> | undefined;
  #turn: Promise<void> | undefined;
  #isStopped = false;
  #isFailing = false;
  #prunedMs = 0;

  constructor(options: OptionTradeRecording) {
    this.#options = options;
    this.#table = new OptionTradeTable(options.store);
  }

  start(): void {
    if (this.#isStopped) return;
    const { clock, source } = this.#options;
    this.#timer = clock.every(source.trades.everyMs, () => this.#takeTurn());
    this.#takeTurn();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#turn;
  }

  /** A turn that is due during another is left out. */
  #takeTurn(): void {
    this.#turn ??= this.#pollAll().finally(() => {
      this.#turn = undefined;
    });
  }

  async #pollAll(): Promise<void> {
    const { source } = this.#options;
    let failure: unknown;
    try {
      this.#spans ??= new Map((await this.#table.spans()).map((span) => [span.book, span]));
      for (const book of source.trades.books)
        await this.#poll(book, this.#spans).catch((error: unknown) => {
          // A failure of the venue is in the health of its source.
          if (!(error instanceof SourceFailure)) failure = error;
        });
      await this.#prune();
    } catch (error) {
      failure = error;
    }
    if (this.#isStopped) return;
    if (failure !== undefined && !this.#isFailing)
      this.#options.log.error({ err: failure }, 'trades of options cannot be recorded');
    this.#isFailing = failure !== undefined;
  }

  async #poll(book: OptionBook, spans: Map<OptionBook, BookSpan>): Promise<void> {
    const { clock, source } = this.#options;
    const toMs = clock.now();
    const reachedMs = toMs - source.trades.reachMs;
    const known = spans.get(book);
    let span = known && known.to >= reachedMs ? known : { book, from: reachedMs, to: reachedMs };
    let fromMs = Math.max(Math.min(span.to, toMs) - OVERLAP_MS, reachedMs);
    for (let pages = 0; pages < PAGES_MAX && !this.#isStopped; pages += 1) {
      const { trades, nextMs } = await source.read({ book, fromMs, toMs });
      const ratioOf = this.#ratiosOf(book);
      // Another trade of the last millisecond may be on the next page.
      span = { ...span, to: Math.max(span.to, nextMs ?? toMs) };
      await this.#table.append(
        trades.map((trade) => withGreeks(trade, ratioOf)),
        span,
      );
      spans.set(book, span);
      if (nextMs === undefined) return;
      fromMs = nextMs;
    }
  }

  #ratiosOf(book: OptionBook): ForwardRatios {
    const { bus, clock, source } = this.#options;
    const venue = source.publisher.id;
    const chain = bus.latest(snapshotTopic(venue, `${book}Options`))?.message;
    const indexes = bus.latest(snapshotTopic(venue, 'indexPrices'))?.message;
    return forwardRatiosOf(chain, indexes, clock.now());
  }

  async #prune(): Promise<void> {
    const { clock, keptFromMs } = this.#options;
    const nowMs = clock.now();
    const beforeMs = keptFromMs(OPTION_TRADES_DAYS * DAY_MS);
    if (beforeMs === undefined || Math.abs(nowMs - this.#prunedMs) < PRUNE_EVERY_MS) return;
    this.#prunedMs = nowMs;
    await this.#table.prune(beforeMs);
  }
}
