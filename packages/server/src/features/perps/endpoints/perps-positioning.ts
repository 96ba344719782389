import { type Positioning, positioningKey, positioningPeriods } from '@crosstape/core';
import { Type } from 'typebox';
import { openInterestByCoin } from '../open-interest.ts';
import { snapshotTopic } from '../../../topics.ts';
import { coinsAmong } from '../../markets/known-coin.ts';
import { choice, coinName, commaList, defaulted } from '../../../http/parameter.ts';
import { readPositioning } from '../read-positioning.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { PositioningSnap } from '../schema.ts';
import { type Context, endpoint } from '../../context.ts';

const cacheSeconds = 60;
const COINS_BY_DEFAULT = 30;
const COINS_MAX = 50;
/** The venues that have it, and their views. */
const reported = [
  { venue: 'binance', view: 'global' },
  { venue: 'binance', view: 'top' },
  { venue: 'okx', view: 'top' },
] as const satisfies readonly { venue: string; view: Positioning['view'] }[];
const venues = [...new Set(reported.map(({ venue }) => venue))];

export const perpsPositioning = endpoint({
  path: '/perps/positioning',
  summary: 'Long/short ratios',
  description:
    'How holders are positioned: `global` counts all accounts (Binance), `top` the positions of the largest traders (Binance, OKX). Ratios of different venues and views count different things and are never averaged. Fetched on demand: a coin that was not requested lately may be missing from the first answer, which says so.',
  query: Type.Object({
    coins: Type.Optional(
      commaList(coinName({ description: 'Ticker.' }), {
        description: `Tickers, in any case, at most ${COINS_MAX}. Omitted: the ${COINS_BY_DEFAULT} with the most open interest on the primary venue.`,
        examples: [['BTC', 'ETH']],
        maxItems: COINS_MAX,
      }),
    ),
    period: defaulted(
      choice(positioningPeriods, {
        description: 'Length of the period that is described.',
        examples: ['4h'],
      }),
      '1h',
    ),
  }),
  data: Type.Array(PositioningSnap),
  meta: coinsMeta,
  cacheSeconds,
  examples: [
    { summary: 'The largest coins', search: '' },
    { summary: 'Bitcoin over four hours', search: 'coins=BTC&period=4h' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coins: texts, period }, context) {
    const { coins, unknown } = chosenCoins(context, texts);
    const symbols = new Map(venues.map((venue) => [venue, symbolsOf(context, venue)]));
    const wanted = reported.flatMap(({ venue, view }) =>
      coins.flatMap((coin) => {
        const symbol = symbols.get(venue)?.get(coin);
        return symbol === undefined ? [] : [{ venue, coin, key: positioningKey({ symbol, period, view }) }];
      }),
    );
    const { rows, ...reading } = await readPositioning(context, { venues, wanted, period, cacheSeconds });
    const notListed = venues.flatMap((venue) => {
      const absent = coins.filter((coin) => !symbols.get(venue)?.has(coin));
      const isKnown = context.latest(snapshotTopic(venue, 'instruments')) !== undefined;
      return texts && isKnown && absent.length > 0 ? [{ venue, coins: absent }] : [];
    });
    return {
      data: rows.map(({ venue, row, fetchedAt }) => {
        const { coin, view, longFraction, longShortRatio, basis } = row;
        return { coin, venue, view, longFraction, longShortRatio, fetchedAt, basis };
      }),
      meta: {
        ...reading.meta,
        ...(unknown.length > 0 && { unknown: [...unknown] }),
        ...(notListed.length > 0 && { notListed }),
      },
      validUntilMs: reading.validUntilMs,
    };
  },
});

function chosenCoins(
  context: Context,
  texts: readonly string[] | undefined,
): { readonly coins: readonly string[]; readonly unknown: readonly string[] } {
  const largest = [...heldOn(context, context.resources.primaryVenue).values()]
    .map(({ value }) => value)
    .toSorted((a, b) => b.usd - a.usd);
  if (!texts) return { coins: largest.slice(0, COINS_BY_DEFAULT).map(({ coin }) => coin), unknown: [] };
  const known = new Set(largest.map(({ coin }) => coin));
  for (const venue of [context.resources.primaryVenue, ...venues])
    for (const coin of symbolsOf(context, venue).keys()) known.add(coin);
  return coinsAmong(known, texts);
}

/** For each coin the contract with the most open interest; the first listed if unknown. */
function symbolsOf(context: Context, venue: string): ReadonlyMap<string, string> {
  const symbols = new Map<string, string>();
  for (const { coin, symbol } of context.latest(snapshotTopic(venue, 'instruments'))?.rows ?? []) {
    if (!symbols.has(coin)) symbols.set(coin, symbol);
  }
  for (const [coin, { value }] of heldOn(context, venue)) symbols.set(coin, value.symbol);
  return symbols;
}

function heldOn(context: Context, venue: string): ReturnType<typeof openInterestByCoin> {
  const table = context.latest(snapshotTopic(venue, 'openInterest'));
  return table ? openInterestByCoin(table, context.nowMs) : new Map();
}
