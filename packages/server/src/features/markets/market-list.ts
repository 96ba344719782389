import {
  expiryLabel,
  type MarketKind,
  type MarketList,
  marketKinds,
  type OptionQuote,
  type PredictionMarket,
  type Tables,
} from '@crosstape/core';

/** A market of a venue, of any kind. */
export interface ListedMarket {
  readonly symbol: string;
  /** Empty when it is not on a coin. */
  readonly coin: string;
  readonly kind: MarketKind;
  /** When it ends, if known. */
  readonly endMs?: number;
  /** For people to read; made for those that are shown. */
  readonly label: () => string;
}

/** A list of thousands is put in order once for every time that it is fetched, not for every page of it. */
const ordered = new WeakMap<readonly object[], readonly ListedMarket[]>();

/** The unique markets of a table, sorted by symbol so that the order does not depend on the input. */
export function marketsOf<Name extends MarketList['table']>(
  list: MarketList & { readonly table: Name },
  rows: readonly Tables[Name][],
): readonly ListedMarket[] {
  let markets = ordered.get(rows);
  if (!markets) ordered.set(rows, (markets = bySymbol(readMarkets(list, rows))));
  return markets;
}

/** All lists of a venue as one, kind after kind, without ended markets. */
export function joinMarkets(
  lists: readonly (readonly ListedMarket[])[],
  atMs: number,
): readonly ListedMarket[] {
  return marketKinds.flatMap((kind) => {
    const own = lists.filter((list) => list[0]?.kind === kind);
    const all = own.length > 1 ? bySymbol(own.flat()) : (own[0] ?? []);
    return all.filter(({ endMs = Infinity }) => endMs > atMs);
  });
}

function readMarkets<Name extends MarketList['table']>(
  { kind, table }: MarketList & { readonly table: Name },
  rows: readonly Tables[Name][],
): readonly ListedMarket[] {
  if (kind === 'option') return (rows as readonly OptionQuote[]).map(optionMarket);
  if (table === 'predictions') return (rows as readonly PredictionMarket[]).flatMap(outcomeMarkets);
  const word = kind === 'perp' ? 'perpetual' : 'spot';
  return (rows as readonly Tables['instruments'][]).map(({ symbol, coin }) => ({
    symbol,
    coin,
    kind,
    label: () => `${symbol} ${word}`,
  }));
}

function optionMarket({ symbol, coin, expiryMs, strike, type }: OptionQuote): ListedMarket {
  const label = (): string => `${coin} ${expiryLabel(expiryMs)} ${strike} ${type === 'C' ? 'call' : 'put'}`;
  return { symbol, coin, kind: 'option', endMs: expiryMs, label };
}

function outcomeMarkets({ coin, question, outcomes }: PredictionMarket): readonly ListedMarket[] {
  return outcomes.map(({ name, tokenId }) => ({
    symbol: tokenId,
    coin,
    kind: 'prediction',
    label: () => `${question} ${name}`,
  }));
}

function bySymbol(markets: readonly ListedMarket[]): readonly ListedMarket[] {
  const unique = new Map(markets.map((market) => [market.symbol, market]));
  return [...unique.values()].toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1));
}
