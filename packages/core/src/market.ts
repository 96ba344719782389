import type { MarketKind } from './catalog-venue.ts';

/** A kind of market whose trades are recorded. */
export type TradedKind = Extract<MarketKind, 'perp' | 'spot'>;

/** Identifies a market over all venues. */
export interface MarketKey {
  /** Id of the venue: `binance`, for spot markets too. */
  readonly venue: string;
  readonly kind: TradedKind;
  /** The venue's own spelling. */
  readonly symbol: string;
}

/** The units of trades with `ts < untilMs`. */
export interface PastUnits {
  readonly contractSize: number;
  readonly scale: number;
  readonly untilMs: number;
}

/** One contract or pair of one venue, with everything needed to read its trades. */
export interface Market extends MarketKey {
  /** Canonical: `binance:BTCUSDT`, `binance-spot:BTCUSDT`. The only spelling that leaves the service. */
  readonly id: string;
  /** The primary venue's ticker. */
  readonly coin: string;
  /** Currency of its prices: `USD`, `USDT` or `USDC`. Prices are never converted. */
  readonly quote: string;
  /** Base coins of the venue in one unit of its sizes; 1 where sizes count coins. */
  readonly contractSize: number;
  /** Base coins of the venue in one `coin`, a power of ten: 1000 from `PEPE` to `kPEPE`, 1 from `1000PEPE`. */
  readonly scale: number;
  /** Units of its trades before some times, oldest first: the venue changed them. */
  readonly unitsBefore?: readonly PastUnits[];
  /** Price step in the venue's unit; absent if the venue's list does not include it. */
  readonly tick?: number;
  /** The venue's spelling in REST requests, if it differs. */
  readonly restSymbol?: string;
}

export const aggregateScopes = ['perp', 'spot', 'all'] as const;
export type AggregateScope = (typeof aggregateScopes)[number];

/** Every recorded market of a coin: `perp:BTC`, `spot:BTC` or `all:BTC`. */
export interface Aggregate {
  readonly scope: AggregateScope;
  /** The primary venue's ticker. */
  readonly coin: string;
}

const SPOT = '-spot';

/** The canonical id of a market. */
export function marketIdOf({ venue, kind, symbol }: MarketKey): string {
  return `${venue}${kind === 'spot' ? SPOT : ''}:${symbol}`;
}

export function aggregateIdOf({ scope, coin }: Aggregate): string {
  return `${scope}:${coin}`;
}

/** Whether a market belongs to an aggregate. */
export function isMember({ scope, coin }: Aggregate, market: Pick<Market, 'coin' | 'kind'>): boolean {
  return market.coin === coin && (scope === 'all' || scope === market.kind);
}

/** The aggregates of at least two of these markets, by coin. */
export function aggregatesOf(markets: readonly Pick<Market, 'coin' | 'kind'>[]): readonly Aggregate[] {
  const coins = [...new Set(markets.map(({ coin }) => coin))];
  return coins.flatMap((coin) =>
    aggregateScopes
      .map((scope) => ({ scope, coin }))
      .filter((aggregate) => markets.filter((market) => isMember(aggregate, market)).length > 1),
  );
}

/** The part of a venue that market ids use. */
export interface MarketVenue {
  readonly id: string;
  /** Other spellings accepted as input, in lower case. */
  readonly aliases: readonly string[];
  readonly kinds: readonly TradedKind[];
}

/** A parsed market or aggregate id, in the caller's spelling of symbol or coin. */
export type NamedMarket =
  | ({ readonly type: 'market' } & MarketKey)
  | ({ readonly type: 'aggregate' } & Aggregate)
  | { readonly type: 'invalid'; readonly why: string };

/**
 * Parses a market id as callers write it: the venue in any case or by an alias, `-spot` left out if the venue has no
 * perpetuals (`coinbase:BTC-USD`). Symbol and coin keep the caller's spelling; `MarketIndex` finds the venue's.
 */
export function parseMarketId(text: string, venues: readonly MarketVenue[]): NamedMarket {
  const colon = text.indexOf(':');
  const prefix = text.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const name = text.slice(colon + 1).trim();
  if (prefix === '' || name === '')
    return {
      type: 'invalid',
      why: `${text} is not a market id; expected venue:symbol, venue-spot:symbol, perp:COIN, spot:COIN or all:COIN`,
    };
  const scope = aggregateScopes.find((one) => one === prefix);
  if (scope) return { type: 'aggregate', scope, coin: name };
  const isSpot = prefix.endsWith(SPOT);
  const venueName = isSpot ? prefix.slice(0, -SPOT.length) : prefix;
  const venue = venues.find(({ id, aliases }) => id === venueName || aliases.includes(venueName));
  if (!venue) return { type: 'invalid', why: `${venueName} is not a venue whose markets are recorded` };
  const kind: TradedKind = isSpot || !venue.kinds.includes('perp') ? 'spot' : 'perp';
  if (!venue.kinds.includes(kind)) return { type: 'invalid', why: `${venue.id} has no ${kind} markets` };
  return { type: 'market', venue: venue.id, kind, symbol: name };
}

/** Finds markets and coins by any spelling. */
export class MarketIndex<Indexed extends Market = Market> {
  readonly #byId = new Map<string, Indexed>();
  readonly #coins = new Map<string, string>();

  constructor(markets: Iterable<Indexed>) {
    for (const market of markets) {
      const { id, coin } = market;
      // If two symbols differ only in case, the exact spelling finds each.
      for (const key of [id, id.toLowerCase()]) if (!this.#byId.has(key)) this.#byId.set(key, market);
      if (!this.#coins.has(coin.toLowerCase())) this.#coins.set(coin.toLowerCase(), coin);
      this.#coins.set(coin, coin);
    }
  }

  /** The market of a key in any case. */
  find(key: MarketKey): Indexed | undefined {
    const id = marketIdOf(key);
    return this.#byId.get(id) ?? this.#byId.get(id.toLowerCase());
  }

  /** The primary venue's ticker of a coin in any case. */
  coin(name: string): string | undefined {
    return this.#coins.get(name) ?? this.#coins.get(name.toLowerCase());
  }
}
