import { printFlowHistory, type printFlowHistoryTask } from './features/flows/print-flow-history.ts';
import { optionFigures } from './features/options/option-figures.ts';
import { recallSizes } from './features/liquidations/order-sizes-on-tape.ts';
import type { makeLakeFileTask } from './features/lake/make-file.ts';
import { arrowTrades } from './features/tape/arrow-trades.ts';
import { printTrades } from './features/tape/print-trades.ts';
import { printTardis } from './features/datasets/tardis-csv.ts';
import { findWhales } from './features/whales/whales-on-tape.ts';
import { csvOfJson } from './http/csv-task.ts';
import type { parseBodyTask } from './ingest/parse-body.ts';
import type { TaskFunction } from './platform/jobs.ts';
import { systemClock } from './platform/system-clock.ts';
import { serveTasks } from './platform/thread-tasks.ts';
import { buildBars, type buildBarsTask } from './features/rotations/build-bars.ts';
import { printBars } from './features/rotations/print-bars.ts';
import type { seedFlowsTask } from './seeding/seed-flows.ts';
import type { seedHistoriesTask } from './seeding/seed-histories.ts';
import type { seedMarketsTask } from './seeding/seed-markets.ts';
import type { seedTicksTask } from './seeding/seed-ticks.ts';
import { FlowTable } from './features/flows/flow-table.ts';
import { withReader as withStore } from './cluster/thread-reader.ts';
import { archivedStore } from './features/archive/archived-store.ts';
import type { sealDayTask } from './features/archive/seal-day.ts';
import type { WithReader } from './store/store.ts';
import { venueOf } from './store/market-key.ts';
import { TickTable } from './features/tape/tick-table.ts';

/*
 * The venues and the simulator are loaded with the first job that needs them: every start of the service starts threads,
 * and most of them only read the store.
 */

const parse: TaskFunction<typeof parseBodyTask> = async ({ venue, source, body, ...asked }) => {
  const { readablePublishers, requestsOf } = await import('@crosstape/venues');
  const { parseRequested } = await import('./ingest/parse-body.ts');
  const connector = readablePublishers.find(({ id }) => id === venue)?.connector;
  const requested = connector && requestsOf(connector).find(({ name }) => name === source);
  if (!requested) throw new Error(`no source ${source} of ${venue}`);
  return parseRequested(requested, body, asked);
};

/** Days that have left the store are read from the archive. */
const withReader: WithReader = (place, read) =>
  withStore(place, async (store) => read(await archivedStore(store)));

/** The pack is copied, not handed over: once a thread has given a buffer away, V8 reads its typed arrays more slowly. */
const build: TaskFunction<typeof buildBarsTask> = async (order, report) => {
  const tools = { clock: systemClock, report };
  if (order.folder === undefined) return buildBars(order, tools);
  return withReader(order.folder, (store) => {
    const tableOf = (market?: string): TickTable =>
      new TickTable(store, market === undefined ? undefined : venueOf(market));
    return buildBars(order, { ...tools, tableOf });
  });
};

const printFlows: TaskFunction<typeof printFlowHistoryTask> = ({ folder, ...order }) =>
  withReader(folder, (store) => printFlowHistory(new FlowTable(store), order));

const makeLakeFile: TaskFunction<typeof makeLakeFileTask> = async (order) =>
  (await import('./features/lake/make-file.ts')).makeLakeFile(order, withReader);
const sealDay: TaskFunction<typeof sealDayTask> = async (order) =>
  (await import('./features/archive/seal-day.ts')).sealDay(order, withReader);
const seedFlows: TaskFunction<typeof seedFlowsTask> = async (order) =>
  (await import('./seeding/seed-flows.ts')).seedFlows(order);
const seedHistories: TaskFunction<typeof seedHistoriesTask> = async (order) =>
  (await import('./seeding/seed-histories.ts')).seedHistories(order);
const seedMarkets: TaskFunction<typeof seedMarketsTask> = async (order) =>
  (await import('./seeding/seed-markets.ts')).seedMarkets(order);
const seedTicks: TaskFunction<typeof seedTicksTask> = async (order) =>
  (await import('./seeding/seed-ticks.ts')).seedTicks(order);

serveTasks({
  parseBody: parse,
  buildBars: build,
  printFlowHistory: printFlows,
  optionFigures,
  recallSizes: (asked) => recallSizes(asked, withReader),
  printTrades,
  printTardis,
  arrowTrades,
  csvOfJson,
  makeLakeFile,
  sealDay,
  printBars,
  findWhales: (search) => findWhales(search, withReader),
  seedFlows,
  seedHistories,
  seedMarkets,
  seedTicks,
});
