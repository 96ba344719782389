import {
  CandleFold,
  candleRow,
  type CandleRow,
  columnsInCoins,
  MINUTE_MS,
  type Trade,
} from '@crosstape/core';
import { TickBuffer } from '../../tape/tick-buffer.ts';

/** A trade every 7 seconds, with changing sides, sizes and prices: every minute has some. */
export function tradesFrom(fromMs: number, minutes: number): readonly Trade[] {
  return Array.from({ length: Math.floor((minutes * MINUTE_MS) / 7_000) }, (_, i) => ({
    coin: 'BTC',
    venue: 'hyperliquid',
    side: i % 3 === 0 ? 'sell' : 'buy',
    price: 100_000 + ((i * 37) % 200) / 10,
    size: (1 + ((i * 13) % 50)) / 100,
    notionalUsd: 0,
    ts: fromMs + i * 7_000,
    tid: i,
    sameOrder: false,
  }));
}

export function ticksOf(trades: readonly Trade[]): TickBuffer {
  const buffer = new TickBuffer();
  for (const trade of trades) buffer.add(trade);
  return buffer;
}

/** The minutes of trades, as the ledger has them. */
export function minutesOf(trades: readonly Trade[], contractSize = 1): readonly CandleRow[] {
  const fold = new CandleFold(MINUTE_MS);
  fold.add(columnsInCoins(ticksOf(trades).columns, { contractSize, scale: 1 }));
  return fold.all().map((candle) => candleRow(candle, true));
}
