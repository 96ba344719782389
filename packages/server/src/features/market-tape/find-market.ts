import { aggregateIdOf, marketIdOf, type MarketKey } from '@crosstape/core';
import type { MarketScope, TopicName } from '../../gateway/gateway-channel.ts';
import type { Bus } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import type { CoinIndex } from '../markets/coins.ts';
import { followableMarkets } from './followed-tape.ts';
import type { MarketReader } from './market-reader.ts';

export interface MarketNaming {
  /** The kind of the text, for errors: `Parameter` or `Field`. */
  readonly word: 'Parameter' | 'Field';
  readonly markets: MarketReader | undefined;
  readonly primaryVenue: string;
}

export type NamedTape =
  | { readonly type: 'primary'; readonly symbol: string }
  | { readonly type: 'aggregate'; readonly scope: 'perp' | 'spot' | 'all'; readonly coin: string }
  | { readonly type: 'market'; readonly key: MarketKey };

/**
 * The tape that a market id names: a coin of the primary venue or an aggregate, both in the caller's spelling, or a
 * market of another venue. Throws a `Failure` for anything else.
 */
export function nameTape(text: string, { word, markets, primaryVenue }: MarketNaming): NamedTape {
  const named = markets?.read(text) ?? { type: 'invalid', why: 'no markets are recorded' };
  if (named.type === 'invalid') throw new Failure('bad_request', `${word} \`market\`: ${named.why}.`);
  if (named.type === 'aggregate') return named;
  if (named.venue === primaryVenue && named.kind === 'perp') return { type: 'primary', symbol: named.symbol };
  return { type: 'market', key: named };
}

export function notRecorded(text: string): Failure {
  return new Failure('not_found', `Market ${text} is not recorded; /markets/recorded lists those that are.`);
}

export function aggregateHasNoTape(word: 'Parameter' | 'Field', text: string): Failure {
  return new Failure('bad_request', `${word} \`market\`: ${text} has no tape of its own; name one market.`);
}

export interface LiveMarketsOptions {
  readonly bus: Bus;
  readonly markets?: MarketReader | undefined;
  readonly primaryVenue: string;
}

/**
 * The topic that a market id names, among markets that are or will be recorded. Throws a `Failure` if there is none.
 */
export function liveMarket(
  { bus, markets, primaryVenue }: LiveMarketsOptions,
  coins: CoinIndex,
  { word, text, scope }: { word: 'Parameter' | 'Field'; text: string; scope: MarketScope },
): TopicName {
  const found = nameTape(text, { word, markets, primaryVenue });
  if (found.type === 'market') {
    // Clients may send a hundred names a second: an index of all markets would cost more than one search.
    const id = marketIdOf(found.key);
    const all = followableMarkets(bus);
    const market =
      all.find((one) => one.id === id) ?? all.find((one) => one.id.toLowerCase() === id.toLowerCase());
    if (!market) throw notRecorded(text);
    return { symbol: market.coin, market: market.id };
  }
  if (found.type === 'aggregate' && scope === 'one') throw aggregateHasNoTape(word, text);
  const name = found.type === 'primary' ? found.symbol : found.coin;
  const symbol = coins.find(name);
  if (symbol === undefined)
    throw new Failure('not_found', `${word} \`market\`: no coin \`${name}\` is known on the primary venue.`);
  return found.type === 'primary'
    ? { symbol }
    : { symbol, market: aggregateIdOf({ scope: found.scope, coin: symbol }) };
}
