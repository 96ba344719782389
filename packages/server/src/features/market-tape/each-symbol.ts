import type { MarketTrade } from '@crosstape/core';

/** Calls `take` with the trades of each market, in their order. Nearly every frame has those of one. */
export function eachSymbol(
  trades: readonly MarketTrade[],
  take: (symbol: string, own: readonly MarketTrade[]) => void,
): void {
  const first = trades[0]?.symbol;
  if (first === undefined) return;
  if (trades.length === 1 || trades.every(({ symbol }) => symbol === first)) return take(first, trades);
  const groups = new Map<string, MarketTrade[]>();
  for (const trade of trades) {
    const group = groups.get(trade.symbol);
    if (group) group.push(trade);
    else groups.set(trade.symbol, [trade]);
  }
  for (const [symbol, own] of groups) take(symbol, own);
}
