import type { Coin } from '../../market/coins.ts';
import type { Market } from '../../market/market.ts';

/** The builder dex beside the venue's own list. */
export const BUILDER_DEX = 'xyz';
export const DEXES: readonly string[] = ['', BUILDER_DEX];

/** The contracts of a dex, in index order. */
export function universeOf(market: Market, dex: string): readonly Coin[] {
  return market.coins.filter((coin) => coin.dex === dex);
}

/** A contract that trades; names are case-sensitive. */
export function listedCoin(market: Market, name: unknown): Coin | undefined {
  return market.coins.find((coin) => coin.name === name && !coin.isDelisted);
}

/**
 * {"universe":[{"szDecimals":5,"name":"BTC","maxLeverage":40,"marginTableId":56},
 *              {"szDecimals":1,"name":"MATIC","maxLeverage":20,"marginTableId":20,"isDelisted":true}],
 *  "marginTables":[[56,{"description":"tiered 40x","marginTiers":[{"lowerBound":"0.0","maxLeverage":40}]}]],
 *  "collateralToken":0}
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/info-endpoint/perpetuals
 */
export function printMeta(market: Market, dex: string): unknown {
  const coins = universeOf(market, dex);
  const leverages = [...new Set(coins.map((coin) => coin.leverageMax))].toSorted((a, b) => a - b);
  return {
    universe: coins.map((coin) => ({
      szDecimals: coin.sizeDecimals,
      name: coin.name,
      maxLeverage: coin.leverageMax,
      marginTableId: coin.leverageMax,
      ...(coin.isDelisted ? { isDelisted: true } : {}),
      ...(dex === '' ? {} : { onlyIsolated: true, marginMode: 'noCross', growthMode: 'enabled' }),
    })),
    marginTables: leverages.map((leverage) => [
      leverage,
      { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: leverage }] },
    ]),
    collateralToken: 0,
  };
}
