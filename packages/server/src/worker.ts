import { venues } from '@crosstape/venues';
import { parseBody as parse, type parseBodyTask } from './ingest/parse-body.ts';
import type { TaskFunction } from './platform/jobs.ts';

/** What a worker thread can do: each export is the function behind the task of that name. */
export const parseBody: TaskFunction<typeof parseBodyTask> = ({ venue, resource, body, receivedAtMs }) => {
  const connector = venues.find(({ id }) => id === venue)?.connector;
  const known = connector?.resources.find(({ name }) => name === resource);
  if (!known) throw new Error(`no resource ${resource} of ${venue}`);
  return parse(known, body, receivedAtMs);
};

export { findWhales } from './analytics/whales-on-tape.ts';
export { seedTicks } from './seeding/seed-ticks.ts';
