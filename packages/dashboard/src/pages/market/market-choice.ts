import type { Schemas } from '@crosstape/client';
import { aggregates, isAggregate } from '../../format/aggregates.ts';
import { coinRank } from '../../format/coin-names.ts';
import { isVenue, perpVenues, venueName } from '../../format/venues.ts';

type RecordedMarket = Schemas['RecordedMarket'];

/** Venue of the tape that a coin has by default. */
const [PRIMARY] = perpVenues;
/** Quotes that count as dollars. */
export const dollars: readonly string[] = ['USD', 'USDT', 'USDC'];

/** Further URL parameters of a replay. */
const replayParams = ['replay', 'speed'] as const;

/** `hyperliquid:BTC`, `perp:BTC`. */
export const MARKET_ID = /^[a-z0-9-]{1,30}:[A-Za-z0-9._/-]{1,40}$/;

/** The market whose trades a page shows. */
export interface MarketChoice {
  /** `hyperliquid:BTC`, `coinbase-spot:BTC-USD`. */
  readonly id: string;
  readonly coin: string;
  /** Whether it is of the primary venue, which has a book, funding and open interest. */
  readonly isPrimary: boolean;
  /** Several markets together: bars use the prices of one of them. */
  readonly isAggregate: boolean;
  /** Sign before its prices: `$`, or empty for other currencies. */
  readonly sign: string;
}

/** The market of an address: `market=…`, and without it the primary venue's. */
export function marketOf(
  coin: string,
  given: string | null,
  recorded: readonly Pick<RecordedMarket, 'market' | 'quote'>[] = [],
): MarketChoice {
  const primary = `${PRIMARY}:${coin}`;
  const id = given ?? primary;
  const quote = recorded.find(({ market }) => market === id)?.quote;
  const isDollars = quote === undefined || dollars.includes(quote);
  return { id, coin, isPrimary: id === primary, isAggregate: isAggregate(id), sign: isDollars ? '$' : '' };
}

/** The coin of an id; `undefined` if the venue has its own name for it. */
export function coinOf(id: string): string | undefined {
  const [venue = '', symbol] = id.split(':');
  return venue === PRIMARY || venue in aggregates ? symbol : undefined;
}

/** Whether an address names a market in the place of a coin, and not a coin such as `xyz:GOLD`. */
export function isMarketName(name: string): boolean {
  const [venue = '', ...symbol] = name.toLowerCase().split(':');
  return symbol.length > 0 && (isVenue(venue.replace(/-spot$/, '')) || isAggregate(`${venue}:`));
}

/** The market that an address names in the place of a coin, in any case: `/m/bybit:btcusdt`, `/m/perp:BTC`. */
export function namedMarket(
  id: string,
  recorded: readonly Pick<RecordedMarket, 'market' | 'coin'>[],
): Pick<RecordedMarket, 'market' | 'coin'> | undefined {
  const named = id.toLowerCase();
  const all = recorded.flatMap(({ market, coin }) => [
    { market, coin },
    ...Object.keys(aggregates).map((kind) => ({ market: `${kind}:${coin}`, coin })),
  ]);
  return all.find(({ market }) => market.toLowerCase() === named);
}

/** Where a market is shown. From a page with this query, its replay continues there. */
export function marketHref(
  { market, coin }: Pick<RecordedMarket, 'market' | 'coin'>,
  query?: URLSearchParams,
): string {
  const params = new URLSearchParams();
  if (market !== `${PRIMARY}:${coin}`) params.set('market', market);
  for (const name of replayParams) {
    const value = query?.get(name);
    if (query?.has('replay') && typeof value === 'string') params.set(name, value);
  }
  const text = params.toString().replaceAll('%3A', ':');
  return `/m/${encodeURIComponent(coin)}${text && `?${text}`}`;
}

/**
 * The aggregates that words name, in any order: `all btc`, `perp:BTC`, `spot pairs of eth`. A coin is found by its
 * ticker or name, the likeliest recorded one; an aggregate whose prefix is among the words comes first.
 */
export function aggregatesNamed(
  text: string,
  recorded: readonly Pick<RecordedMarket, 'coin' | 'trades24h'>[],
): readonly Pick<RecordedMarket, 'market' | 'coin'>[] {
  const words = text
    .toLowerCase()
    .split(/[\s:]+/)
    .filter(Boolean);
  const named = Object.entries(aggregates).flatMap(([kind, title]) => {
    const names = `${kind} ${title} of`.toLowerCase().split(' ').map(singular);
    const others = words.filter((word) => !names.includes(singular(word)));
    const coin = others.length < words.length ? likeliestCoin(others.join(' '), recorded) : undefined;
    return coin === undefined ? [] : [{ market: `${kind}:${coin}`, coin, isExact: words.includes(kind) }];
  });
  return named
    .toSorted((a, b) => Number(b.isExact) - Number(a.isExact))
    .map(({ market, coin }) => ({ market, coin }));
}

function singular(word: string): string {
  return word.replace(/s$/, '');
}

/** Of equal matches the most traded. */
function likeliestCoin(
  typed: string,
  recorded: readonly Pick<RecordedMarket, 'coin' | 'trades24h'>[],
): string | undefined {
  if (typed === '') return undefined;
  return recorded
    .flatMap(({ coin, trades24h }) => {
      const rank = coinRank(coin, typed);
      return rank === undefined ? [] : [{ coin, rank, trades24h }];
    })
    .toSorted((a, b) => a.rank - b.rank || b.trades24h - a.trades24h)[0]?.coin;
}

/** The title of an id before its market is known: `All perpetuals of BTC`. */
export function idTitle(id: string): string {
  const [venue = '', coin = ''] = id.split(':');
  const title = (aggregates as Readonly<Record<string, string>>)[venue];
  return title === undefined ? id : `${title} of ${coin}`;
}

/** `Binance BTCUSDT perp`. */
export function marketTitle({
  venue,
  symbol,
  kind,
}: Pick<RecordedMarket, 'venue' | 'symbol' | 'kind'>): string {
  return `${venueName(venue)} ${symbol} ${kind}`;
}

/** Markets of a list in the order of a menu: perpetuals first, the most traded first. Words must all be found. */
export function listMarkets(markets: readonly RecordedMarket[], words: string): readonly RecordedMarket[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return markets
    .filter((row) => {
      const text = `${row.market} ${marketTitle(row)} ${row.coin}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    })
    .toSorted((a, b) => a.kind.localeCompare(b.kind) || b.trades24h - a.trades24h);
}
