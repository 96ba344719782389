import { type Positioning, positioningPeriods } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { openInterestByCoin } from '../../analytics/open-interest.ts';
import { type PerpVenueId } from '../../analytics/perp-conventions.ts';
import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { findCoins, indexCoins } from '../coins.ts';
import type { Context } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { choice, coinName, commaList, defaulted } from '../parameter.ts';
import { coinsMeta, type SourceEntry } from '../schemas/envelope.ts';
import { PositioningSnap } from '../schemas/perps.ts';
import { readTables } from '../venue-tables.ts';

const cacheSeconds = 60;
const COINS_BY_DEFAULT = 30;
const COINS_MAX = 50;
/** Which venues tell it, and from which view. */
const told = [
  { venue: 'binance', view: 'global' },
  { venue: 'binance', view: 'top' },
  { venue: 'okx', view: 'top' },
] as const satisfies readonly { venue: PerpVenueId; view: Positioning['view'] }[];
const venues = ['binance', 'okx'] as const;

export const perpsPositioning = endpoint({
  path: '/perps/positioning',
  summary: 'Long and short positioning',
  description:
    'How holders are positioned: `global` counts all accounts (Binance), `top` the positions of the largest traders (Binance, OKX). Ratios of different venues and views count different things and are never averaged. Fetched on demand: a coin nobody asked for lately may be missing from the first answer, which says so.',
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
    const wanted = told.flatMap(({ venue, view }) =>
      coins.flatMap((coin) => {
        const symbol = symbols.get(venue)?.get(coin);
        return symbol === undefined ? [] : [{ venue, view, coin, symbol }];
      }),
    );
    for (const venue of venues) {
      const asked = new Set(wanted.filter((one) => one.venue === venue).map(({ symbol }) => symbol));
      const keys = [...asked].map((symbol) => `${symbol} ${period}`);
      if (keys.length > 0) context.demand({ venue, table: 'positioning', keys });
    }
    const rowOf = (one: (typeof wanted)[number]): Positioning | undefined =>
      context.resources.bus
        .latest(snapshotTopic(one.venue, 'positioning'))
        ?.message.rows.find(
          (row) => row.symbol === one.symbol && row.view === one.view && row.period === period,
        );
    await context.waitUntil(
      () => wanted.every((one) => rowOf(one) !== undefined),
      venues.map((venue) => snapshotTopic(venue, 'positioning')),
    );
    const { tables, meta, validUntilMs } = await readTables(context, {
      table: 'positioning',
      venues,
      cacheSeconds,
    });
    const data: Static<typeof PositioningSnap>[] = [];
    const missing = new Map<string, Set<string>>();
    for (const one of wanted) {
      const row = rowOf(one);
      const table = tables.find(({ venue }) => venue === one.venue);
      if (row && table) {
        const { coin, view, longFraction, longShortRatio, basis } = row;
        const fetchedAt = table.fetchedAtMs;
        data.push({ coin, venue: one.venue, view, longFraction, longShortRatio, fetchedAt, basis });
      } else missing.set(one.venue, (missing.get(one.venue) ?? new Set()).add(one.coin));
    }
    const notListed = venues.flatMap((venue) => {
      const absent = coins.filter((coin) => !symbols.get(venue)?.has(coin));
      return texts && absent.length > 0 ? [{ venue, coins: absent }] : [];
    });
    const sources = [...(meta.sources ?? []), ...[...missing].map(([venue, set]) => pending(venue, set))];
    return {
      data,
      meta: {
        ...meta,
        ...(unknown.length > 0 && { unknown: [...unknown] }),
        ...(notListed.length > 0 && { notListed }),
        ...(missing.size > 0 && { partial: true }),
        ...(sources.length > 0 && { sources }),
      },
      validUntilMs: missing.size > 0 ? context.nowMs + 1_000 : validUntilMs,
    };
  },
});

function chosenCoins(
  context: Context,
  texts: readonly string[] | undefined,
): { readonly coins: readonly string[]; readonly unknown: readonly string[] } {
  const { primaryVenue } = context.resources;
  const largest = [
    ...openInterestByCoin(context.latest(snapshotTopic(primaryVenue, 'openInterest'))?.rows ?? []).values(),
  ].toSorted((a, b) => b.usd - a.usd);
  if (!texts) return { coins: largest.slice(0, COINS_BY_DEFAULT).map(({ coin }) => coin), unknown: [] };
  const known = new Set(largest.map(({ coin }) => coin));
  for (const venue of venues) for (const coin of symbolsOf(context, venue).keys()) known.add(coin);
  const found = findCoins(indexCoins(known), texts);
  if (found.coins.length > 0) return found;
  throw new Failure('not_found', 'None of the asked coins is known.', { meta: { unknown: found.unknown } });
}

/** Of each coin the contract with the most open interest; the first listed where that is unknown. */
function symbolsOf(context: Context, venue: string): ReadonlyMap<string, string> {
  const symbols = new Map<string, string>();
  for (const { coin, symbol } of context.latest(snapshotTopic(venue, 'instruments'))?.rows ?? []) {
    if (!symbols.has(coin)) symbols.set(coin, symbol);
  }
  const openInterest = context.latest(snapshotTopic(venue, 'openInterest'))?.rows ?? [];
  for (const { coin, symbol } of openInterestByCoin(openInterest).values()) symbols.set(coin, symbol);
  return symbols;
}

function pending(venue: string, coins: ReadonlySet<string>): Static<typeof SourceEntry> {
  const error = `${venue} has not been asked about these coins yet, or has not answered; ask again in a moment.`;
  return { source: `${venue}:positioning`, status: 'stale', ageMs: null, error, coins: [...coins] };
}
