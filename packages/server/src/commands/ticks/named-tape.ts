import { MarketIndex, type MarketKey, parseMarketId } from '@crosstape/core';
import { marketVenues, primaryVenue } from '@crosstape/venues';
import { MarketTable, type StoredMarket } from '../../features/market-tape/market-table.ts';
import { UsageError } from '../../settings/read-settings.ts';
import type { Store } from '../../store/store.ts';

/** The tape that `--coin` or `--market` names: a coin of the primary venue, or a market of another. */
type NamedTape =
  | { readonly coin: string; readonly key?: undefined }
  | { readonly text: string; readonly key: MarketKey };

/** Reads `--coin` or `--market`; one of them is required, and `missing` is the error otherwise. */
export function readTapeName(flags: Readonly<Record<string, string>>, missing: string): NamedTape {
  const { coin, market: text } = flags;
  if (coin !== undefined && text !== undefined)
    throw new UsageError('--coin and --market cannot be combined');
  if (coin !== undefined) return { coin };
  if (text === undefined) throw new UsageError(missing);
  const named = parseMarketId(text, marketVenues);
  if (named.type === 'invalid') throw new UsageError(`--market: ${named.why}`);
  if (named.type === 'aggregate')
    throw new UsageError(`--market: ${text} is an aggregate; name a single market`);
  if (named.venue === primaryVenue.id && named.kind === 'perp') return { coin: named.symbol };
  return { text, key: named };
}

/** The recorded market that is named. */
export async function storedMarket(store: Store, key: MarketKey, text: string): Promise<StoredMarket> {
  const markets = await new MarketTable(store).all();
  const market = new MarketIndex(markets).find(key);
  if (market) return market;
  const own = markets.filter(({ venue, kind }) => venue === key.venue && kind === key.kind);
  const there = own.map(({ id }) => id).join(', ') || 'no market of this venue';
  throw new Error(`no recorded trades for ${text}; recorded: ${there}`);
}
