import type { Publisher, SamplePage, SampleSpan, VenueSamples } from '@crosstape/venues';
import { MeteredSource, type MeteredSourceOptions } from './metered-source.ts';

/** Queued spans; more are refused, and requested again later. */
const WAITING_MAX = 100;

/** A venue's own history of open interest or funding. */
export interface SampleSource {
  readonly publisher: Pick<Publisher, 'id'>;
  readonly samples: VenueSamples;
  /** The venue's limit per minute, in its own weight units. */
  readonly weightPerMinute: number;
  /** Rejects with a `SourceFailure`. */
  read(span: SampleSpan): Promise<SamplePage>;
}

export interface SampleClientOptions
  extends Omit<MeteredSourceOptions, 'name' | 'weight' | 'perMinute' | 'waitingMax'> {
  readonly publisher: Publisher;
  readonly samples: VenueSamples;
  readonly weightPerMinute: number;
}

/** Requests past samples of a venue's contracts, one span at a time and within the venue's limits. */
export class SampleClient implements SampleSource {
  readonly publisher: Publisher;
  readonly samples: VenueSamples;
  readonly weightPerMinute: number;
  readonly #source: MeteredSource;

  constructor({ publisher, samples, weightPerMinute, ...options }: SampleClientOptions) {
    const { name, weight, perMinute } = samples;
    this.publisher = publisher;
    this.samples = samples;
    this.weightPerMinute = weightPerMinute;
    this.#source = new MeteredSource({ ...options, name, weight, perMinute, waitingMax: WAITING_MAX });
  }

  read(span: SampleSpan): Promise<SamplePage> {
    const { samples } = this;
    return this.#source.inTurn(() =>
      this.#source.ask({
        request: samples.request(span),
        key: span.market.symbol,
        question: span,
        parse: (body) => samples.parse(body, span),
      }),
    );
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }
}
