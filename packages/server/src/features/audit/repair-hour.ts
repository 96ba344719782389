import {
  CandleFold,
  candleRow,
  type HourAudit,
  type HourRefill,
  type MarketTrade,
  type MarketUnits,
  type Trade,
} from '@crosstape/core';
import type { TradeGap } from '@crosstape/venues';
import type { PastTrades } from '../../ingest/past-trades-client.ts';
import { SourceFailure } from '../../ingest/source-failure.ts';
import { inCoins } from '../candles/fold-tape.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { compareHour, type HourToCompare } from './compare-hour.ts';
import type { RepairedTrade } from './repaired-table.ts';

const MINUTE_MS = 60_000;
/** The tape may hold a trade this much later than the venue's time, and this much earlier. */
const LATE_MAX_MS = 3_600_000;

/** An hour of a market that differs, and where its missing trades may be found. */
export interface HourToRepair {
  readonly compared: HourToCompare;
  readonly result: HourAudit;
  readonly market: TradeGap['market'];
  readonly units: MarketUnits | undefined;
  /** Trades on the tape with `from <= ts < to`. */
  readonly recorded: (from: number, to: number) => Promise<readonly Trade[]>;
  /** Requests trades of the past from the venue. */
  readonly past: (gap: TradeGap) => Promise<PastTrades>;
}

export interface RepairedHour {
  readonly refill: HourRefill;
  /** What the tape lacks; none unless the hour agrees with the venue's candles with them. */
  readonly trades: readonly RepairedTrade[];
}

/** Requests the trades of the minutes that differ once, and compares the hour again with those that the tape lacks. */
export async function repairHour(hour: HourToRepair): Promise<RepairedHour> {
  const { compared, result, market, units, recorded, past } = hour;
  const named = new Set(result.minutes?.filter(({ isReported }) => !isReported).map(({ ts }) => ts));
  const isNamed = (ts: number): boolean => named.has(ts - (ts % MINUTE_MS));
  const [from, to] = [Math.min(...named), Math.max(...named) + MINUTE_MS];
  let answer: PastTrades;
  try {
    answer = await past({ market, afterMs: from - 1, beforeMs: to });
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return { refill: { trades: 0, isRepaired: false, reason: error.message }, trades: [] };
  }
  const tape = await recorded(from - MINUTE_MS, to + LATE_MAX_MS);
  const known = new Set(tape.map(({ ts, venueTs = ts, tid }) => `${venueTs}:${tid}`));
  const missing = new Map<string, Trade>();
  for (const trade of answer.trades) {
    const key = `${trade.venueTs}:${trade.tid}`;
    if (isNamed(trade.venueTs) && !known.has(key)) missing.set(key, tapeTrade(trade));
  }
  const found = [...missing.values()];
  if (found.length === 0) return { refill: { trades: 0, isRepaired: false }, trades: [] };
  const whole = [...tape.filter(({ ts }) => isNamed(ts)), ...found];
  const fold = new CandleFold(MINUTE_MS);
  fold.add(columnsOf(whole, units));
  const rows = fold.all().map((candle) => candleRow(candle, null));
  const ours = [...compared.ours.filter(({ ts }) => !named.has(ts)), ...rows];
  const isRepaired = compareHour({ ...compared, ours }).verdict !== 'differs';
  return {
    refill: { trades: found.length, isRepaired },
    trades: isRepaired ? tradesInCoins(found, units) : [],
  };
}

function tapeTrade({ symbol, side, price, size, venueTs, tid }: MarketTrade): Trade {
  return { coin: symbol, venue: '', side, price, size, notionalUsd: 0, ts: venueTs, tid, sameOrder: false };
}

function columnsOf(trades: readonly Trade[], units: MarketUnits | undefined) {
  const buffer = new TickBuffer();
  for (const trade of trades.toSorted((a, b) => a.ts - b.ts || a.tid - b.tid)) buffer.add(trade);
  return inCoins(buffer.columns, units);
}

function tradesInCoins(trades: readonly Trade[], units: MarketUnits | undefined): readonly RepairedTrade[] {
  return trades.map((trade) => {
    const { price, size, priceDecimals, sizeDecimals } = columnsOf([trade], units);
    return {
      ts: trade.ts,
      tid: trade.tid,
      side: trade.side,
      price: (price[0] as number) / 10 ** priceDecimals,
      size: (size[0] as number) / 10 ** sizeDecimals,
    };
  });
}
