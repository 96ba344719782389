import type { Page, VenueRequest } from '@crosstape/venues';
import { Budget } from '../platform/budget.ts';
import { SourceClient, type VenuePolling } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';
import type { SourceMeter } from './venue-health.ts';

export interface MeteredSourceOptions extends VenuePolling {
  readonly name: string;
  /** Cost of one request in the venue's own weight units. */
  readonly weight: number;
  /** Requests a minute, where the venue counts these apart from the rest. */
  readonly perMinute?: number | undefined;
  /** Queued requests; more are refused. */
  readonly waitingMax: number;
  /** Called when something is first requested. */
  readonly openMeter: () => SourceMeter;
}

/** One request to a venue, and how its answer is read. */
export interface MeteredRequest<Answer> {
  readonly request: VenueRequest;
  /** The subject, for captures. */
  readonly key: string;
  readonly question: object;
  readonly parse: (body: unknown) => Answer;
}

/** Requests something from a venue on demand: one request at a time, within the venue's limits, with its own health. */
export class MeteredSource {
  readonly #options: MeteredSourceOptions;
  readonly #stopping = new AbortController();
  readonly #budget: Budget | undefined;
  #meter: SourceMeter | undefined;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: MeteredSourceOptions) {
    this.#options = options;
    const { clock, perMinute } = options;
    this.#budget = perMinute === undefined ? undefined : new Budget({ clock, perMinute });
  }

  /** Calls `work` after all earlier calls. Rejects with a `SourceFailure` when too many wait. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= this.#options.waitingMax)
      return Promise.reject(new SourceFailure('down', 'Too many requests are queued.'));
    this.#waiting += 1;
    const answer = this.#last.then(() => {
      this.#stopping.signal.throwIfAborted();
      return work();
    });
    // Without the answer, which may be large and would stay in memory until the next request.
    const end = (): void => {
      this.#waiting -= 1;
    };
    this.#last = answer.then(end, end);
    return answer;
  }

  /** Rejects with a `SourceFailure` when the venue does not answer as it should. */
  async ask<Answer extends Partial<Page>>(asked: MeteredRequest<Answer>): Promise<Answer> {
    const { request, key, question, parse } = asked;
    const { name, weight, openMeter } = this.#options;
    const { signal } = this.#stopping;
    this.#meter ??= openMeter();
    await this.#budget?.take(1, signal);
    const client = new SourceClient<Answer>({
      ...this.#options,
      source: { name, weight, gives: [], parse },
      meter: () => this.#meter,
      signal,
    });
    try {
      const { page } = await client.ask(request, key, question);
      this.#meter?.countGood();
      this.#meter?.turn('ok');
      signal.throwIfAborted();
      return page;
    } catch (error) {
      if (signal.aborted) throw error;
      const failure = client.asFailure(error);
      this.#meter?.turn(failure.status, failure.message);
      throw failure;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#last;
  }
}
