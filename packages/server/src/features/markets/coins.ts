/** The coins that are known, to be found by what callers write. */
export interface CoinIndex {
  /** The coin's own spelling; `undefined` when it is unknown. */
  find(text: string): string | undefined;
}

/**
 * An exact match comes first, then one without regard to case, then the bare coin of a ticker that counts
 * thousands (`PEPE` finds `kPEPE`).
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

/** What a list of coins turned out to name: known ones once each, in order of asking, and the rest as written. */
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
