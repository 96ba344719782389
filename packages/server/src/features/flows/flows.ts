import { type Clock, DAY_MS, type FlowPoint } from '@crosstape/core';
import { type FlowEngine, type FlowHistory, startFlowEngine } from './flow-engine.ts';
import { FlowMinutes } from './flow-minutes.ts';
import { flowTopic } from './flow-report.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Log } from '../../platform/log.ts';
import { SampleRecorder } from '../../platform/sample-recorder.ts';
import type { Retention } from '../../platform/retention.ts';
import { FlowTable } from './flow-table.ts';
import type { Store } from '../../store/store.ts';
import { flowHistoryTopic } from '../../topics.ts';

export interface FlowsOptions {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly store: Store;
  readonly primaryVenue: string;
  /** The coins that are followed. */
  readonly coins: readonly string[];
  readonly retentionDays: number;
  readonly keptFromMs: Retention;
  /** For a simulated market with a generated history: resolves when the store has it. */
  readonly historyIsThere?: Promise<void>;
}

export interface Flows {
  stop(): Promise<void>;
}

/** Joins the engine that computes the flow figures and their record. */
export function startFlows(options: FlowsOptions): Flows {
  const { bus, log, store, primaryVenue, coins, historyIsThere } = options;
  const table = new FlowTable(store);
  const recorder = new SampleRecorder({ ...options, table, topic: flowHistoryTopic, what: 'flows' });
  const minutes = new FlowMinutes({ primaryVenue, emit: (point) => recorder.add(point) });
  const leave = coins.map((coin) => bus.subscribe(flowTopic(coin), (report) => minutes.add(report)));
  let engine: FlowEngine | undefined;
  let isStopped = false;
  const readHistory = (): Promise<FlowHistory> =>
    historyOf(table, coins, options.clock.now() - DAY_MS).catch((error: unknown) => {
      log.error({ err: error }, 'recorded flows cannot be read; flows start again');
      return new Map();
    });
  const begin = async (): Promise<void> => {
    const history = await readHistory();
    if (!isStopped) engine = startFlowEngine({ ...options, history });
    if (!historyIsThere) return;
    await historyIsThere;
    if (!isStopped) engine?.remember(await readHistory());
  };
  void begin();
  return {
    async stop() {
      isStopped = true;
      engine?.stop();
      for (const unsubscribe of leave) unsubscribe();
      await recorder.stop();
    },
  };
}

async function historyOf(table: FlowTable, coins: readonly string[], sinceMs: number): Promise<FlowHistory> {
  const history = new Map<string, FlowPoint[]>();
  for (const coin of coins) {
    const points: FlowPoint[] = [];
    for await (const page of table.pages(coin, sinceMs)) points.push(...page);
    history.set(coin, points);
  }
  return history;
}
