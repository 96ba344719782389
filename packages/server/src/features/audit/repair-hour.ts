import {
  CandleFold,
  candleRow,
  type HourAudit,
  type HourRefill,
  type MarketTrade,
  type MarketUnits,
  MINUTE_MS,
  type Trade,
} from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import type { PastTrades } from '../../ingest/past-trades-client.ts';
import { SourceFailure } from '../../ingest/source-failure.ts';
import { nextTurn } from '../../platform/next-turn.ts';
import { inCoins, positionsIn } from '../candles/fold-tape.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import type { Ticks } from '../tape/tick-table.ts';
import { compareHour, type HourToCompare } from './compare-hour.ts';
import type { RepairedTrade } from './repaired-table.ts';

/** The tape may have a trade this much later than the venue's time, and this much earlier. */
const LATE_MAX_MS = 3_600_000;
/** Sizes that differ by less are the same. */
const ROUNDING = 1e-9;
/** Trades of the venue's answer processed before yielding to the event loop. */
const TRADES_PER_TURN = 1_000;

const TOO_MANY = 'The venue has more trades of these minutes than are requested at once.';

/** An hour of a market that differs or has a reported gap, and where its missing trades may be found. */
export interface HourToRepair {
  readonly compared: HourToCompare;
  readonly result: HourAudit;
  readonly market: TradeGap['market'];
  readonly units: MarketUnits | undefined;
  /** The tape with `from <= ts < to` and its repairs, chunk by chunk, oldest first; each is overwritten by the next. */
  readonly recorded: (from: number, to: number) => AsyncIterable<Ticks>;
  /** Requests trades of the past from the venue. */
  readonly past: (gap: TradeGap) => Promise<PastTrades>;
}

export interface RepairedHour {
  readonly refill: HourRefill;
  /** The missing trades; empty unless the hour agrees with the venue's candles with them. */
  readonly trades: readonly RepairedTrade[];
}

/** Requests the trades of the minutes that differ once, and compares the hour again with those that the tape lacks. */
export async function repairHour(hour: HourToRepair): Promise<RepairedHour> {
  const { compared, result, market, units, recorded, past } = hour;
  // For an hour that differs, reported minutes do not explain it.
  const isIncomplete = result.verdict === 'incomplete';
  const differing = result.minutes?.filter(({ isReported }) => isIncomplete || !isReported) ?? [];
  const named = new Set(differing.map(({ ts }) => ts));
  const [from, to] = [Math.min(...named), Math.max(...named) + MINUTE_MS];
  let answer: PastTrades;
  try {
    answer = await past({ market, afterMs: from - 1, beforeMs: to });
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return { refill: { trades: 0, isRepaired: false, reason: error.message }, trades: [] };
  }
  if (answer.rest) return { refill: { trades: 0, isRepaired: false, reason: TOO_MANY }, trades: [] };
  const { known, kept } = await readMinutes(recorded(from - MINUTE_MS, to + LATE_MAX_MS), named);
  const merged = mergedFills(answer.trades, known);
  const missing = new Map<string, Trade>();
  for (const [i, trade] of answer.trades.entries()) {
    const key = keyOf(trade.venueTs, trade.tid);
    if (named.has(minuteOf(trade.venueTs)) && !known.has(key) && !merged.has(key))
      missing.set(key, tapeTrade(trade));
    if ((i + 1) % TRADES_PER_TURN === 0) await nextTurn();
  }
  const found = [...missing.values()].toSorted((a, b) => a.ts - b.ts || a.tid - b.tid);
  if (found.length === 0) return { refill: { trades: 0, isRepaired: false }, trades: [] };
  const fold = new CandleFold(MINUTE_MS);
  fold.add(inCoins((await joined(kept, found)).columns, units));
  const rows = fold.all().map((candle) => candleRow(candle, null));
  const ours = [...compared.ours.filter(({ ts }) => !named.has(ts)), ...rows];
  // With the missing trades, the gaps of the hour no longer explain a difference.
  const whole = isIncomplete ? { ...compared, ours, gaps: [] } : { ...compared, ours };
  const isRepaired = compareHour(whole).verdict !== 'differs';
  return {
    refill: { trades: found.length, isRepaired },
    trades: isRepaired ? await tradesInCoins(found, units) : [],
  };
}

function tapeTrade({ symbol, side, price, size, venueTs, tid }: MarketTrade): Trade {
  return { coin: symbol, venue: '', side, price, size, notionalUsd: 0, ts: venueTs, tid, sameOrder: false };
}

function minuteOf(ts: number): number {
  return ts - (ts % MINUTE_MS);
}

function keyOf(venueTs: number, tid: number): string {
  return `${venueTs}:${tid}`;
}

/**
 * The fills that are on the tape within a trade: a feed may send the fills of one order at one price as one trade with the
 * id of the last, and the venue returns them singly.
 */
function mergedFills(
  returned: readonly MarketTrade[],
  known: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const byTid = new Map(returned.map((trade) => [trade.tid, trade]));
  const merged = new Set<string>();
  for (const { venueTs, tid, side, price, size } of returned) {
    let left = (known.get(keyOf(venueTs, tid)) ?? 0) - size;
    for (let before = tid - 1; left > ROUNDING * size; before -= 1) {
      const fill = byTid.get(before);
      if (fill?.venueTs !== venueTs || fill.side !== side || fill.price !== price) break;
      merged.add(keyOf(venueTs, before));
      left -= fill.size;
    }
  }
  return merged;
}

/**
 * Which trades of the named minutes are on the tape by the venue's time, with their sizes, and the tape's own trades of
 * these minutes.
 */
async function readMinutes(
  chunks: AsyncIterable<Ticks>,
  named: ReadonlySet<number>,
): Promise<{ readonly known: ReadonlyMap<string, number>; readonly kept: TickBuffer }> {
  const known = new Map<string, number>();
  const kept = new TickBuffer();
  for await (const chunk of chunks) {
    const { columns, ids } = chunk;
    for (let i = 0; i < columns.length; i += 1) {
      const venueTs = columns.ts[i]! - ids.lateMs[i]!;
      if (named.has(minuteOf(venueTs)))
        known.set(keyOf(venueTs, ids.tid[i]!), columns.size[i]! / 10 ** columns.sizeDecimals);
    }
    for (const minute of named) kept.addTicks(chunk, ...positionsIn(columns, minute, minute + MINUTE_MS));
    await nextTurn();
  }
  return { known, kept };
}

/** The trades of the tape with those that it lacks in their places; both are oldest first. */
async function joined(tape: TickBuffer, missing: readonly Trade[]): Promise<TickBuffer> {
  const whole = new TickBuffer();
  const { ts } = tape.columns;
  const { tid } = tape.ids;
  let at = 0;
  for (const [i, trade] of missing.entries()) {
    const start = at;
    while (at < tape.length && (ts[at]! < trade.ts || (ts[at] === trade.ts && tid[at]! < trade.tid))) at += 1;
    whole.addTicks(tape, start, at);
    whole.add(trade);
    if ((i + 1) % TRADES_PER_TURN === 0) await nextTurn();
  }
  whole.addTicks(tape, at);
  return whole;
}

async function tradesInCoins(
  trades: readonly Trade[],
  units: MarketUnits | undefined,
): Promise<readonly RepairedTrade[]> {
  const { columns } = await joined(new TickBuffer(), trades);
  const { price, size, priceDecimals, sizeDecimals } = inCoins(columns, units);
  return trades.map(({ ts, tid, side }, i) => ({
    ts,
    tid,
    side,
    price: price[i]! / 10 ** priceDecimals,
    size: size[i]! / 10 ** sizeDecimals,
  }));
}
