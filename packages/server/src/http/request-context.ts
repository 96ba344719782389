import type { CatalogVenue, Clock, SourceTerms } from '@crosstape/core';
import type { FlowHistoryReader } from '../features/flows/print-flow-history.ts';
import type { LiquidationReader } from '../features/liquidations/liquidation-reader.ts';
import type { TapeCoverage } from '../features/tape/tape-coverage.ts';
import type { TapeReader } from '../features/tape/tape-reader.ts';
import type { WhaleReader } from '../features/whales/whales.ts';
import type { Bus, LatestTopic } from '../platform/bus.ts';
import type { JobRunner, Task } from '../platform/jobs.ts';
import { sourcePrefix, type UpstreamMode } from '../platform/upstream-mode.ts';
import type { Rotations } from '../features/rotations/rotations.ts';
import type { HistoryShelf } from '../features/perps/history-table.ts';
import { type Demand, demandTopic, type Following, followTopic } from '../topics.ts';

/** How long a request may wait, all told, for what nobody has asked for before. */
export const COLD_WAIT_MS = 3_000;

/** As much of the OpenAPI document as its endpoint promises. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  readonly components: object;
}

/** What handlers are given by the assembly. */
export interface Resources {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly venues: readonly CatalogVenue[];
  /** Everybody who is asked for something, and so has health. */
  readonly publishers: readonly { readonly id: string; readonly venue?: string }[];
  /** Who they are, and on which terms. */
  readonly sources: readonly SourceTerms[];
  /** Id of the default venue. */
  readonly primaryVenue: string;
  readonly upstream: UpstreamMode;
  readonly whales: WhaleReader;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  readonly rotations: Pick<Rotations, 'submit' | 'job' | 'result' | 'findResult' | 'barsOf' | 'isFull'>;
  readonly jobs: JobRunner;
  readonly histories: Pick<HistoryShelf, 'samples'>;
  readonly liquidations: LiquidationReader;
  readonly flowHistory: FlowHistoryReader;
  /** The coins whose flows are followed. */
  readonly flowCoins: readonly string[];
  readonly retentionDays: number;
  readonly startedAtMs: number;
  readonly document: OpenApiDocument;
}

/** Who asks, and for what form. */
export interface Asker {
  readonly caller: string;
  /** Where the request comes from, whatever key it has. */
  readonly address: string;
  /** The `Accept` header. */
  readonly accept: string;
}

/** A retained message that an answer was made from. */
export interface Input {
  readonly topic: LatestTopic<unknown>;
  readonly version: number;
}

/** What a handler can reach while it makes one answer. What it reads is remembered, so that the answer can be reused. */
export class Context {
  readonly resources: Resources;
  readonly #asker: Asker | undefined;
  readonly #address: string;
  readonly #inputs = new Map<string, Input>();
  readonly #patientUntilMs: number;

  /** `address` is where the first request for an answer comes from that is kept for others as well. */
  constructor(resources: Resources, asker?: Asker, address = asker?.address ?? '') {
    this.resources = resources;
    this.#asker = asker;
    this.#address = address;
    this.#patientUntilMs = resources.clock.now() + COLD_WAIT_MS;
  }

  get asker(): Asker {
    if (!this.#asker) throw new Error('an answer that is kept cannot depend on who asks');
    return this.#asker;
  }

  /** Does CPU work on a worker thread; callers with work that waits take turns. */
  work<Payload, Result>(task: Task<Payload, Result>, payload: Payload): Promise<Result> {
    return this.resources.jobs.run(task, payload, { caller: this.#address });
  }

  get nowMs(): number {
    return this.resources.clock.now();
  }

  get inputs(): readonly Input[] {
    return [...this.#inputs.values()];
  }

  /** The newest message. Of a topic that changes while the handler runs, the first version read is remembered. */
  latest<Message>(topic: LatestTopic<Message>): Message | undefined {
    const retained = this.resources.bus.latest(topic);
    if (!this.#inputs.has(topic.name)) {
      this.#inputs.set(topic.name, { topic, version: versionOf(retained) });
    }
    return retained?.message;
  }

  /** Says that somebody wants a table, which may be polled on demand only. */
  demand(demand: Demand): void {
    this.resources.bus.publish(demandTopic, demand);
  }

  /** Says that coins are wanted of a feed, which may be subscribed to on demand only. */
  follow(following: Following): void {
    this.resources.bus.publish(followTopic, following);
  }

  /** Waits for a publication after which `isReady`, but not for long. */
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
