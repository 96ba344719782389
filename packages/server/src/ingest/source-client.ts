import type { Clock } from '@crosstape/core';
import type { ParseRequest, Known, Page, VenueRequest } from '@crosstape/venues';
import type { JobRunner } from '../platform/jobs.ts';
import type { WarnOnce } from '../platform/log.ts';
import type { HttpClient } from './http-client.ts';
import { type ParsedBody, type ParsedSource, parseBody, parseBodyTask } from './parse-body.ts';
import { briefly, kindOfRefusal } from './refusals.ts';
import { reasonOf, SourceFailure } from './source-failure.ts';
import type { VenueGate } from './venue-gate.ts';
import type { SourceMeter } from './venue-health.ts';

/** A larger answer is parsed off the event loop, and so is any that is no JSON: those take longer. */
const INLINE_BYTES_MAX = 1_000_000;
const PARSE_TIMEOUT_MS = 30_000;

/** Shared by all polled sources of a venue. */
export interface VenuePolling {
  readonly venue: string;
  readonly client: Pick<HttpClient, 'send'>;
  readonly gate: VenueGate;
  readonly jobs: JobRunner;
  readonly clock: Clock;
  readonly warn: WarnOnce;
  readonly known: () => Known;
}

export interface SourceClientOptions<Answer> extends VenuePolling {
  readonly source: ParsedSource<Answer> & { readonly weight: number };
  readonly meter: () => SourceMeter | undefined;
  /** Aborts pending requests. */
  readonly signal: AbortSignal;
}

export interface SourceAnswer<Answer> {
  readonly page: Answer;
  readonly receivedAtMs: number;
  /** When the source made it: an HTTP cache may have held it since. */
  readonly asOfMs: number;
}

/** Asks for one source and reads the answer. */
export class SourceClient<Answer extends Partial<Page> = Page> {
  readonly #options: SourceClientOptions<Answer>;

  constructor(options: SourceClientOptions<Answer>) {
    this.#options = options;
  }

  /** Throws a `SourceFailure` for any failure of the venue. */
  async ask(request: VenueRequest, key = '', question?: object): Promise<SourceAnswer<Answer>> {
    const { source, client, gate, known } = this.#options;
    const purpose = { source: source.name, key, question };
    const weight = request.weight ?? source.weight;
    const { body, receivedAtMs, ageMs, refusal } = await client.send(request, weight, purpose);
    const asOfMs = receivedAtMs - ageMs;
    const asked = { receivedAtMs: asOfMs, known: known(), key, path: request.path, question };
    const parsed =
      body.byteLength > INLINE_BYTES_MAX || source.format === 'text'
        ? await this.#parseElsewhere(body, asked)
        : parseBody(source, body, asked);
    if ('declined' in parsed) {
      const { status, why } = parsed.declined;
      if (status === 'limited') throw gate.limited(why);
      // A request that the venue calls invalid does not show that it is down.
      throw new SourceFailure(
        status === 'down' ? (refusal?.status ?? status) : status,
        `The venue declines: ${why}.`,
      );
    }
    gate.answered();
    if (refusal) throw refusal;
    if ('malformed' in parsed) {
      this.refuse(parsed.malformed);
      throw new SourceFailure('changed', `The response cannot be parsed: ${parsed.malformed}.`);
    }
    for (const why of parsed.page.refused ?? []) this.refuse(briefly(why));
    return { page: parsed.page, receivedAtMs, asOfMs };
  }

  /** Converts any error to a failure of the source. An error that is not the venue's is a bug, and reported as such. */
  asFailure(error: unknown): SourceFailure {
    if (error instanceof SourceFailure) return error;
    const { venue, source, warn } = this.#options;
    const fields = { source: `${venue}:${source.name}`, err: error };
    warn(`${source.name} mistake ${reasonOf(error)}`, fields, 'a poll failed by our own mistake');
    return new SourceFailure('down', 'The response could not be processed.', { cause: error });
  }

  refuse(why: string): void {
    const { venue, source, warn, meter } = this.#options;
    meter()?.countRefused(why);
    const fields = { source: `${venue}:${source.name}`, why };
    warn(`${source.name} ${kindOfRefusal(why)}`, fields, 'answer refused');
  }

  async #parseElsewhere(body: Uint8Array<ArrayBuffer>, asked: ParseRequest): Promise<ParsedBody<Answer>> {
    const { venue, source, jobs, clock, signal } = this.#options;
    const giveUp = new AbortController();
    const abort = (): void => giveUp.abort();
    let isLate = false;
    const timer = clock.after(PARSE_TIMEOUT_MS, () => {
      isLate = true;
      abort();
    });
    signal.addEventListener('abort', abort, { once: true });
    try {
      const payload = { venue, source: source.name, body, ...asked };
      const options = { transfer: [body.buffer], signal: giveUp.signal };
      // The worker finds the same source by its name.
      return (await jobs.run(parseBodyTask, payload, options)) as ParsedBody<Answer>;
    } catch (error) {
      const why = isLate
        ? `The source answered, but this service was too busy to parse it within ${PARSE_TIMEOUT_MS / 1_000} s.`
        : `The answer could not be parsed (${reasonOf(error)}).`;
      throw new SourceFailure('down', why, { cause: error });
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
  }
}
