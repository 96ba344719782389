import {
  type CoinMatcher,
  type Market,
  marketIdOf,
  type MarketVenue,
  type TradedKind,
} from '@crosstape/core';
import type { Known, Listed, Publisher } from './venue.ts';

/** Prices of a market whose list does not name their currency. */
const DOLLAR = 'USD';

function kindOf(publisher: Publisher): TradedKind {
  return 'kind' in publisher && publisher.kind === 'spot' ? 'spot' : 'perp';
}

/** What the ids of its markets begin with. */
export function marketPrefixOf(publisher: Publisher): string {
  const venue = publisher.venue ?? publisher.id;
  return marketIdOf({ venue, kind: kindOf(publisher), symbol: '' }).slice(0, -1);
}

/**
 * The markets that a venue, or the spot part of one, lists. `known` holds its tables in its own coins and units, as its
 * parsers return them; pairs are taken from the list of tickers where the venue has no other list.
 */
export function marketsOf(publisher: Publisher, known: Known, coins: CoinMatcher): readonly Market[] {
  const kind = kindOf(publisher);
  const venue = publisher.venue ?? publisher.id;
  const listed: readonly (Listed & { readonly contractSize?: number; readonly tick?: number })[] =
    known.instruments ?? (kind === 'spot' ? known.spotTickers : undefined) ?? [];
  return listed.map(
    ({ symbol: listedAs, streamSymbol, coin: base, quote = DOLLAR, contractSize = 1, tick }) => {
      const symbol = streamSymbol ?? listedAs;
      const { coin, unit: scale } = coins.match(base);
      return {
        id: marketIdOf({ venue, kind, symbol }),
        venue,
        kind,
        symbol,
        coin,
        quote,
        contractSize,
        scale,
        ...(tick !== undefined && { tick }),
        ...(symbol !== listedAs && { restSymbol: listedAs }),
      };
    },
  );
}

/** The venues that market ids may name. */
export function marketVenuesOf(
  publishers: readonly (Publisher & { readonly aliases?: readonly string[] })[],
): readonly MarketVenue[] {
  const byId = new Map<string, MarketVenue>();
  for (const publisher of publishers) {
    const id = publisher.venue ?? publisher.id;
    const { aliases = [], kinds = [] } = byId.get(id) ?? {};
    byId.set(id, {
      id,
      aliases: [...aliases, ...(publisher.aliases ?? [])],
      kinds: [...kinds, kindOf(publisher)],
    });
  }
  return [...byId.values()];
}
