import { DAY_MS, notionalUsdOf, type Print, type Trade } from '@crosstape/core';
import { createMarket, TradeColumns } from '@crosstape/simulator';
import { createLiquidationInference, type InferredLiquidation } from './inferred-liquidations.ts';
import { printOf } from '../whales/prints.ts';
import {
  type Alarm,
  countScore,
  keyOf,
  ratiosOf,
  type ScoreCounts,
  type ScoreRatios,
  sumCounts,
} from './score-inference.ts';

const START_MS = Date.UTC(2026, 10, 16);
const POLL_MS = 30_000;
const CAPACITY = 1 << 16;

export interface Stretch {
  readonly seed: number;
  readonly coin: string;
  readonly days: number;
  readonly cascades: boolean;
}

/** Inputs and results of the rule, and the truth. */
export interface Replay {
  readonly alarms: readonly InferredLiquidation[];
  /** Every order of the stretch. */
  readonly prints: readonly Print[];
  /** Keys of those that were liquidations. */
  readonly forced: ReadonlySet<string>;
}

/** The simulator's market as on the tape, and the truth that is not on the tape. */
export function* tapeOf({
  seed,
  coin,
  days,
  cascades,
}: Stretch): Generator<{ trade: Trade; isForced: boolean }> {
  const market = createMarket({ seed, cascades });
  const { sizeDecimals } = market.coins.find(({ name }) => name === coin)!;
  const [dollar, lot] = [10 ** (6 - sizeDecimals), 10 ** sizeDecimals];
  const columns = new TradeColumns(CAPACITY);
  const endMs = START_MS + days * DAY_MS;
  let order = -1;
  for (let atMs = START_MS; atMs < endMs; ) {
    atMs = market.fill(coin, atMs, endMs, columns);
    for (let i = 0; i < columns.length; i += 1) {
      const [price, size] = [columns.price[i]! / dollar, columns.lots[i]! / lot];
      const trade: Trade = {
        coin,
        venue: 'hyperliquid',
        side: columns.isBuy[i] === 1 ? 'buy' : 'sell',
        price,
        size,
        notionalUsd: notionalUsdOf(price, size),
        ts: columns.ts[i]!,
        tid: columns.tid[i]!,
        sameOrder: columns.order[i] === order,
      };
      order = columns.order[i]!;
      yield { trade, isForced: columns.isLiquidation[i] === 1 };
    }
  }
}

/** Open interest as it is polled: in coins, every half minute. */
export function pollsOf({ seed, coin, days, cascades }: Stretch): { atMs: number; coins: number }[] {
  const market = createMarket({ seed, cascades });
  return Array.from({ length: (days * DAY_MS) / POLL_MS + 1 }, (_, i) => {
    const atMs = START_MS + i * POLL_MS;
    return { atMs, coins: market.openInterest(coin, atMs) };
  });
}

/** Lets the rule see a stretch of the simulator's market; without polls it has to do with the tape alone. */
export function replay(stretch: Stretch, options: { readonly withPolls: boolean }): Replay {
  const alarms: InferredLiquidation[] = [];
  const rule = createLiquidationInference({ emit: (alarm) => alarms.push(alarm) });
  const polls = options.withPolls ? pollsOf(stretch) : [];
  const prints: Print[] = [];
  const forced = new Set<string>();
  let polled = 0;
  let open: { first: Trade; size: number; notionalUsd: number; fills: number } | undefined;
  for (const { trade, isForced } of tapeOf(stretch)) {
    for (; polled < polls.length && polls[polled]!.atMs < trade.ts; polled += 1) {
      rule.openInterest(stretch.coin, polls[polled]!.coins, polls[polled]!.atMs);
    }
    rule.trade(trade);
    if (open && trade.sameOrder) {
      open.size += trade.size;
      open.notionalUsd += trade.notionalUsd;
      open.fills += 1;
      continue;
    }
    if (open) prints.push(printOf(open.first, open));
    open = { first: trade, size: trade.size, notionalUsd: trade.notionalUsd, fills: 1 };
    if (isForced) forced.add(keyOf(trade));
  }
  if (open) prints.push(printOf(open.first, open));
  for (; polled < polls.length; polled += 1) {
    rule.openInterest(stretch.coin, polls[polled]!.coins, polls[polled]!.atMs);
  }
  return { alarms, prints, forced };
}

/** How many of some alarms were right, and how much of the truth they found. */
export type Score = ScoreCounts & ScoreRatios;

/** Over several stretches together. */
export function scoreOf(replays: readonly Replay[], alarmsOf: (replay: Replay) => readonly Alarm[]): Score {
  const counts = replays.map((one) => {
    const forced = one.prints.filter((print) => one.forced.has(keyOf(print)));
    const known = forced.map((print) => ({ fills: [print], notionalUsd: print.notionalUsd }));
    return countScore(alarmsOf(one), known);
  });
  const sum = sumCounts(counts);
  return { ...sum, ...ratiosOf(sum) };
}

/** The simple alternative: as many of the coin's largest orders as the rule reported. */
export function largestPrints({ prints, alarms }: Replay): readonly Print[] {
  return prints.toSorted((a, b) => b.notionalUsd - a.notionalUsd).slice(0, alarms.length);
}
