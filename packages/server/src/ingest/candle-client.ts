import type { VenueCandle } from '@crosstape/core';
import type { CandleSpan, Publisher, VenueCandles } from '@crosstape/venues';
import { MeteredSource, type MeteredSourceOptions } from './metered-source.ts';

/** Queued spans; more are refused, and requested again later. */
const WAITING_MAX = 1_000;

/** A venue's own candles, as the ledger and the audit request them. */
export interface CandleSource {
  readonly publisher: Publisher;
  readonly candles: VenueCandles;
  /** The venue's limit per minute, in its own weight units. */
  readonly weightPerMinute: number;
  /** Up to `rowsMax` candles, oldest first. Rejects with a `SourceFailure`. */
  read(span: CandleSpan): Promise<readonly VenueCandle[]>;
}

export interface CandleClientOptions
  extends Omit<MeteredSourceOptions, 'name' | 'weight' | 'perMinute' | 'waitingMax'> {
  readonly publisher: Publisher;
  readonly candles: VenueCandles;
  readonly weightPerMinute: number;
}

/** Requests candles of a venue's markets, one span at a time and within the venue's limits. */
export class CandleClient implements CandleSource {
  readonly publisher: Publisher;
  readonly candles: VenueCandles;
  readonly weightPerMinute: number;
  readonly #source: MeteredSource;

  constructor({ publisher, candles, weightPerMinute, ...options }: CandleClientOptions) {
    const { name, weight, perMinute } = candles;
    this.publisher = publisher;
    this.candles = candles;
    this.weightPerMinute = weightPerMinute;
    this.#source = new MeteredSource({ ...options, name, weight, perMinute, waitingMax: WAITING_MAX });
  }

  read(span: CandleSpan): Promise<readonly VenueCandle[]> {
    const { candles } = this;
    return this.#source.inTurn(async () => {
      const page = await this.#source.ask({
        request: candles.request(span),
        key: span.market.symbol,
        question: span,
        parse: (body) => candles.parse(body, span),
      });
      return page.candles;
    });
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }
}
