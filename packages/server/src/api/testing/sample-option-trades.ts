import { DAY_MS, optionBooks } from '@crosstape/core';
import {
  OptionTradeTable,
  type RecordedOptionTrade,
} from '../../features/options/trades/option-trade-table.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import { START_MS } from './start-ms.ts';

const EXPIRY_MS = Date.UTC(2026, 8, 22, 8);

/** A trade of a call on BTC, 25 coins at 0.02. */
export function sampleTrade(parts: Partial<RecordedOptionTrade> = {}): RecordedOptionTrade {
  return {
    id: '1',
    coin: 'BTC',
    symbol: 'BTC-22SEP26-100000-C',
    type: 'C',
    strike: 100_000,
    expiryMs: EXPIRY_MS,
    isLinear: false,
    ts: START_MS - 1_000,
    side: 'buy',
    price: 0.02,
    size: 25,
    ivPct: 50,
    markPrice: 0.0201,
    index: 100_000,
    delta: 0.5,
    vega: 40,
    ...parts,
  };
}

/** Recorded trades, every book since a day before the start. */
export async function recordedTrades(
  trades: readonly RecordedOptionTrade[],
  spans: readonly { readonly from: number; readonly to: number }[] = [
    { from: START_MS - DAY_MS, to: START_MS },
  ],
): Promise<OptionTradeTable> {
  const table = new OptionTradeTable(new MemoryStore());
  for (const book of optionBooks) for (const span of spans) await table.append(trades, { book, ...span });
  return table;
}
