import type { CatalogVenue, Clock, SourceTerms } from '@crosstape/core';
import type { Bus, LatestTopic } from '../platform/bus.ts';
import type { JobRunner, Task } from '../platform/jobs.ts';
import { sourcePrefix, type UpstreamMode } from '../platform/upstream-mode.ts';
import { type Demand, demandTopic, type Following, followTopic } from '../topics.ts';

/** How long a request may wait in total for data that are fetched on demand. */
export const COLD_WAIT_MS = 3_000;

/** Available to every handler. Features add their readers. */
export interface Resources {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly jobs: JobRunner;
  readonly venues: readonly CatalogVenue[];
  /** Publishers with their terms of use. */
  readonly sources: readonly SourceTerms[];
  readonly upstream: UpstreamMode;
  readonly startedAtMs: number;
}

/** The client of a request, and the format it accepts. */
export interface Requester {
  readonly caller: string;
  /** The address of the client, whatever its key. */
  readonly address: string;
  /** The `Accept` header. */
  readonly accept: string;
}

/** A retained message that an answer was made from. */
export interface Input {
  readonly topic: LatestTopic<unknown>;
  readonly version: number;
}

/** What a handler can use while it makes one answer. Inputs are recorded, so that the answer can be cached. */
export class RequestContext<Own extends Resources = Resources> {
  readonly resources: Own;
  readonly #requester: Requester | undefined;
  readonly #address: string;
  readonly #inputs = new Map<string, Input>();
  readonly #patientUntilMs: number;

  /** `address` is that of the first request for an answer that is shared with others. */
  constructor(resources: Own, requester?: Requester, address = requester?.address ?? '') {
    this.resources = resources;
    this.#requester = requester;
    this.#address = address;
    this.#patientUntilMs = resources.clock.now() + COLD_WAIT_MS;
  }

  get requester(): Requester {
    if (!this.#requester) throw new Error('a cached response must not depend on the caller');
    return this.#requester;
  }

  /** The caller that work is done for: callers take turns. An answer must not depend on it. */
  get caller(): string {
    return this.#address;
  }

  /** Runs CPU work on a worker thread; callers take turns. */
  work<Payload, Result>(task: Task<Payload, Result>, payload: Payload): Promise<Result> {
    return this.resources.jobs.run(task, payload, { caller: this.#address });
  }

  get nowMs(): number {
    return this.resources.clock.now();
  }

  get inputs(): readonly Input[] {
    return [...this.#inputs.values()];
  }

  /** The newest message. If a topic changes while the handler runs, the first version counts. */
  latest<Message>(topic: LatestTopic<Message>): Message | undefined {
    const retained = this.resources.bus.latest(topic);
    if (!this.#inputs.has(topic.name)) {
      this.#inputs.set(topic.name, { topic, version: versionOf(retained) });
    }
    return retained?.message;
  }

  /** Requests a table, which may be polled only on demand. */
  demand(demand: Demand): void {
    this.resources.bus.publish(demandTopic, demand);
  }

  /** Requests coins of a feed, which may be subscribed to only on demand. */
  follow(following: Following): void {
    this.resources.bus.publish(followTopic, following);
  }

  /** Waits, for a limited time, for a publication after which `isReady`. */
  async waitUntil(isReady: () => boolean, topics: readonly LatestTopic<unknown>[]): Promise<void> {
    const { bus, clock } = this.resources;
    const leftMs = this.#patientUntilMs - clock.now();
    if (isReady() || leftMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = clock.after(leftMs, () => finish());
      const leave = topics.map((topic) =>
        bus.subscribe(topic, () => {
          if (isReady()) finish();
        }),
      );
      const finish = (): void => {
        timer.cancel();
        for (const unsubscribe of leave) unsubscribe();
        resolve();
      };
    });
  }

  /** `meta.source` for these venues. */
  label(venues: readonly string[]): string {
    return sourceLabel(this.resources.upstream, venues);
  }
}

export function sourceLabel(upstream: UpstreamMode, names: readonly string[]): string {
  return names.map((name) => sourcePrefix(upstream) + name).join('+');
}

export function versionOf(retained: { readonly version: number } | undefined): number {
  return retained?.version ?? 0;
}
