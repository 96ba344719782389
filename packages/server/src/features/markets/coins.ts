/** The known coins, found by any spelling. */
export interface CoinIndex {
  /** The coin's own spelling; `undefined` when it is unknown. */
  find(text: string): string | undefined;
}

/**
 * Precedence: an exact match, then one that ignores case, then the bare coin of a ticker in thousands (`PEPE` finds
 * `kPEPE`).
 */
export function indexCoins(coins: Iterable<string>): CoinIndex {
  const exact = new Set(coins);
  const folded = new Map<string, string>();
  const bare = new Map<string, string>();
  for (const coin of exact) {
    if (!folded.has(coin.toUpperCase())) folded.set(coin.toUpperCase(), coin);
    if (/^k[A-Z0-9]/.test(coin)) bare.set(coin.slice(1).toUpperCase(), coin);
  }
  return {
    find(text) {
      if (exact.has(text)) return text;
      const upper = text.toUpperCase();
      return folded.get(upper) ?? bare.get(upper);
    },
  };
}

/** A parsed list of coins: known ones once each, in the given order, and unknown ones as written. */
export function findCoins(
  index: CoinIndex,
  texts: readonly string[],
): { readonly coins: readonly string[]; readonly unknown: readonly string[] } {
  const coins = new Set<string>();
  const unknown: string[] = [];
  for (const text of texts) {
    const coin = index.find(text);
    if (coin === undefined) unknown.push(text);
    else coins.add(coin);
  }
  return { coins: [...coins], unknown };
}
