import type { Clock, Harvest, Random, Timer } from '@crosstape/core';
import type { Resource } from '@crosstape/venues';
import { type BackoffRule, backoffMs } from '../platform/backoff.ts';
import type { JobRunner } from '../platform/jobs.ts';
import type { WarnOnce } from '../platform/log.ts';
import type { HttpAnswer, HttpClient } from './http-client.ts';
import { type ParsedBody, parseBody, parseBodyTask } from './parse-body.ts';
import { briefly, kindOfRefusal } from './refusals.ts';
import { type BadStatus, reasonOf, SourceFailure } from './source-failure.ts';
import type { SourceMeter } from './venue-health.ts';

/** A larger answer is parsed off the event loop. */
const INLINE_BYTES_MAX = 1_000_000;
const PARSE_TIMEOUT_MS = 30_000;
/** Resources of a venue do not all start in the same millisecond. */
const FIRST_OFFSET_MAX_MS = 250;
/** The last good answer is stale after so many cadences. */
const STALE_CADENCES = 3;
/** Something asked for is kept warm for so many cadences. */
const DEMAND_CADENCES = 5;
/** One lost request is no news: it is repeated first. */
const DOWN_FAILURES = 2;

/** How soon to ask again, by what went wrong. Never later than the cadence would, but for a wall that stays. */
const retryRules: Readonly<Record<BadStatus, BackoffRule>> = {
  down: { firstMs: 1_000, maxMs: 30_000 },
  stale: { firstMs: 1_000, maxMs: 30_000 },
  limited: { firstMs: 1_000, maxMs: 30_000 },
  changed: { firstMs: 5_000, maxMs: 300_000 },
  blocked: { firstMs: 30_000, maxMs: 300_000 },
};

export interface PollerOptions {
  readonly venue: string;
  readonly resource: Resource;
  readonly client: HttpClient;
  readonly jobs: JobRunner;
  readonly clock: Clock;
  readonly random: Random;
  readonly warn: WarnOnce;
  /** Called when the resource is first asked for, so that one that nobody wants is not called down. */
  readonly openMeter: () => SourceMeter;
  readonly publish: (harvest: Harvest, fetchedAtMs: number) => void;
}

/** Keeps one resource fresh: on its cadence, one request at a time, for as long as it is wanted. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  #meter: SourceMeter | undefined;
  #timer: Timer | undefined;
  #staleTimer: Timer | undefined;
  #flight: Promise<void> | undefined;
  /** Polls fall on this time plus whole cadences. */
  #gridMs = 0;
  #failures = 0;
  #wantedUntilMs = 0;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Begins to poll a resource that is always polled. */
  start(): void {
    const { resource, random } = this.#options;
    if (resource.polled !== 'always') return;
    this.#wantedUntilMs = Number.POSITIVE_INFINITY;
    this.#wake(random() * Math.min(FIRST_OFFSET_MAX_MS, resource.everyMs));
  }

  /** Somebody asks for the resource: it is fetched, unless that is arranged already, and kept warm for a while. */
  want(): void {
    const { resource, clock } = this.#options;
    if (resource.polled !== 'demand' || this.#stopping.signal.aborted) return;
    this.#wantedUntilMs = clock.now() + DEMAND_CADENCES * resource.everyMs;
    if (!this.#timer && !this.#flight) this.#wake(0);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    this.#staleTimer?.cancel();
    await this.#flight;
  }

  #wake(delayMs: number): void {
    this.#meter ??= this.#options.openMeter();
    this.#gridMs = this.#options.clock.now() + delayMs;
    this.#schedule(delayMs);
  }

  #schedule(delayMs: number): void {
    this.#timer = this.#options.clock.after(delayMs, () => {
      this.#timer = undefined;
      if (this.#options.clock.now() > this.#wantedUntilMs) this.#staleTimer?.cancel();
      else this.#flight = this.#poll();
    });
  }

  async #poll(): Promise<void> {
    const { resource, client, publish, clock } = this.#options;
    let nextMs: number;
    try {
      const answer = await client.send(resource.request, resource.weight);
      const { receivedAtMs } = answer;
      const harvest = await this.#parse(answer);
      if (this.#stopping.signal.aborted) return;
      publish(harvest, receivedAtMs);
      this.#succeed(harvest.refused ?? []);
      nextMs = resource.everyMs - ((clock.now() - this.#gridMs) % resource.everyMs);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      nextMs = this.#fail(this.#asFailure(error));
    } finally {
      this.#flight = undefined;
    }
    this.#schedule(nextMs);
  }

  async #parse({ body, receivedAtMs }: HttpAnswer): Promise<Harvest> {
    const { resource } = this.#options;
    const parsed =
      body.byteLength > INLINE_BYTES_MAX
        ? await this.#parseElsewhere(body, receivedAtMs)
        : parseBody(resource, body, receivedAtMs);
    if ('malformed' in parsed) {
      this.#refuse(parsed.malformed);
      throw new SourceFailure('changed', `The answer is not understood: ${parsed.malformed}.`);
    }
    return parsed.harvest;
  }

  async #parseElsewhere(body: Uint8Array<ArrayBuffer>, receivedAtMs: number): Promise<ParsedBody> {
    const { venue, resource, jobs, clock } = this.#options;
    const giveUp = new AbortController();
    const abort = (): void => giveUp.abort();
    const timer = clock.after(PARSE_TIMEOUT_MS, abort);
    this.#stopping.signal.addEventListener('abort', abort, { once: true });
    try {
      const payload = { venue, resource: resource.name, body, receivedAtMs };
      return await jobs.run(parseBodyTask, payload, { transfer: [body.buffer], signal: giveUp.signal });
    } catch (error) {
      throw new SourceFailure('down', `The answer could not be parsed (${reasonOf(error)}).`, {
        cause: error,
      });
    } finally {
      timer.cancel();
      this.#stopping.signal.removeEventListener('abort', abort);
    }
  }

  #succeed(refusedRows: readonly string[]): void {
    const { clock, resource } = this.#options;
    this.#failures = 0;
    for (const why of refusedRows) this.#refuse(briefly(why));
    this.#meter?.countGood();
    this.#meter?.turn('ok');
    this.#staleTimer?.cancel();
    this.#staleTimer = clock.after(STALE_CADENCES * resource.everyMs, () => {
      if (this.#meter?.status !== 'ok') return;
      this.#meter.turn('stale', `No good answer for ${(STALE_CADENCES * resource.everyMs) / 1_000} s.`);
    });
  }

  /** Turns the health and says how long to wait. */
  #fail(failure: SourceFailure): number {
    const { clock, resource, random } = this.#options;
    const { status } = failure;
    const waitMs = backoffMs(this.#failures, retryRules[status], random);
    this.#failures += 1;
    if (status !== 'down' || this.#failures >= DOWN_FAILURES || this.#meter?.lastGoodMs === undefined) {
      this.#meter?.turn(status, failure.message);
    }
    const againMs = status === 'blocked' ? waitMs : Math.min(waitMs, resource.everyMs);
    return Math.max(againMs, failure.retryAtMs - clock.now());
  }

  #asFailure(error: unknown): SourceFailure {
    if (error instanceof SourceFailure) return error;
    const { venue, resource, warn } = this.#options;
    const source = `${venue}:${resource.name}`;
    warn(
      `${resource.name} mistake ${reasonOf(error)}`,
      { source, err: error },
      'a poll failed by our own mistake',
    );
    return new SourceFailure('down', 'Its answer could not be handled.', { cause: error });
  }

  #refuse(why: string): void {
    const { venue, resource, warn } = this.#options;
    this.#meter?.countRefused();
    warn(
      `${resource.name} ${kindOfRefusal(why)}`,
      { source: `${venue}:${resource.name}`, why },
      'answer refused',
    );
  }
}
