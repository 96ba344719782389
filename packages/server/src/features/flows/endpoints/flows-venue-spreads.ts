import { Type } from 'typebox';
import type { Dated } from '../flow-report.ts';
import type { VenueSpreads } from '../venue-spreads.ts';
import { listedPairs, type Latest, readSpots } from '../flow-inputs.ts';
import { spotVenueNames } from '../../spot/spot-venues.ts';
import { spreadFetchedAt, spreadSnap } from '../flow-snaps.ts';
import { coinName, commaList, defaulted } from '../../../http/parameter.ts';
import {
  explain,
  flowCoinsOf,
  metaOfFlows,
  type PriceReading,
  readPrices,
  reusableUntilMs,
  flowsUnavailable,
  waitForPrices,
} from '../read-flows.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { VenueSpreadSnap } from '../schema.ts';
import { flowsMeta } from '../meta-schema.ts';
import { endpoint } from '../../context.ts';

const COINS_MAX = 50;
const venues = spotVenueNames.map(({ venue }) => venue);

export const flowsVenueSpreads = endpoint({
  path: '/flows/venue-spreads',
  summary: 'Spot venues against their median',
  description:
    'What a coin costs on each spot venue, and how far that is from the median of the fresh ones. Prices quoted in USDT are converted by what USDT is worth in USD. A venue whose price is older than 60 s is shown as `stale` and left out of the median.',
  query: Type.Object({
    coins: defaulted(
      commaList(coinName({ description: 'Ticker.' }), {
        description: 'Tickers, in any case.',
        maxItems: COINS_MAX,
        examples: [['BTC', 'XRP']],
      }),
      ['BTC', 'ETH', 'SOL'],
    ),
    explain,
  }),
  data: Type.Array(VenueSpreadSnap),
  meta: { ...flowsMeta, ...coinsMeta },
  cacheSeconds: 10,
  examples: [
    { summary: 'BTC, ETH and SOL', search: '' },
    { summary: 'One coin, with how it was made', search: 'coins=BTC&explain=1' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  async handle({ coins, explain: isExplained }, context) {
    const asked = await flowCoinsOf(context, coins);
    await waitForPrices(context, asked.coins);
    const readings = asked.coins.map((coin) => readPrices(context, coin));
    const reported = readings.flatMap((reading) =>
      reading.spreads ? [{ reading, ...reading.spreads }] : [],
    );
    const failing = readings.map(({ failures }) => failures.spot);
    if (reported.length === 0 && failing.some((sources) => sources.length > 0))
      throw flowsUnavailable(
        context,
        `No spot venue has a fresh price of ${asked.coins.join(', ')}.`,
        venues,
        failing,
      );
    const latest: Latest = (topic) => context.latest(topic);
    const notListed = notListedOf(asked.coins, latest);
    // If no venue has a price, the connected ones report it.
    const received = reported.length > 0 ? [] : readSpots(latest, context.nowMs);
    const fetchedAtMs = [
      ...reported.map(({ part }) => spreadFetchedAt(part)),
      ...received.map(({ tickers }) => tickers.fetchedAtMs),
    ];
    return {
      data: reported.map(({ reading, part }) => spreadSnap(reading, part)),
      meta: {
        ...metaOfFlows({
          context,
          names: [
            ...reported.flatMap(({ part }) => part.rows.map(({ price }) => price.venue)),
            ...received.map(({ venue }) => venue),
          ],
          fetchedAt: Math.max(...fetchedAtMs),
          failing,
          staleSinceMs: staleSince(
            reported.map((one) => ({ part: one.part, atMs: one.atMs, reading: one.reading })),
          ),
          ...(isExplained && {
            explained: {
              kind: 'spreads',
              coins: readings.map(({ coin, figures, failures }) => ({
                coin,
                figures,
                failing: failures.spot,
              })),
            },
          }),
        }),
        ...(asked.unknown.length > 0 && { unknown: [...asked.unknown] }),
        ...(notListed.length > 0 && { notListed }),
      },
      validUntilMs: reusableUntilMs(context),
    };
  },
});

function staleSince(
  reported: readonly (Dated<VenueSpreads> & { readonly reading: PriceReading })[],
): number | undefined {
  // One coin that is old is marked by its rows; the answer is stale when all of them are.
  const old = reported.filter(({ atMs, reading }) => atMs < reading.atMs).map(({ atMs }) => atMs);
  return old.length > 0 && old.length === reported.length ? Math.min(...old) : undefined;
}

/** By venue: the requested coins that it does not list, where it is connected. */
function notListedOf(asked: readonly string[], latest: Latest): { venue: string; coins: string[] }[] {
  return spotVenueNames.flatMap(({ venue, source }) => {
    const listed = new Set(listedPairs(latest, source).map(({ coin }) => coin));
    const coins = listed.size > 0 ? asked.filter((coin) => !listed.has(coin)) : [];
    return coins.length > 0 ? [{ venue, coins }] : [];
  });
}
