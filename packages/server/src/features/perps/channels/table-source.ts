import type { TableName, Tables } from '@crosstape/core';
import type { Bus } from '../../../platform/bus.ts';
import { type Snapshot, snapshotTopic } from '../../../topics.ts';
import type { Publish, Source, Update } from '../../../gateway/gateway-channel.ts';

export interface TableSourceOptions<Name extends TableName, Payload> {
  readonly bus: Bus;
  readonly venue: string;
  readonly table: Name;
  readonly publish: Publish<Payload>;
  /** The update of a table for the symbol; `undefined` if there is none, or nothing new. */
  read(table: Snapshot<Tables[Name]>): Update<Payload> | undefined;
}

/** Sends what is new in each poll of a venue's table. */
export function openTable<Name extends TableName, Payload>(
  options: TableSourceOptions<Name, Payload>,
): Source<Payload> {
  const { bus, venue, table, publish } = options;
  const topic = snapshotTopic(venue, table);
  const known = bus.latest(topic)?.message;
  let newest = known && options.read(known);
  const close = bus.subscribe(topic, (next) => {
    const update = options.read(next);
    if (!update) return;
    newest = update;
    publish(update);
  });
  return { snapshot: () => newest, close };
}
