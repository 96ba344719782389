import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { marketName } from '../../http/parameter.ts';
import { knownCoin } from '../markets/known-coin.ts';
import type { TapeCoverage } from '../tape/tape-coverage.ts';
import type { TapeAnswer } from '../tape/tape-meta.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import type { StoredMarket } from './market-table.ts';
import { chosenMarket, chosenMarkets, type GivenName, type MarketChoosing } from './chosen-market.ts';
import type { RecordedTape } from './market-reader.ts';

/** The parameter `market`. */
export const marketParameter = Type.Optional(
  marketName({
    description:
      'Market of any recorded venue instead of `coin`: `binance:BTCUSDT`, `coinbase-spot:BTC-USD`. `/markets/recorded` lists them.',
    examples: ['hyperliquid:BTC'],
  }),
);

/** The tape that a caller chose, and the name of its market there. */
export interface ChosenTape {
  readonly coin: string;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  /** Set for another venue than the primary. */
  readonly secondary?: RecordedTape & { readonly market: StoredMarket };
}

/** The part of an answer's meta about a market's feed. */
export function feedOf({ publisher, recordingSince }: StoredMarket): NonNullable<TapeAnswer['of']> {
  return { name: { venue: publisher, feed: 'market-trades' }, since: recordingSince };
}

function choosingIn(context: Context, word: MarketChoosing['word']): MarketChoosing {
  const { markets, primaryVenue } = context.resources;
  return { word, markets, primaryVenue, knownCoin: (text) => knownCoin(context, text) };
}

/** The coin or market that a caller named. */
export function chosenIn(context: Context, word: MarketChoosing['word'], given: GivenName) {
  return chosenMarket(choosingIn(context, word), given);
}

/** The same, or several markets together. */
export function chosenOrSeveral(context: Context, word: MarketChoosing['word'], given: GivenName) {
  return chosenMarkets(choosingIn(context, word), given);
}

/** The tape of a coin of the primary venue, or of a market. */
export async function chosenTape(context: Context, given: GivenName): Promise<ChosenTape> {
  const { tape, coverage, markets } = context.resources;
  const { coin, market } = await chosenIn(context, 'Parameter', given);
  if (!market || !markets) return { coin, tape, coverage };
  const own = markets.open(market);
  return { coin: market.symbol, ...own, secondary: { ...own, market } };
}
