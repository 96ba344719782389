import { type Candle, foldCandles, HOUR_MS, intervalStart } from '@crosstape/core';
import { marketKey } from '../../store/market-key.ts';
import type { Change } from '../../store/store.ts';
import { coverageOf, type Stretch } from '../tape/coverage.ts';
import type { GapLedger } from '../tape/gap-ledger.ts';
import { isRecordedBy } from '../tape/is-recorded-by.ts';
import type { TickTable } from '../tape/tick-table.ts';
import {
  type CandleGap,
  type CandleTable,
  hourLevel,
  minuteLevel,
  type StoredBlock,
} from './candle-table.ts';
import { withLiquidated } from './candle-writer.ts';
import type { MinuteLiquidations } from './minute-liquidations.ts';

/** By then every gap has been refilled as far as it ever will, and late liquidations have arrived. */
export const SETTLED_AFTER_MS = 2 * HOUR_MS;
/** Settled in one commit. */
const STEP_MS = hourLevel.blockMs;
const BLOCKS_PER_STEP = STEP_MS / minuteLevel.blockMs + 1;

export interface SettleOptions {
  readonly table: CandleTable;
  readonly ticks: TickTable;
  readonly gaps: GapLedger;
  readonly prefix: string;
  readonly symbol: string;
  readonly nowMs: number;
  readonly liquidations: Pick<MinuteLiquidations, 'of'>;
}

/**
 * Stores what outlives the tape of a market: its gaps, which are kept as long as candles, its liquidations, and its
 * hourly candles. Settled blocks are joined.
 */
export async function settleMarket(options: SettleOptions): Promise<void> {
  const { table, ticks, prefix, symbol, nowMs } = options;
  const market = marketKey(prefix, symbol);
  const state = await table.state(market);
  const tapeFrom = state?.tapeFrom ?? (await firstTapeTs(ticks, symbol));
  if (tapeFrom === undefined) return;
  // The last minute of a market without newer trades is not closed yet.
  const closedTo = (await table.newest(market))?.toTs ?? 0;
  const untilMs = intervalStart(Math.min(nowMs - SETTLED_AFTER_MS, closedTo), HOUR_MS);
  let from = state?.settledTo ?? intervalStart(tapeFrom, HOUR_MS);
  while (from < untilMs) {
    const to = Math.min(intervalStart(from, STEP_MS) + STEP_MS, untilMs);
    const changes = await settling(options, market, from, to);
    await table.commit([...changes, table.puttingState(market, { tapeFrom, settledTo: to })]);
    from = to;
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const level of [minuteLevel, hourLevel]) await table.join(level, market, from);
}

/** The minute of the oldest recorded trade. */
export async function firstTapeTs(ticks: TickTable, symbol: string): Promise<number | undefined> {
  const [oldest] = await ticks.names(symbol, 0, Number.MAX_SAFE_INTEGER, 1);
  return oldest && intervalStart(oldest.startTs, minuteLevel.intervalMs);
}

async function settling(
  { table, gaps, symbol, liquidations }: SettleOptions,
  market: string,
  from: number,
  to: number,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const blocks = (await table.newestBlocks(minuteLevel, market, from, to, BLOCKS_PER_STEP)).toReversed();
  const minutes: Candle[] = [];
  for (const block of blocks) {
    const candles = block.candles.map((candle) => withLiquidated(candle, liquidations.of(market, candle.ts)));
    minutes.push(...candles);
    const { startTs, toTs } = block;
    if (hasChanged(block, candles))
      changes.push(table.putting(minuteLevel, market, { startTs, toTs, candles }));
  }
  const hours = foldCandles(minutes, HOUR_MS);
  if (hours.length > 0) {
    const startTs = intervalStart(from, STEP_MS);
    const before = (await table.block(hourLevel, market, startTs))?.candles ?? [];
    const candles = [...before.filter(({ ts }) => ts < from), ...hours];
    changes.push(table.putting(hourLevel, market, { startTs, toTs: to, candles }));
  }
  const missing = await gapsOf(gaps, symbol, from, to);
  if (missing.length > 0) changes.push(table.puttingGaps(market, missing));
  return changes;
}

function hasChanged({ candles }: StoredBlock, next: readonly Candle[]): boolean {
  return next.some(({ liqLong, liqShort }, i) => {
    const before = candles[i];
    return before?.liqLong !== liqLong || before.liqShort !== liqShort;
  });
}

/** Spans within a range where trades are or may be missing, cut to the range. */
async function gapsOf(
  ledger: GapLedger,
  symbol: string,
  from: number,
  to: number,
): Promise<readonly CandleGap[]> {
  return spansIn(await stretchesOf(ledger, symbol, from, to), ['missing', 'partial']);
}

/** The state of a market's tape within a range. */
export async function stretchesOf(
  ledger: GapLedger,
  symbol: string,
  from: number,
  to: number,
): Promise<readonly Stretch[]> {
  const known = await ledger.gaps(symbol, from, to);
  const spans = (await ledger.spans(from, to)).filter(({ recordCoins = 'all' }) =>
    isRecordedBy(recordCoins)(symbol),
  );
  return coverageOf({ from, to, spans, gaps: known });
}

/** The spans of stretches in one of these states. */
export function spansIn(
  stretches: readonly Stretch[],
  states: readonly Stretch['state'][],
): readonly CandleGap[] {
  return stretches
    .filter(({ state }) => states.includes(state))
    .map((stretch) => ({ from: stretch.from, to: stretch.to }));
}
