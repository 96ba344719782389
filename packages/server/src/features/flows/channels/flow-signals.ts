import { etfSources, fxRateSources, koreanSources, proxyTapeSources, spotSources } from '../flow-sources.ts';
import { flowTopic } from '../flow-report.ts';
import type { FlowSignal as Signal } from '../signal-watch.ts';
import { FlowSignal } from '../schema.ts';
import { gatewayChannel } from '../../channel.ts';

export const flowSignals = gatewayChannel({
  name: 'flowSignals',
  summary: 'Flow signals as they begin',
  description:
    'A signal of `/flows/signals` when it begins, and again when its severity changes, for the coins whose flows are followed. `/flows/signals` returns the signals that are active already.',
  payload: FlowSignal,
  symbols: ({ flowCoins }) => flowCoins,
  isState: false,
  // Each rule reads some of these sources: a failing one stops only the signals of its rules.
  sources: ({ symbol: coin }, { primaryVenue }) => [
    [
      ...spotSources,
      ...koreanSources,
      ...fxRateSources,
      ...proxyTapeSources,
      ...etfSources(coin),
      { publisher: primaryVenue, gives: 'trades' },
    ],
  ],
  open({ symbol }, publish, { bus }) {
    const topic = flowTopic(symbol);
    let severities = severitiesOf(bus.latest(topic)?.message.signals ?? []);
    const close = bus.subscribe(topic, ({ signals }) => {
      const before = severities;
      severities = severitiesOf(signals);
      for (const signal of signals) {
        if (before.get(signal.id) !== signal.severity) publish({ ts: signal.ts, payload: { ...signal } });
      }
    });
    return { close };
  },
});

function severitiesOf(signals: readonly Signal[]): ReadonlyMap<string, string> {
  return new Map(signals.map(({ id, severity }) => [id, severity]));
}
