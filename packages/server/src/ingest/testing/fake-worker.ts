import { isMainThread } from 'node:worker_threads';
import type { TaskFunction } from '../../platform/jobs.ts';
import { parseBody as parse, type parseBodyTask } from '../parse-body.ts';
import { fakeResource } from './fake-venue.ts';

const resource = fakeResource();

/** A worker that knows the fake resource, marks what it parsed, and dies of a coin called `die`. */
export const parseBody: TaskFunction<typeof parseBodyTask> = ({ body, receivedAtMs }) => {
  const parsed = parse(resource, body, receivedAtMs);
  if (isMainThread || 'malformed' in parsed) return parsed;
  const { openInterest = [] } = parsed.harvest;
  if (openInterest[0]?.coin === 'die') process.exit(1);
  return {
    harvest: { openInterest: openInterest.map((row) => ({ ...row, coin: `${row.coin} on a thread` })) },
  };
};
