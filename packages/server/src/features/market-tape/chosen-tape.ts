import { MarketIndex } from '@crosstape/core';
import { Type } from 'typebox';
import type { Context } from '../context.ts';
import { Failure } from '../../platform/errors.ts';
import { knownCoin } from '../markets/known-coin.ts';
import type { TapeCoverage } from '../tape/tape-coverage.ts';
import type { TapeAnswer } from '../tape/tape-meta.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import type { StoredMarket } from './market-table.ts';
import type { RecordedTape } from './market-reader.ts';

/** The parameter `market`. */
export const marketName = Type.Optional(
  Type.String({
    pattern: '^[^\\s,\\u0000-\\u001f\\u007f-\\u009f]{1,80}$',
    allowed: 'a market id such as binance:BTCUSDT',
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
  const named = markets?.read(text) ?? { type: 'invalid', why: 'no markets are recorded' };
  if (named.type === 'invalid') throw new Failure('bad_request', `Parameter \`market\`: ${named.why}.`);
  if (named.type === 'aggregate')
    throw new Failure(
      'bad_request',
      `Parameter \`market\`: ${text} has no tape of its own; name one market.`,
    );
  if (named.venue === primaryVenue && named.kind === 'perp')
    return { coin: await knownCoin(context, named.symbol), tape, coverage };
  const market = (await findStored(context, named)) as StoredMarket | undefined;
  if (!markets || !market)
    throw new Failure('not_found', `Market ${text} is not recorded; /markets/recorded lists those that are.`);
  const recorded = markets.open(market);
  return { coin: market.symbol, ...recorded, secondary: { ...recorded, market } };
}

async function findStored(
  { resources: { markets } }: Context,
  named: Parameters<MarketIndex['find']>[0],
): Promise<unknown> {
  return new MarketIndex((await markets?.list()) ?? []).find(named);
}
