import {
  expiryLabel,
  type MarketKind,
  type MarketList,
  marketKinds,
  type OptionQuote,
  type PredictionMarket,
  type Tables,
} from '@crosstape/core';

/** A market of a venue, whatever is traded there. */
export interface ListedMarket {
  readonly symbol: string;
  /** Empty when it is not on a coin. */
  readonly coin: string;
  readonly kind: MarketKind;
  readonly label: string;
}

/** The markets that a table lists at a moment. */
export function marketsOf<Name extends MarketList['table']>(
  { kind, table }: MarketList & { readonly table: Name },
  rows: readonly Tables[Name][],
  atMs: number,
): readonly ListedMarket[] {
  if (table === 'options')
    return (rows as readonly OptionQuote[]).filter(({ expiryMs }) => expiryMs > atMs).map(optionMarket);
  if (table === 'predictions') return (rows as readonly PredictionMarket[]).flatMap(outcomeMarkets);
  const word = kind === 'perp' ? 'perpetual' : 'spot';
  return (rows as readonly Tables['instruments'][]).map(({ symbol, coin }) => ({
    symbol,
    coin,
    kind,
    label: `${symbol} ${word}`,
  }));
}

function optionMarket({ symbol, coin, expiryMs, strike, type }: OptionQuote): ListedMarket {
  const label = `${coin} ${expiryLabel(expiryMs)} ${strike} ${type === 'C' ? 'call' : 'put'}`;
  return { symbol, coin, kind: 'option', label };
}

function outcomeMarkets({ coin, question, outcomes }: PredictionMarket): readonly ListedMarket[] {
  return outcomes.map(({ name, tokenId }) => ({
    symbol: tokenId,
    coin,
    kind: 'prediction',
    label: `${question} ${name}`,
  }));
}

/** Each market once, by kind and then by symbol: an order that does not depend on who was fetched first. */
export function inOrder(markets: readonly ListedMarket[]): readonly ListedMarket[] {
  const unique = new Map(markets.map((market) => [`${market.kind} ${market.symbol}`, market]));
  return [...unique.values()].toSorted(
    (a, b) =>
      marketKinds.indexOf(a.kind) - marketKinds.indexOf(b.kind) ||
      (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0),
  );
}
