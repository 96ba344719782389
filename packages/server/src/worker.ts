import { readablePublishers } from '@crosstape/venues';
import {
  printFlowHistory as printFlows,
  type printFlowHistoryTask,
} from './analytics/flows/print-flow-history.ts';
import { parseBody as parse, type parseBodyTask } from './ingest/parse-body.ts';
import type { TaskFunction } from './platform/jobs.ts';
import { systemClock } from './platform/system-clock.ts';
import { reporting } from './platform/thread-tasks.ts';
import { buildBars as build, type buildBarsTask } from './rotations/build-bars.ts';
import { FlowShelf } from './store/flow-shelf.ts';
import { withReader } from './store/thread-reader.ts';
import { TickShelf } from './store/tick-shelf.ts';

/** What a worker thread can do: each export is the function behind the task of that name. */
export const parseBody: TaskFunction<typeof parseBodyTask> = ({ venue, source, body, ...context }) => {
  const connector = readablePublishers.find(({ id }) => id === venue)?.connector;
  const { resources = [], lookups = [] } = connector ?? {};
  const parsed = [...resources, ...lookups].find(({ name }) => name === source);
  if (!parsed) throw new Error(`no source ${source} of ${venue}`);
  return parse(parsed, body, context);
};

/** The pack is copied, not handed over: once a thread has given a buffer away, V8 reads its typed arrays more slowly. */
export const buildBars = reporting<typeof buildBarsTask>(async (order, report) => {
  const tools = { clock: systemClock, report };
  if (order.folder === undefined) return build(order, tools);
  return withReader(order.folder, (store) => build(order, { ...tools, shelf: new TickShelf(store) }));
});

export const printFlowHistory: TaskFunction<typeof printFlowHistoryTask> = ({ folder, ...order }) =>
  withReader(folder, (store) => printFlows(new FlowShelf(store), order));

export { readCloses } from './analytics/closes-on-tape.ts';
export { optionFigures } from './analytics/option-figures.ts';
export { recallSizes } from './analytics/order-sizes-on-tape.ts';
export { printTrades } from './analytics/print-trades.ts';
export { printBars } from './rotations/print-bars.ts';
export { findWhales } from './analytics/whales-on-tape.ts';
export { seedFlows } from './seeding/seed-flows.ts';
export { seedHistories } from './seeding/seed-histories.ts';
export { seedTicks } from './seeding/seed-ticks.ts';
