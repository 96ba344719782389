/** Preferred currencies: the first of these is used if a coin has several pairs. */
const QUOTES: readonly string[] = ['USD', 'USDT', 'USDC'];

/** A pair as it is listed or priced. */
interface Pair {
  readonly coin: string;
  /** Currency of its prices. */
  readonly quote?: string;
}

/** The pair of each coin that supplies its price. */
export function pairByCoin<Row extends Pair>(
  rows: readonly Row[],
  coins: ReadonlySet<string>,
): ReadonlyMap<string, Row> {
  const pairs = new Map<string, Row>();
  for (const row of rows) {
    if (!coins.has(row.coin)) continue;
    const rank = rankOf(row);
    const known = pairs.get(row.coin);
    if (rank >= 0 && (!known || rank < rankOf(known))) pairs.set(row.coin, row);
  }
  return pairs;
}

function rankOf({ quote = '' }: Pair): number {
  return QUOTES.indexOf(quote);
}
