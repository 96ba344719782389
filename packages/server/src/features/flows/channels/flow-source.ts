import { agedReport } from '../aged-report.ts';
import { type FlowReport, flowTopic } from '../flow-report.ts';
import type { Publish, Source } from '../../../gateway/gateway-channel.ts';
import type { ChannelContext } from '../../channel.ts';

export interface FlowSourceOptions<Payload> {
  readonly context: ChannelContext;
  readonly coin: string;
  readonly publish: Publish<Payload>;
  /** Payload of a report; `undefined` if it has none. */
  readonly read: (report: FlowReport) => Payload | undefined;
}

/**
 * Sends values derived from the reports of a coin's flows, one a second, when they change. While no reports are made, a
 * new subscriber gets the last one as it is served, or nothing if it is too old.
 */
export function openFlow<Payload>({
  context: { bus, clock, primaryVenue },
  coin,
  publish,
  read,
}: FlowSourceOptions<Payload>): Source<Payload> {
  const topic = flowTopic(coin);
  let report = bus.latest(topic)?.message;
  /** The value that all subscribers have. */
  let text: string | undefined;
  const close = bus.subscribe(topic, (next) => {
    report = next;
    const payload = read(next);
    if (payload === undefined || JSON.stringify(payload) === text) return;
    text = JSON.stringify(payload);
    publish({ ts: next.atMs, payload });
  });
  return {
    snapshot: () => {
      const reported =
        report &&
        agedReport(report, clock.now(), { latest: (other) => bus.latest(other)?.message, primaryVenue });
      const payload = reported && read(reported);
      if (!reported || payload === undefined) return undefined;
      // A subscriber that joined with an old report gets the next one in any case.
      text = reported === report ? JSON.stringify(payload) : undefined;
      return { ts: reported.figures.atMs, payload };
    },
    close,
  };
}
