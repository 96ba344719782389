/**
 * What the first-run history of the simulated market costs in processor time, stage by stage, on one thread. The tape
 * opens after the newest day; the service is ready after all of it. Of the 24 hours of secondary markets, one is measured.
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
import { seedMarkets } from '../packages/server/dist/seeding/seed-markets.js';
import { seedTicks } from '../packages/server/dist/seeding/seed-ticks.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The secondary markets of Bitcoin; those of the other coins are spelled the same way. */
const BITCOIN = {
  binance: 'BTCUSDT',
  okx: 'BTC-USDT-SWAP',
  bybit: 'BTCUSDT',
  bitget: 'BTCUSDT',
  gate: 'BTC_USDT',
  mexc: 'BTC_USDT',
  dydx: 'BTC-USD',
  kraken: 'PF_BTCUSD',
  coinbase: 'BTC-USD',
  'binance-spot': 'BTCUSDT',
  'kraken-spot': 'BTC/USD',
  'okx-spot': 'BTC-USDT',
  'bybit-spot': 'BTCUSDT',
};
/** Kraken's perpetuals spell this one differently. */
const spellingOf = (symbol) => symbol.replace('PF_BTC', 'PF_XBT');
const unit = { contractSize: 1, scale: 1 };
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
await measure('one hour of secondary markets', async () => {
  let trades = 0;
  for (const [publisher, bitcoin] of Object.entries(BITCOIN)) {
    const markets = ['BTC', 'ETH', 'SOL'].map((coin) => {
      const symbol = spellingOf(bitcoin.replace('BTC', coin));
      return { id: `${publisher}:${symbol}`, venue: publisher, symbol, coin, ...unit };
    });
    const hour = { fromMs: toMs - HOUR_MS, toMs, rest: 'chunk' };
    const seeded = await seedMarkets({ folder, seed: 1, rate: 1, publisher, markets, ...hour });
    trades += seeded.reduce((sum, market) => sum + market.trades, 0);
  }
  return { trades };
});
rmSync(folder, { recursive: true });
