import type { OptionTradePage, OptionTradeSpan, Publisher, VenueOptionTrades } from '@crosstape/venues';
import { MeteredSource, type MeteredSourceOptions } from './metered-source.ts';

/** Queued spans; more are refused, and requested again later. */
const WAITING_MAX = 10;

/** The trades of a venue's options. */
export interface OptionTradeSource {
  readonly publisher: Pick<Publisher, 'id'>;
  readonly trades: VenueOptionTrades;
  /** Rejects with a `SourceFailure`. */
  read(span: OptionTradeSpan): Promise<OptionTradePage>;
}

export interface OptionTradesClientOptions
  extends Omit<MeteredSourceOptions, 'name' | 'weight' | 'perMinute' | 'waitingMax'> {
  readonly publisher: Publisher;
  readonly trades: VenueOptionTrades;
}

/** Requests trades of a venue's options, one page at a time and within the venue's limits. */
export class OptionTradesClient implements OptionTradeSource {
  readonly publisher: Publisher;
  readonly trades: VenueOptionTrades;
  readonly #source: MeteredSource;

  constructor({ publisher, trades, ...options }: OptionTradesClientOptions) {
    const { name, weight } = trades;
    this.publisher = publisher;
    this.trades = trades;
    this.#source = new MeteredSource({ ...options, name, weight, waitingMax: WAITING_MAX });
  }

  read(span: OptionTradeSpan): Promise<OptionTradePage> {
    const { trades } = this;
    return this.#source.inTurn(() =>
      this.#source.ask({
        request: trades.request(span),
        key: span.book,
        question: span,
        parse: (body) => trades.parse(body, span),
      }),
    );
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }
}
