/**
 * How fast bars are built from trades that already lie in columns, and how that compares with tardis-dev on the same
 * trades as objects: its `compute(computeTradeBars)` and the class behind it, called without any promise. CPU time,
 * medians of alternating rounds after one that does not count. The peers get fewer trades, being slower; speeds are per trade.
 *
 *     npm run bench:bars
 *     npm run bench:bars -- --trades 1000000 --rounds 3 --kind range
 *
 * Part of `npm run bench:rotations` as well. Ends with 1 where a peer comes closer than it may.
 */
import { parseArgs } from 'node:util';
import { type BarSpec, createBuilder, type TickColumns, validateSpec } from '@crosstape/core';
import { compute, computeTradeBars, type Trade } from 'tardis-dev';
import { simulatedTicks } from './bars-ticks.ts';
import { median } from './part.ts';

const PEER_TRADES = 300_000;
/** How many times as fast as the peer we must be. */
const TIMES_COMPUTE_MIN = 50;
const TIMES_CLASS_MIN = 8;

const { values } = parseArgs({
  options: {
    trades: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '5' },
    kind: { type: 'string' },
  },
});
const trades = Number(values.trades);
const rounds = Number(values.rounds);

interface Case {
  readonly kind: string;
  readonly params: object;
  readonly peer?: { readonly kind: 'time' | 'tick' | 'volume'; readonly interval: number };
}

/**
 * Mostly parameters that give about one bar per 50 to 500 trades, and the peer's where it has the kind. Those come
 * last: collecting the garbage around the peer's objects would slow down the others.
 */
const cases: readonly Case[] = [
  { kind: 'volume', params: { volume: 1_000_000, unit: 'usd' } },
  { kind: 'range', params: { rangeTicks: 40 } },
  { kind: 'delta', params: { delta: 5 } },
  { kind: 'delta', params: { delta: 500_000, unit: 'usd' } },
  { kind: 'trend_reversal', params: { trendTicks: 40, revTicks: 20 } },
  { kind: 'pnf', params: { boxTicks: 10, reversal: 3 } },
  { kind: 'time', params: { intervalMs: 86_400_000 } },
  { kind: 'tick', params: { trades: 5 } },
  { kind: 'time', params: { intervalMs: 60_000 }, peer: { kind: 'time', interval: 60_000 } },
  { kind: 'tick', params: { trades: 100 }, peer: { kind: 'tick', interval: 100 } },
  { kind: 'volume', params: { volume: 10 }, peer: { kind: 'volume', interval: 10 } },
];

function specOf(kind: string, params: object): BarSpec {
  const check = validateSpec(kind, params, 1);
  if ('error' in check) throw new Error(check.error);
  return check.spec;
}

function toTrades(chunks: readonly TickColumns[], count: number): Trade[] {
  const all: Trade[] = [];
  for (const chunk of chunks) {
    for (let i = 0; i < chunk.length && all.length < count; i += 1) {
      const timestamp = new Date(chunk.ts[i] ?? 0);
      all.push({
        type: 'trade',
        symbol: 'BTC',
        exchange: 'hyperliquid',
        id: String(all.length),
        price: (chunk.price[i] ?? 0) / 10 ** chunk.priceDecimals,
        amount: (chunk.size[i] ?? 0) / 10 ** chunk.sizeDecimals,
        side: chunk.isBuy[i] === 1 ? 'buy' : 'sell',
        timestamp,
        localTimestamp: timestamp,
      });
    }
  }
  return all;
}

async function* stream(all: readonly Trade[]): AsyncGenerator<Trade> {
  for (const trade of all) yield trade;
}

/** Nanoseconds of CPU per trade. */
async function costNs(count: number, run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / count;
}

const chunks = simulatedTicks(trades);
let peerTrades: readonly Trade[] = [];
console.log(`${trades} trades of the simulator's BTC, ${rounds} rounds, medians of CPU time`);

const rows: Record<string, string | number>[] = [];
for (const { kind, params, peer } of cases.filter((one) => !values.kind || one.kind === values.kind)) {
  const spec = specOf(kind, params);
  const ours: number[] = [];
  const async: number[] = [];
  const sync: number[] = [];
  let bars = 0;
  let peerBars = 0;
  const build = (): void => {
    const builder = createBuilder(spec);
    for (const chunk of chunks) builder.add(chunk);
    bars = builder.bars.length;
  };
  build();
  if (peer && peerTrades.length === 0) peerTrades = toTrades(chunks, Math.min(PEER_TRADES, trades));
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await costNs(trades, build));
    if (!peer) continue;
    async.push(
      await costNs(peerTrades.length, async () => {
        peerBars = 0;
        for await (const message of compute(stream(peerTrades), computeTradeBars(peer))) {
          if (message.type === 'trade_bar') peerBars += 1;
        }
      }),
    );
    sync.push(
      await costNs(peerTrades.length, () => {
        const computable = computeTradeBars(peer)();
        let made = 0;
        for (const trade of peerTrades) {
          for (const bar of computable.compute(trade)) made += bar.trades > 0 ? 1 : 0;
        }
        if (made !== peerBars) throw new Error('the peer disagrees with itself');
      }),
    );
  }
  const ns = median(ours);
  const timesCompute = median(async) / ns;
  const timesClass = median(sync) / ns;
  if (peer && (timesCompute < TIMES_COMPUTE_MIN || timesClass < TIMES_CLASS_MIN)) process.exitCode = 1;
  rows.push({
    kind,
    params: JSON.stringify(params),
    'trades/bar': Math.round(trades / Math.max(1, bars)),
    'M trades/s': Math.round(1000 / ns),
    'ns/trade': Number(ns.toFixed(2)),
    '× compute()': peer ? Math.round(timesCompute) : '',
    '× its class': peer ? Number(timesClass.toFixed(1)) : '',
  });
}
console.table(rows);
console.log(`at least ${TIMES_COMPUTE_MIN} × compute() (goal 100) and ${TIMES_CLASS_MIN} × its class\n`);
