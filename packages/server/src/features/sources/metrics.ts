import type { SourceHealth, TableName } from '@crosstape/core';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Bus } from '../../platform/bus.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import {
  auditStateTopic,
  suspectsTopic,
  clockTopic,
  healthTopic,
  ingestMemoryTopic,
  isIdle,
  type RecorderHealth,
  recorderHealthTopic,
  snapshotTopic,
  type ThreadMemory,
} from '../../topics.ts';
import type { AnswerCache } from '../../http/answer-cache.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Streams } from '../../http/stream-definition.ts';
import type { Page } from '../../http/route.ts';
import type { RequestCounter } from '../../http/request-counter.ts';

interface TableFiller {
  readonly gives: readonly TableName[];
}

/** A publisher, as far as its tables are counted. */
export interface MeasuredPublisher {
  readonly id: string;
  readonly connector?:
    | { readonly resources: readonly TableFiller[]; readonly lookups?: readonly TableFiller[] }
    | undefined;
}

/** The text takes milliseconds: one a second is enough for one address. */
const VISIT_COST = 50;

export interface MetricsOptions {
  readonly bus: Bus;
  readonly publishers: readonly MeasuredPublisher[];
  readonly counter: RequestCounter;
  readonly answers: AnswerCache;
  readonly streams: Streams;
  readonly gateway: Gateway;
  /** The role of this process; default: all. */
  readonly role?: string | undefined;
}

/** All counters, for Prometheus. Values are read on request, never pushed. */
export function metricsPage(options: MetricsOptions): Page {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addHttp(registry, options);
  addSources(registry, options);
  addRecorder(registry, options);
  addMemory(registry, options);
  addClock(registry, options);
  addAudit(registry, options);
  addRole(registry, options.role ?? 'all');
  let made: Promise<string> | undefined;
  // Visits that arrive together share one text: each takes milliseconds.
  const text = (): Promise<string> =>
    (made ??= nextTurn()
      .then(() => registry.metrics())
      .finally(() => {
        made = undefined;
      }));
  return {
    path: '/metrics',
    cost: VISIT_COST,
    async handle() {
      return { status: 200, contentType: registry.contentType, body: await text() };
    },
  };
}

/** Metrics of a process without callers. */
export function roleMetricsPage(
  options: Pick<MetricsOptions, 'publishers'> & {
    readonly bus: Pick<Bus, 'latest'> | undefined;
    readonly role: string;
    readonly isLeading?: () => boolean;
  },
): Page {
  const { bus, publishers, role, isLeading } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  if (bus) {
    addSources(registry, { bus, publishers });
    addRecorder(registry, { bus });
    addClock(registry, { bus });
    addAudit(registry, { bus });
  }
  addRole(registry, role, isLeading);
  return {
    path: '/metrics',
    async handle() {
      return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function addRole(registry: Registry, role: string, isLeading?: () => boolean): void {
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_role',
      help: 'What this process does: 1.',
      labelNames: ['role'],
      registers: [],
      collect() {
        this.set({ role }, 1);
      },
    }),
  );
  if (!isLeading) return;
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_ingest_leading',
      help: 'Whether this ingester is the one that publishes: 1.',
      registers: [],
      collect() {
        this.set(isLeading() ? 1 : 0);
      },
    }),
  );
}

function addHttp(registry: Registry, { counter, answers, streams, gateway }: MetricsOptions): void {
  registry.registerMetric(
    new Counter({
      name: 'crosstape_http_requests_total',
      help: 'Answers by route and status.',
      labelNames: ['route', 'status'],
      registers: [],
      collect() {
        this.reset();
        for (const { route, status, count } of counter.entries()) this.inc({ route, status }, count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_answers_kept',
      help: 'Answers kept for reuse.',
      registers: [],
      collect() {
        this.set(answers.counts.answers);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_answers_kept_bytes',
      help: 'Bytes of the answers kept for reuse, all encodings together.',
      registers: [],
      collect() {
        this.set(answers.counts.bytes);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_streams',
      help: 'Numbers of the event streams, by kind.',
      labelNames: ['kind'],
      registers: [],
      collect() {
        for (const [kind, count] of Object.entries(streams.counts())) this.set({ kind }, count);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_gateway',
      help: 'Numbers of the WebSocket gateway, by kind.',
      labelNames: ['kind'],
      registers: [],
      collect() {
        for (const [kind, count] of Object.entries(gateway.counts())) this.set({ kind }, count);
      },
    }),
  );
}

function addSources(
  registry: Registry,
  {
    bus,
    publishers,
  }: { readonly bus: Pick<Bus, 'latest'>; readonly publishers: MetricsOptions['publishers'] },
): void {
  const labelNames = ['source'] as const;
  const healths = (): readonly SourceHealth[] =>
    publishers.flatMap(({ id }) => bus.latest(healthTopic(id))?.message ?? []);
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_source_status',
      help: 'The status that a source is in, idle until it is requested: 1.',
      labelNames: [...labelNames, 'status'],
      registers: [],
      collect() {
        this.reset();
        for (const health of healths())
          this.set({ source: health.source, status: isIdle(health) ? 'idle' : health.status }, 1);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_source_last_good_timestamp_seconds',
      help: 'When a source last said something good.',
      labelNames,
      registers: [],
      collect() {
        for (const { source, lastGoodMs } of healths()) {
          if (lastGoodMs !== undefined) this.set({ source }, lastGoodMs / 1_000);
        }
      },
    }),
  );
  for (const { field, help } of sourceCounters) {
    registry.registerMetric(
      new Counter({
        name: `crosstape_source_${field}_total`,
        help,
        labelNames,
        registers: [],
        collect() {
          this.reset();
          for (const health of healths()) this.inc({ source: health.source }, health[field]);
        },
      }),
    );
  }
}

function addRecorder(registry: Registry, { bus }: { readonly bus: Pick<Bus, 'latest'> }): void {
  const health = (): RecorderHealth | undefined => bus.latest(recorderHealthTopic)?.message;
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_recorder_failing',
      help: 'Whether the store refuses the tape: 1.',
      registers: [],
      collect() {
        this.set(health()?.status === 'failing' ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_recorder_unwritten_trades',
      help: 'Trades that wait in memory to be written.',
      registers: [],
      collect() {
        this.set(health()?.unwritten ?? 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_recorder_written_timestamp_seconds',
      help: 'Trades received before this time are written.',
      registers: [],
      collect() {
        this.set((health()?.writtenToMs ?? 0) / 1_000);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: 'crosstape_recorder_lost_trades_total',
      help: 'Trades dropped because too many waited to be written.',
      registers: [],
      collect() {
        this.reset();
        this.inc(health()?.lost ?? 0);
      },
    }),
  );
}

const memoryKinds = {
  heapUsed: 'heap_used',
  heapTotal: 'heap_total',
  external: 'external',
  arrayBuffers: 'array_buffers',
} as const satisfies Record<keyof ThreadMemory, string>;

/** The default metrics know the main thread only. */
function addMemory(
  registry: Registry,
  { bus, publishers }: Pick<MetricsOptions, 'bus' | 'publishers'>,
): void {
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_table_rows',
      help: 'Rows of the newest table that a source has filled.',
      labelNames: ['venue', 'table'],
      registers: [],
      collect() {
        this.reset();
        for (const { id, connector } of publishers) {
          const sources = [...(connector?.resources ?? []), ...(connector?.lookups ?? [])];
          for (const table of new Set(sources.flatMap(({ gives }) => gives))) {
            const rows = bus.latest(snapshotTopic(id, table))?.message.rows;
            if (rows) this.set({ venue: id, table }, rows.length);
          }
        }
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_thread_memory_bytes',
      help: 'Memory of the main thread and of the ingest thread; array_buffers is a part of external.',
      labelNames: ['thread', 'kind'],
      registers: [],
      collect() {
        this.reset();
        const threads = { main: process.memoryUsage(), ingest: bus.latest(ingestMemoryTopic)?.message };
        for (const [thread, memory] of Object.entries(threads))
          for (const [field, kind] of Object.entries(memoryKinds))
            if (memory) this.set({ thread, kind }, memory[field as keyof ThreadMemory]);
      },
    }),
  );
}

function addClock(registry: Registry, { bus }: { readonly bus: Pick<Bus, 'latest'> }): void {
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_clock_skew_seconds',
      help: "How far the machine's clock is ahead of the venues' times.",
      registers: [],
      collect() {
        this.set((bus.latest(clockTopic)?.message.skewMs ?? 0) / 1_000);
      },
    }),
  );
}

function addAudit(registry: Registry, { bus }: { readonly bus: Pick<Bus, 'latest'> }): void {
  registry.registerMetric(
    new Counter({
      name: 'crosstape_audit_hours_total',
      help: "Recorded hours of markets that were compared with the venue's candles, by verdict.",
      labelNames: ['venue', 'verdict'],
      registers: [],
      collect() {
        this.reset();
        for (const [venue, counts] of Object.entries(bus.latest(auditStateTopic)?.message.counts ?? {}))
          for (const [verdict, hours] of Object.entries(counts)) this.inc({ venue, verdict }, hours);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_audit_differences',
      help: "Recorded hours of the last day that differ from the venue's candles.",
      registers: [],
      collect() {
        this.set(bus.latest(auditStateTopic)?.message.differing.length ?? 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'crosstape_suspect_figures',
      help: 'Figures further from the other venues than their own history explains.',
      labelNames: ['venue', 'field'],
      registers: [],
      collect() {
        this.reset();
        for (const { venue, field } of bus.latest(suspectsTopic)?.message ?? []) this.inc({ venue, field });
      },
    }),
  );
}

const sourceCounters = [
  { field: 'messages', help: 'Messages and answers received from a source.' },
  { field: 'refused', help: 'Messages and responses of a source that could not be parsed.' },
  { field: 'reconnects', help: 'Reconnects of a source.' },
] as const;
