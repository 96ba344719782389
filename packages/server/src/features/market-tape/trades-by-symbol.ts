import type { MarketTrade } from '@crosstape/core';

/** The trades of each market, in their order. */
export function tradesBySymbol(trades: readonly MarketTrade[]): Iterable<readonly MarketTrade[]> {
  const first = trades[0]?.symbol;
  if (trades.every(({ symbol }) => symbol === first)) return [trades];
  const groups = new Map<string, MarketTrade[]>();
  for (const trade of trades) {
    const group = groups.get(trade.symbol);
    if (group) group.push(trade);
    else groups.set(trade.symbol, [trade]);
  }
  return groups.values();
}
