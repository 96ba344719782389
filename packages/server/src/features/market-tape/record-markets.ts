import type { Market } from '@crosstape/core';
import type { MarketChoice } from '../../platform/market-choice.ts';

export interface Ranking {
  /** The primary venue's coins with the most open interest first. */
  readonly coins: readonly string[];
  /** Open interest in USD by symbol of the venue; 0 if unknown. */
  readonly openInterest: (symbol: string) => number;
}

/** Preferred quote currencies of spot pairs. */
const SPOT_QUOTES: readonly string[] = ['USD', 'USDT'];

/**
 * The recorded markets of one venue. For the top coins: on a perpetual venue the contract with the most open interest,
 * on a spot venue the dollar pair, else the one in USDT.
 */
export function chooseMarkets(
  choice: MarketChoice,
  markets: readonly Market[],
  { coins, openInterest }: Ranking,
): readonly Market[] {
  if ('patterns' in choice) return markets.filter(({ id }) => choice.patterns.some((one) => one.test(id)));
  const best = new Map<string, Market>();
  const isBetter = (a: Market, b: Market): boolean =>
    a.kind === 'spot'
      ? SPOT_QUOTES.indexOf(a.quote) < SPOT_QUOTES.indexOf(b.quote)
      : openInterest(a.symbol) > openInterest(b.symbol);
  for (const market of markets) {
    if (market.kind === 'spot' && !SPOT_QUOTES.includes(market.quote)) continue;
    const other = best.get(market.coin);
    if (!other || isBetter(market, other)) best.set(market.coin, market);
  }
  return coins.slice(0, choice.top).flatMap((coin) => best.get(coin) ?? []);
}
