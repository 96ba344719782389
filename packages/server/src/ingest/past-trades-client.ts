import type { MarketTrade } from '@crosstape/core';
import type { TradeGap, TradePage, TradeRefill, VenueRequest } from '@crosstape/venues';
import { MeteredSource, type MeteredSourceOptions } from './metered-source.ts';

/** Pages of one gap; what lies beyond them is requested again with the next attempt. */
const PAGES_MAX = 200;
/** Gaps that wait for their turn; more are refused, and requested again later. */
const WAITING_MAX = 500;

/** Trades of the past as a venue answers. */
export interface PastTrades {
  readonly trades: readonly MarketTrade[];
  /** Whether none is missing since the gap began; between two known trades, whether the answer reaches both. */
  readonly isWhole: boolean;
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

  /** Rejects with a `SourceFailure` when the venue does not answer as it should. */
  ask(gap: TradeGap): Promise<PastTrades> {
    return this.#source.inTurn(() => this.#askNow(gap));
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }

  async #askNow(gap: TradeGap): Promise<PastTrades> {
    const refill = this.#refill;
    const trades: MarketTrade[] = [];
    let coveredFromMs = Number.POSITIVE_INFINITY;
    let isRead = true;
    let [hasAfter, hasBefore] = [gap.edges === undefined, gap.edges === undefined];
    let request: VenueRequest | undefined = refill.request(gap);
    for (let pages = 0; request && pages < PAGES_MAX; pages += 1) {
      const { path } = request;
      const page: TradePage = await this.#source.ask({
        request,
        key: gap.market.symbol,
        parse: (body) => refill.parse(body, gap, path),
      });
      trades.push(...page.trades);
      isRead &&= (page.refused ?? []).length === 0 && page.isCutWithin !== true;
      hasAfter ||= page.hasEdge?.after === true;
      hasBefore ||= page.hasEdge?.before === true;
      coveredFromMs = Math.min(coveredFromMs, page.covers?.fromMs ?? Number.POSITIVE_INFINITY);
      request = refill.isNewestOnly === true ? undefined : page.more;
    }
    return { trades, isWhole: isRead && hasAfter && hasBefore && coveredFromMs <= gap.afterMs + 1 };
  }
}
