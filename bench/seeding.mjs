/**
 * What the first-run history of the simulated market costs in processor time, stage by stage, on one thread. The tape
 * opens after the newest day; the service is ready after all of it.
 *
 *     npm run -s bench:seeding
 *     npm run -s bench:seeding -- --days 7 --flows BTC,ETH,SOL
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createMarket } from '@crosstape/simulator';
import { seedFlows } from '../packages/server/dist/seeding/seed-flows.js';
import { seedHistories } from '../packages/server/dist/seeding/seed-histories.js';
import { seedTicks } from '../packages/server/dist/seeding/seed-ticks.js';

const DAY_MS = 86_400_000;
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '7' },
    flows: { type: 'string', default: 'BTC,ETH,SOL' },
  },
});
const toMs = Date.UTC(2026, 10, 12, 12, 34, 56);
const fromMs = toMs - Number(values.days) * DAY_MS;
const folder = mkdtempSync(join(tmpdir(), 'crosstape-bench-seeding-'));
const order = { folder, seed: 1, rate: 1, venue: 'hyperliquid', fromMs, toMs };
const coins = createMarket({ seed: 1 })
  .coins.filter(({ isDelisted, dex }) => !isDelisted && dex === '')
  .map(({ name }) => name);

async function measure(stage, work) {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const seconds = (us) => `${(us / 1e6).toFixed(2)} s`;
  console.log(
    `${stage.padEnd(10)} cpu ${seconds(user + system)}  wall ${seconds((performance.now() - startMs) * 1e3)}  ${JSON.stringify(result)}`,
  );
}

await measure('all', async () => {
  const dayMs = toMs - DAY_MS;
  await measure('newest day', () => seedTicks({ ...order, fromMs: dayMs, coins, rest: 'tail' }));
  await measure('older days', () => seedTicks({ ...order, toMs: dayMs, coins, rest: 'chunk' }));
  await measure('histories', () => seedHistories(order));
  for (const coin of values.flows.split(','))
    await measure(`flows ${coin}`, () => seedFlows({ ...order, coin }));
  return {};
});
rmSync(folder, { recursive: true });
