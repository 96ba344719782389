import { readablePublishers } from '@crosstape/venues';
import { readCloses } from './features/perps/closes-on-tape.ts';
import { printFlowHistory, type printFlowHistoryTask } from './features/flows/print-flow-history.ts';
import { optionFigures } from './features/options/option-figures.ts';
import { recallSizes } from './features/liquidations/order-sizes-on-tape.ts';
import { printTrades } from './features/tape/print-trades.ts';
import { findWhales } from './features/whales/whales-on-tape.ts';
import { parseBody, type parseBodyTask } from './ingest/parse-body.ts';
import type { TaskFunction } from './platform/jobs.ts';
import { systemClock } from './platform/system-clock.ts';
import { serveTasks } from './platform/thread-tasks.ts';
import { buildBars, type buildBarsTask } from './features/rotations/build-bars.ts';
import { printBars } from './features/rotations/print-bars.ts';
import { seedFlows } from './seeding/seed-flows.ts';
import { seedHistories } from './seeding/seed-histories.ts';
import { seedTicks } from './seeding/seed-ticks.ts';
import { FlowShelf } from './features/flows/flow-table.ts';
import { withReader } from './cluster/thread-reader.ts';
import { TickShelf } from './features/tape/tick-table.ts';

const parse: TaskFunction<typeof parseBodyTask> = ({ venue, source, body, ...context }) => {
  const connector = readablePublishers.find(({ id }) => id === venue)?.connector;
  const { resources = [], lookups = [] } = connector ?? {};
  const parsed = [...resources, ...lookups].find(({ name }) => name === source);
  if (!parsed) throw new Error(`no source ${source} of ${venue}`);
  return parseBody(parsed, body, context);
};

/** The pack is copied, not handed over: once a thread has given a buffer away, V8 reads its typed arrays more slowly. */
const build: TaskFunction<typeof buildBarsTask> = async (order, report) => {
  const tools = { clock: systemClock, report };
  if (order.folder === undefined) return buildBars(order, tools);
  return withReader(order.folder, (store) => buildBars(order, { ...tools, shelf: new TickShelf(store) }));
};

const printFlows: TaskFunction<typeof printFlowHistoryTask> = ({ folder, ...order }) =>
  withReader(folder, (store) => printFlowHistory(new FlowShelf(store), order));

serveTasks({
  parseBody: parse,
  buildBars: build,
  printFlowHistory: printFlows,
  readCloses: (asked) => readCloses(asked, withReader),
  optionFigures,
  recallSizes: (asked) => recallSizes(asked, withReader),
  printTrades,
  printBars,
  findWhales: (search) => findWhales(search, withReader),
  seedFlows,
  seedHistories,
  seedTicks,
});
