import type { ParsedTables, Random, TableName, Timer } from '@crosstape/core';
import type { Resource } from '@crosstape/venues';
import { type ParseDetails, missingTables } from './venue-tables.ts';
import { type AnswerKeeper, type GoodAnswer, type KeptAnswer, renewed } from './kept-answer.ts';
import { asOfMs } from '../topics.ts';
import { fetchPages, type PagedAnswer } from './paged-answer.ts';
import { leastRetryMs, PollHealth } from './poll-health.ts';
import { SourceClient, type VenuePolling } from './source-client.ts';
import { SourceFailure } from './source-failure.ts';
import { TableSizes } from './table-sizes.ts';
import { type SourceMeter, waitsFor } from './venue-health.ts';

/** Resources of a venue do not all start in the same millisecond. */
const FIRST_OFFSET_MAX_MS = 250;
/** A requested resource is kept warm for this many cadences. */
const DEMAND_CADENCES = 5;
/** At the start, optional tables of an answer are waited for this long. */
const PREFERRED_WAIT_MS = 5_000;
/** Status of a source that was polled while the service stopped. */
const LEFT_ALONE = {
  status: 'down',
  why: 'Polled shortly before a restart; waiting for the next poll.',
} as const;

export interface PollerOptions extends VenuePolling {
  readonly resource: Resource;
  readonly random: Random;
  /** Called on the first request, so that an idle resource is not reported as down. */
  readonly openMeter: () => SourceMeter;
  readonly publish: (parsed: ParsedTables, fetchedAtMs: number, details?: ParseDetails) => void;
  /** Whether all lists of instruments are available, if there are several. */
  readonly isListed: () => boolean;
  /** Whether an empty list of instruments can be true. */
  readonly canListNothing: () => boolean;
  /** For a resource that allows few requests. */
  readonly keeper?: AnswerKeeper;
}

/** Keeps one resource fresh: on its cadence, one request at a time, while it is wanted. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #stopping = new AbortController();
  readonly #client: SourceClient;
  readonly #sizes: TableSizes;
  #health: PollHealth | undefined;
  #timer: Timer | undefined;
  #flight: Promise<void> | undefined;
  #isWaitingForTables = false;
  /** After this time it no longer waits for preferred tables. */
  #patientUntilMs: number | undefined;
  /** Polls fall on this time plus whole cadences. */
  #gridMs = 0;
  #wantedUntilMs = 0;
  /** When the source made the last published data. */
  #publishedAsOfMs = 0;
  #isStarted = false;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#sizes = new TableSizes(options.resource.gives);
    this.#client = new SourceClient({
      ...options,
      source: options.resource,
      meter: () => this.#health?.meter,
      signal: this.#stopping.signal,
    });
  }

  /** Publishes what is known from before, and starts polling if it is always polled or was already requested. */
  start(): void {
    const { resource, random, keeper } = this.#options;
    this.#isStarted = true;
    if (keeper?.last?.good) this.#publish(keeper.last.good);
    if (resource.polled !== 'always') {
      if (this.#isWanted()) this.#wake(this.#notYetMs());
      return;
    }
    this.#wantedUntilMs = Number.POSITIVE_INFINITY;
    const offsetMs = Math.floor(random() * Math.min(FIRST_OFFSET_MAX_MS, resource.everyMs));
    this.#wake(Math.max(offsetMs, this.#notYetMs()));
  }

  /**
   * The resource was requested: fetches it as soon as allowed, unless a poll is scheduled already, and keeps it warm for a
   * while, unless once is enough.
   */
  want(isOnce = false): void {
    const { resource, clock } = this.#options;
    const { everyMs, polled } = resource;
    if (polled !== 'demand' || this.#stopping.signal.aborted) return;
    // Once: until just before the next poll would be due.
    const keptMs = isOnce ? everyMs - 1 : DEMAND_CADENCES * everyMs;
    this.#wantedUntilMs = Math.max(this.#wantedUntilMs, clock.now() + keptMs);
    if (this.#isStarted && !this.#timer && !this.#flight) this.#wake(this.#notYetMs());
  }

  #isWanted(): boolean {
    const { resource, clock } = this.#options;
    // A clock that was set back must not keep an idle resource warm for as long as it was ahead.
    if (resource.polled !== 'always')
      this.#wantedUntilMs = Math.min(this.#wantedUntilMs, clock.now() + DEMAND_CADENCES * resource.everyMs);
    return clock.now() <= this.#wantedUntilMs;
  }

  /** How long to wait, given the requests before the start. */
  #notYetMs(): number {
    const { resource, clock, keeper } = this.#options;
    const { everyMs } = resource;
    const last = keeper?.last;
    if (!last) return 0;
    const failures = failuresOf(last);
    const againMs = failures === 0 ? everyMs : leastRetryMs(resource, failures, !last.good);
    // A clock that was set back must not silence a source.
    return Math.min(Math.max(0, last.askedAtMs + againMs - clock.now()), everyMs);
  }

  /** The venue's tables changed: the tables that this resource needs may be available now. */
  tablesChanged(): void {
    if (!this.#isWaitingForTables || this.#missing().length > 0) return;
    this.#isWaitingForTables = false;
    this.#wake(0);
  }

  /** Missing required tables; at the start, also missing optional ones. */
  #missing(): readonly TableName[] {
    const { resource, known, clock, isListed } = this.#options;
    const { needs = [], prefers = [] } = resource;
    const needed = missingTables(known(), needs);
    if (needed.length > 0) return needed;
    // Not later than from now, if the clock was set back.
    const mostMs = clock.now() + PREFERRED_WAIT_MS;
    this.#patientUntilMs = Math.min(this.#patientUntilMs ?? mostMs, mostMs);
    if (clock.now() >= this.#patientUntilMs) return [];
    if (needs.includes('instruments') && !isListed()) return ['instruments'];
    return missingTables(known(), prefers);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#isWaitingForTables = false;
    this.#timer?.cancel();
    this.#health?.stop();
    await this.#flight;
  }

  #wake(delayMs: number): void {
    const { clock } = this.#options;
    this.#health ??= this.#openHealth();
    this.#gridMs = this.#options.resource.isAligned ? 0 : clock.now() + delayMs;
    this.#schedule(delayMs, this.#health);
  }

  #openHealth(): PollHealth {
    const { clock, random, resource, openMeter, keeper } = this.#options;
    const last = keeper?.last;
    const failuresBefore = last ? failuresOf(last) : 0;
    const health = new PollHealth({ ...resource, meter: openMeter(), failuresBefore, clock, random });
    if (resource.notes) health.meter.note(resource.notes);
    if (last?.good) {
      health.restored(asOfMs(last.good), failuresBefore === 0);
      health.meter.note(this.#notesOf(last.good.parsed));
    }
    // Until the next request, the last failure is all that is known; if it is current, it is not reported again.
    if (last && failuresBefore > 0 && this.#notYetMs() > 0) {
      const { status, why } = last.failed ?? LEFT_ALONE;
      health.meter.turn(status, why);
    }
    return health;
  }

  #schedule(delayMs: number, health: PollHealth): void {
    const { clock } = this.#options;
    this.#timer?.cancel();
    this.#timer = clock.after(delayMs, () => {
      this.#timer = undefined;
      if (!this.#isWanted()) return health.rest();
      const missing = this.#missing();
      this.#isWaitingForTables = missing.length > 0;
      if (!this.#isWaitingForTables) {
        this.#flight = this.#poll(health);
        return;
      }
      health.meter.turn('down', waitsFor(missing));
      // Without a time, the tables that it waits for are required.
      if (this.#patientUntilMs !== undefined)
        this.#schedule(Math.max(0, this.#patientUntilMs - clock.now()), health);
    });
  }

  async #poll(health: PollHealth): Promise<void> {
    const { resource, clock, keeper, gate } = this.#options;
    let nextMs: number;
    try {
      const { parsed, receivedAtMs, madeAtMs, missing } = await this.#fetch();
      const last = keeper?.last?.good;
      const isAfterFailure = keeper?.last?.failed !== undefined;
      // The caches of one source are not all of the same age: an older answer does not replace a newer one.
      const isOlder = madeAtMs < this.#publishedAsOfMs && this.#publishedAsOfMs <= receivedAtMs;
      const good = isOlder ? last : renewed(last, parsed, madeAtMs);
      keeper?.keep({ askedAtMs: receivedAtMs, ...(good && { good }) });
      if (this.#stopping.signal.aborted) return;
      if (good && !isOlder) this.#publish(good, missing !== undefined);
      health.good(this.#publishedAsOfMs, { ...parsed, notes: this.#notesOf(parsed) }, missing);
      const gridMs = resource.everyMs - ((clock.now() - this.#gridMs) % resource.everyMs);
      // The requests that failed before it count in the source's quota of the day.
      const isLate = isAfterFailure && resource.firstRetryMs !== undefined;
      nextMs = isLate ? resource.everyMs : Math.max(gridMs, resource.retryMs ?? 0);
    } catch (error) {
      const failure = withRemedy(this.#client.asFailure(error), resource.remedy);
      const { aborted } = this.#stopping.signal;
      const { status, message: why } = failure;
      const last = keeper?.last;
      const failures = (last ? failuresOf(last) : 0) + 1;
      if (!failure.isUnsent)
        keeper?.keep({
          askedAtMs: clock.now(),
          ...(last?.good && { good: last.good }),
          failed: { ...(aborted ? LEFT_ALONE : { status, why }), failures },
        });
      if (aborted) return;
      const isUnanswered = keeper !== undefined && !last?.good;
      nextMs = health.failed(
        failure,
        isUnanswered ? { failures, takeRetry: () => gate.takeFirstRetry() } : undefined,
      );
    } finally {
      this.#flight = undefined;
    }
    this.#schedule(nextMs, health);
  }

  #notesOf(parsed: ParsedTables): readonly string[] {
    const { clock } = this.#options;
    const { notes: ofResource = [] } = this.#options.resource;
    return [...ofResource, ...this.#sizes.notes(parsed, clock.now()), ...(parsed.notes ?? [])];
  }

  #publish({ parsed, fetchedAtMs, checkedAtMs = fetchedAtMs }: GoodAnswer, isPartial = false): void {
    this.#publishedAsOfMs = checkedAtMs;
    this.#options.publish(parsed, fetchedAtMs, { checkedAtMs, isPartial });
  }

  async #fetch(): Promise<PagedAnswer> {
    const { resource, canListNothing } = this.#options;
    const answer = await fetchPages(resource, this.#client);
    const { instruments = [] } = answer.parsed;
    // An empty list would make every contract of the venue unlisted.
    if (instruments.length === 0 && resource.gives.includes('instruments') && !canListNothing())
      throw new SourceFailure('changed', 'The venue lists no instruments that trade.');
    return answer;
  }
}

/** Number of consecutive failures up to the last request; 0 if the last answer was good. */
function failuresOf({ good, failed }: KeptAnswer): number {
  return failed?.failures ?? (good && !failed ? 0 : 1);
}

/** Adds the remedy to the message. */
function withRemedy(failure: SourceFailure, remedy: string | undefined): SourceFailure {
  const { status, message, retryAtMs, isUnsent } = failure;
  if (remedy === undefined || (status !== 'blocked' && status !== 'changed')) return failure;
  return new SourceFailure(status, `${message} ${remedy}`, { retryAtMs, isUnsent, cause: failure });
}
