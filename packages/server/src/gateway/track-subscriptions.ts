import type { Bus } from '../platform/bus.ts';

/** Wraps a bus and records the topics that are subscribed to or read as a log. */
export function trackSubscriptions(bus: Bus): { readonly bus: Bus; readonly followed: ReadonlySet<string> } {
  const followed = new Set<string>();
  return {
    followed,
    bus: {
      publish: (topic, message) => bus.publish(topic, message),
      subscribe(topic, listener) {
        followed.add(topic.name);
        return bus.subscribe(topic, listener);
      },
      latest: (topic) => bus.latest(topic),
      log(topic) {
        followed.add(topic.name);
        return bus.log(topic);
      },
      onMissed: (listener) => bus.onMissed(listener),
      settled: (topic) => bus.settled(topic),
    },
  };
}
