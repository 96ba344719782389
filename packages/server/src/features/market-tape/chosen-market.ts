import type { Aggregate } from '@crosstape/core';
import { Failure } from '../../platform/errors.ts';
import { aggregateHasNoTape, nameTape, notRecorded } from './find-market.ts';
import type { MarketReader } from './market-reader.ts';
import type { StoredMarket } from './market-table.ts';

/** The caller's name: one of the two. */
export interface GivenName {
  readonly coin?: string | undefined;
  readonly market?: string | undefined;
}

export interface MarketChoosing {
  /** The kind of the names, for errors. */
  readonly word: 'Parameter' | 'Field';
  readonly markets: MarketReader | undefined;
  readonly primaryVenue: string;
  /** A coin in the primary venue's spelling; rejects with a `Failure` if unknown. */
  readonly knownCoin: (text: string) => Promise<string>;
}

/** A coin of the primary venue, or a recorded market and its coin. Rejects with a `Failure` for anything else. */
export async function chosenMarket(
  { word, markets, primaryVenue, knownCoin }: MarketChoosing,
  { coin, market: text }: GivenName,
): Promise<{ readonly coin: string; readonly market?: StoredMarket }> {
  if (coin !== undefined && text !== undefined)
    throw new Failure('bad_request', `${word}s \`coin\` and \`market\` exclude each other.`);
  if (coin !== undefined) return { coin: await knownCoin(coin) };
  if (text === undefined)
    throw new Failure(
      'bad_request',
      `${word} \`coin\` is missing; it must be a ticker of 1 to 32 characters.`,
    );
  const found = nameTape(text, { word, markets, primaryVenue });
  if (found.type === 'aggregate') throw aggregateHasNoTape(word, text);
  if (found.type === 'primary') return { coin: await knownCoin(found.symbol) };
  const market = await markets?.find(found.key);
  if (!market) throw notRecorded(text);
  return { coin: market.coin, market };
}

/** The same, or every recorded market of a coin: `perp:BTC`. */
export async function chosenMarkets(
  choosing: MarketChoosing,
  given: GivenName,
): Promise<{ readonly coin: string; readonly market?: StoredMarket; readonly aggregate?: Aggregate }> {
  if (given.market === undefined || given.coin !== undefined) return chosenMarket(choosing, given);
  const found = nameTape(given.market, choosing);
  if (found.type !== 'aggregate') return chosenMarket(choosing, given);
  const coin = await choosing.knownCoin(found.coin);
  return { coin, aggregate: { scope: found.scope, coin } };
}
