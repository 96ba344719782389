import { isMainThread } from 'node:worker_threads';
import type { TaskFunction } from '../../platform/jobs.ts';
import { serveTasks } from '../../platform/thread-tasks.ts';
import { parseBody as parse, type parseBodyTask } from '../parse-body.ts';
import { fakeResource } from './fake-venue.ts';

const resource = fakeResource();

/** A worker that parses the fake resource, marks its results, and crashes on a coin called `die`. */
const parseBody: TaskFunction<typeof parseBodyTask> = ({ body, ...context }) => {
  const parsed = parse(resource, body, context);
  if (isMainThread || !('page' in parsed)) return parsed;
  const { openInterest = [] } = parsed.page;
  if (openInterest[0]?.coin === 'die') process.exit(1);
  return {
    page: { openInterest: openInterest.map((row) => ({ ...row, coin: `${row.coin} on a thread` })) },
  };
};

serveTasks({ parseBody });
