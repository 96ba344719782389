import type { MarketTrade } from '@crosstape/core';
import type { TradeGap, TradePage, TradeRefill, VenueRequest } from '@crosstape/venues';
import { Budget } from '../platform/budget.ts';
import { SourceClient, type VenuePolling } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';
import type { SourceMeter } from './venue-health.ts';

/** Pages of one gap; what lies beyond them is requested again with the next attempt. */
const PAGES_MAX = 200;
/** Gaps that wait for their turn; more are refused, and requested again later. */
const WAITING_MAX = 500;

/** Trades of the past as a venue answers. */
export interface PastTrades {
  readonly trades: readonly MarketTrade[];
  /** Whether none is missing since the gap began. */
  readonly isWhole: boolean;
}

export interface PastTradesOptions extends VenuePolling {
  readonly refill: TradeRefill;
  /** Called when something is first requested. */
  readonly openMeter: () => SourceMeter;
}

/** Requests missing trades of a venue's markets, one gap at a time and within the venue's limits. */
export class PastTradesClient {
  readonly #options: PastTradesOptions;
  readonly #stopping = new AbortController();
  readonly #budget: Budget | undefined;
  #meter: SourceMeter | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: PastTradesOptions) {
    this.#options = options;
    const { perMinute } = options.refill;
    this.#budget = perMinute === undefined ? undefined : new Budget({ clock: options.clock, perMinute });
  }

  /** Rejects with a `SourceFailure` when the venue does not answer as it should. */
  ask(gap: TradeGap): Promise<PastTrades> {
    if (this.#waiting >= WAITING_MAX)
      return Promise.reject(new SourceFailure('down', 'Too many gaps wait to be requested.'));
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#askNow(gap));
    this.#last = answer
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1;
      });
    return answer;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#last;
  }

  async #askNow(gap: TradeGap): Promise<PastTrades> {
    const { refill, openMeter } = this.#options;
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    this.#meter ??= openMeter();
    const trades: MarketTrade[] = [];
    let coveredFromMs = Number.POSITIVE_INFINITY;
    let request: VenueRequest | undefined = refill.request(gap);
    for (let pages = 0; request && pages < PAGES_MAX; pages += 1) {
      await this.#budget?.take(1, signal);
      const page: TradePage = await this.#page(gap, request);
      signal.throwIfAborted();
      trades.push(...page.trades);
      coveredFromMs = Math.min(coveredFromMs, page.covers?.fromMs ?? Number.POSITIVE_INFINITY);
      request = refill.isNewestOnly === true ? undefined : page.more;
    }
    return { trades, isWhole: coveredFromMs <= gap.afterMs + 1 };
  }

  async #page(gap: TradeGap, request: VenueRequest): Promise<TradePage> {
    const { refill } = this.#options;
    const client = new SourceClient<TradePage>({
      ...this.#options,
      source: {
        name: refill.name,
        weight: refill.weight,
        gives: [],
        parse: (body) => refill.parse(body, gap, request.path),
      },
      meter: () => this.#meter,
      signal: this.#stopping.signal,
    });
    try {
      const { page } = await client.ask(request, gap.market.symbol);
      this.#meter?.countGood();
      this.#meter?.turn('ok');
      return page;
    } catch (error) {
      if (this.#stopping.signal.aborted) throw error;
      const failure = client.asFailure(error);
      this.#meter?.turn(failure.status, failure.message);
      throw failure;
    }
  }
}
