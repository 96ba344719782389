import { type FlowReport, flowTopic } from '../../analytics/flows/flow-report.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Publish, Source, Update } from './gateway-channel.ts';

export interface FlowSourceOptions<Payload> {
  readonly bus: Bus;
  readonly coin: string;
  readonly publish: Publish<Payload>;
  /** What a report says; `undefined` while it says nothing. */
  readonly read: (report: FlowReport) => Payload | undefined;
}

/** Tells what is made from the reports of a coin's flows, one a second, whenever it has changed. */
export function openFlow<Payload>({ bus, coin, publish, read }: FlowSourceOptions<Payload>): Source<Payload> {
  const topic = flowTopic(coin);
  let newest: Update<Payload> | undefined;
  let text: string | undefined;
  const take = (report: FlowReport): boolean => {
    const payload = read(report);
    const next = payload === undefined ? undefined : JSON.stringify(payload);
    if (payload === undefined || next === text) return false;
    text = next;
    newest = { ts: report.atMs, payload };
    return true;
  };
  const known = bus.latest(topic)?.message;
  if (known) take(known);
  const close = bus.subscribe(topic, (report) => {
    if (take(report) && newest) publish(newest);
  });
  return { snapshot: () => newest, close };
}
