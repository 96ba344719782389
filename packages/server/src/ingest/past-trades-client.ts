import type { MarketTrade } from '@crosstape/core';
import type { TradeGap, TradePage, TradeRefill, VenueRequest } from '@crosstape/venues';
import { MeteredSource, type MeteredSourceOptions } from './metered-source.ts';
import { SourceFailure } from './source-failure.ts';

/** Pages requested per turn; other gaps get theirs before the rest. A turn also ends after this many trades. */
const PAGES_MAX = 200;
/** Pages in a row that repeat the previous one. Two such are right where many trades have the same time. */
const REPEATS_MAX = 3;
export const TRADES_MAX = 20_000;
/** Queued gaps; more are refused, and requested again later. */
const WAITING_MAX = 500;

/** A venue's answer with past trades. */
export interface PastTrades {
  readonly trades: readonly MarketTrade[];
  /** Whether none is missing since the gap began; between two known trades, whether the answer reaches both. */
  readonly isWhole: boolean;
  /** Where to continue: there are more pages, or the next one could not be read. */
  readonly rest?: UnreadPages;
}

/** The unread pages of a gap, and the results of earlier ones. */
export interface UnreadPages {
  readonly request: VenueRequest;
  readonly isRead: boolean;
  readonly hasAfter: boolean;
  readonly hasBefore: boolean;
  readonly coveredFromMs: number;
}

export interface PastTradesOptions
  extends Omit<MeteredSourceOptions, 'name' | 'weight' | 'perMinute' | 'waitingMax'> {
  readonly refill: TradeRefill;
}

/** Requests missing trades of a venue's markets, one gap at a time and within the venue's limits. */
export class PastTradesClient {
  readonly #refill: TradeRefill;
  readonly #source: MeteredSource;

  constructor({ refill, ...options }: PastTradesOptions) {
    const { name, weight, perMinute } = refill;
    this.#refill = refill;
    this.#source = new MeteredSource({ ...options, name, weight, perMinute, waitingMax: WAITING_MAX });
  }

  /**
   * Requests the trades of a gap, or the `rest` of an earlier answer. Rejects with a `SourceFailure` when the venue does not
   * answer as it should at once.
   */
  ask(gap: TradeGap, rest?: UnreadPages): Promise<PastTrades> {
    return this.#source.inTurn(() => this.#askNow(gap, rest));
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }

  async #askNow(gap: TradeGap, rest: UnreadPages | undefined): Promise<PastTrades> {
    const refill = this.#refill;
    const hasNoEdges = gap.edges === undefined;
    const trades: MarketTrade[] = [];
    let {
      isRead = true,
      hasAfter = hasNoEdges,
      hasBefore = hasNoEdges,
      coveredFromMs = Number.POSITIVE_INFINITY,
    } = rest ?? {};
    let request: VenueRequest | undefined = rest?.request ?? refill.request(gap);
    let before: string | undefined;
    let repeats = 0;
    for (let pages = 0; request && pages < PAGES_MAX && trades.length < TRADES_MAX; pages += 1) {
      const page: TradePage | undefined = await this.#page(gap, request).catch((error: unknown) =>
        // Pages already read are not requested again.
        pages > 0 && error instanceof SourceFailure ? undefined : Promise.reject(error),
      );
      if (!page) break;
      const contents = contentsOf(page);
      repeats = contents === before ? repeats + 1 : 0;
      before = contents;
      // The venue does not page as documented: it would return this page forever.
      if (repeats === REPEATS_MAX) return { trades, isWhole: false };
      trades.push(...page.trades);
      isRead &&= (page.refused ?? []).length === 0 && page.isCutWithin !== true;
      hasAfter ||= page.hasEdge?.after === true;
      hasBefore ||= page.hasEdge?.before === true;
      coveredFromMs = Math.min(coveredFromMs, page.covers?.fromMs ?? Number.POSITIVE_INFINITY);
      request = refill.isNewestOnly === true ? undefined : page.more;
    }
    if (request)
      return { trades, isWhole: false, rest: { request, isRead, hasAfter, hasBefore, coveredFromMs } };
    return { trades, isWhole: isRead && hasAfter && hasBefore && coveredFromMs <= gap.afterMs + 1 };
  }

  #page(gap: TradeGap, request: VenueRequest): Promise<TradePage> {
    const { path } = request;
    const parse = (body: unknown): TradePage => this.#refill.parse(body, gap, path);
    return this.#source.ask({ request, key: gap.market.symbol, question: gap, parse });
  }
}

/** Distinguishes a page from the previous one. */
function contentsOf({ trades, covers }: TradePage): string {
  return [trades.length, trades[0]?.tid, trades.at(-1)?.tid, covers?.fromMs, covers?.toMs].join();
}
