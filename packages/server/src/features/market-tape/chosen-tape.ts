import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { marketName } from '../../http/parameter.ts';
import { Failure } from '../../platform/errors.ts';
import { knownCoin } from '../markets/known-coin.ts';
import type { TapeCoverage } from '../tape/tape-coverage.ts';
import type { TapeAnswer } from '../tape/tape-meta.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import type { StoredMarket } from './market-table.ts';
import { aggregateHasNoTape, findMarket } from './find-market.ts';
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
  /** Of another than the primary venue. */
  readonly secondary?: RecordedTape & { readonly market: StoredMarket };
}

/** What the answer's meta is to say of a market's feed. */
export function feedOf({ publisher, recordingSince }: StoredMarket): NonNullable<TapeAnswer['of']> {
  return { name: { venue: publisher, feed: 'market-trades' }, since: recordingSince };
}

/** The tape of a coin of the primary venue, or of a market. */
export async function chosenTape(
  context: Context,
  { coin, market }: { readonly coin?: string | undefined; readonly market?: string | undefined },
): Promise<ChosenTape> {
  const { tape, coverage } = context.resources;
  if (coin !== undefined && market !== undefined)
    throw new Failure('bad_request', 'Parameters `coin` and `market` exclude each other.');
  if (market !== undefined) return marketTape(context, market);
  if (coin === undefined)
    throw new Failure(
      'bad_request',
      'Parameter `coin` is missing; it must be a ticker of 1 to 32 characters.',
    );
  return { coin: await knownCoin(context, coin), tape, coverage };
}

async function marketTape(context: Context, text: string): Promise<ChosenTape> {
  const { tape, coverage, primaryVenue, markets } = context.resources;
  const recorded = (await markets?.list()) ?? [];
  const found = findMarket(text, { word: 'Parameter', markets, primaryVenue, recorded });
  if (found.type === 'aggregate') throw aggregateHasNoTape('Parameter', text);
  if (found.type === 'primary') return { coin: await knownCoin(context, found.symbol), tape, coverage };
  const { market } = found;
  const own = markets?.open(market) as RecordedTape;
  return { coin: market.symbol, ...own, secondary: { ...own, market } };
}
