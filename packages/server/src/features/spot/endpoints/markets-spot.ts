import type { FailingSource } from '@crosstape/core';
import { type Static, Type } from 'typebox';
import { failingRateSources } from '../../rates/quote-worth.ts';
import { type SpotPrice, spotPrices } from '../spot-prices.ts';
import { type SpotVenueName, spotVenueNames } from '../spot-venues.ts';
import { SPOT_STALE_MS } from '../../rates/usdt-rate.ts';
import { coinName, commaList, defaulted } from '../../../http/parameter.ts';
import type { CoinData } from '../../perps/perp-rows.ts';
import { findSpotCoins, spotCoins, spotOf, missingCoins, wantSpotPairs } from '../read-spot.ts';
import { coinsMeta } from '../../../http/envelope.ts';
import { SpotTick } from '../../flows/schema.ts';
import { readTables } from '../../markets/read-tables.ts';
import { type Context, endpoint } from '../../context.ts';

const cacheSeconds = 10;
export const SPOT_COINS_MAX = 20;
export const spotCoinsByDefault = ['BTC', 'ETH', 'SOL'];
const AGAIN_MS = 1_000;
const sources = spotVenueNames.map(({ source }) => source);

export const marketsSpot = endpoint({
  path: '/markets/spot',
  summary: 'Spot prices across venues',
  description:
    'What coins cost on the spot venues in USD, one row per coin and venue. A row is `stale` by the time of its bid and ask, not of its last trade; `meta.stale` is set only when every row is old. Of several pairs of a coin the one quoted in USD is taken, else USDT, else USDC. Prices quoted in USDT or USDC are converted by what these are worth in USD: the median of the venues that trade them against it. A venue that does not list a coin is left out. The change over 24 hours is that of the price as quoted.',
  query: Type.Object({
    coins: defaulted(
      commaList(coinName({ description: 'Ticker.' }), {
        description: `Tickers, in any case, the bare coin included (\`PEPE\` finds \`kPEPE\`); at most ${SPOT_COINS_MAX}.`,
        examples: [['BTC', 'XRP']],
        maxItems: SPOT_COINS_MAX,
      }),
      spotCoinsByDefault,
    ),
  }),
  data: Type.Array(SpotTick),
  meta: coinsMeta,
  cacheSeconds,
  examples: [
    { summary: 'BTC, ETH and SOL', search: '' },
    { summary: 'Two coins', search: 'coins=XRP,DOGE' },
  ],
  errors: ['not_found', 'upstream_unavailable'],
  handle: readSpotTicks,
});

export interface SpotRequest {
  readonly coins: readonly string[];
  /** Plain ids; absent: all. */
  readonly venues?: readonly string[];
}

/** All spot venues are read, since together they give the stablecoin rates; only the requested ones are returned. */
export async function readSpotTicks(
  { coins: texts, venues }: SpotRequest,
  context: Context,
): Promise<CoinData<Static<typeof SpotTick>>> {
  const wanted = { table: 'spotTickers', venues: sources, cacheSeconds } as const;
  await readTables(context, wanted);
  const { coins, unknown } = findSpotCoins(context, texts);
  await wantSpotPairs(context, coins);
  const reading = await readTables(context, wanted);
  const spots = reading.tables.map((table) => spotOf(context, table));
  const { prices, unpriced } = spotPrices(coins, spots, context.nowMs);
  const asked = spotVenueNames.filter(({ venue }) => venues?.includes(venue) ?? true);
  const whole = prices.filter(isWhole).filter(({ venue }) => asked.some((one) => one.venue === venue));
  const received = asked.filter(({ source }) => reading.tables.some((table) => table.venue === source));
  const missing = missingRows(context, coins, received, whole, unpriced);
  const notListed = received.flatMap(({ venue, source }) => {
    const absent = coins.filter((coin) => !spotCoins(context, source).has(coin));
    return absent.length > 0 ? [{ venue, coins: absent }] : [];
  });
  const troubled = (reading.meta.sources ?? []).filter((entry) =>
    asked.some(({ source }) => isOf(entry, source)),
  );
  const currencies = new Set([...whole, ...unpriced].map(({ quote }) => quote));
  const rateSources = failingRateSources((topic) => context.latest(topic), currencies, context.nowMs);
  const named = new Set(troubled.map(({ source }) => source));
  const failing = [...troubled, ...rateSources.filter(({ source }) => !named.has(source)), ...missing];
  // If no venue has a row, those without one report it.
  const reported = received.filter(
    ({ venue }) => whole.length === 0 || whole.some((one) => one.venue === venue),
  );
  // Stale rows are marked one by one; the answer is stale only when all of them are old.
  const tableOf = (venue: string): (typeof reading.tables)[number] | undefined =>
    reading.tables.find((table) => table.venue === received.find((one) => one.venue === venue)?.source);
  const isOld = ({ venue, isStale, receivedAtMs }: SpotPrice): boolean => {
    const table = tableOf(venue);
    const isFailing = table !== undefined && troubled.some((entry) => isOf(entry, table.venue));
    // A venue that can no longer be polled may still push.
    return isStale || (isFailing && receivedAtMs <= table.fetchedAtMs);
  };
  const agesMs = whole.every(isOld)
    ? [...whole.map(({ asOfMs }) => context.nowMs - asOfMs), ...troubled.flatMap(({ ageMs }) => ageMs ?? [])]
    : [];
  const fetchedAtMs = whole.map((price) => price.receivedAtMs);
  return {
    data: whole.map(printTick),
    meta: {
      fetchedAt: fetchedAtMs.length > 0 ? Math.max(...fetchedAtMs) : reading.meta.fetchedAt,
      source: context.label(reported.map(({ venue }) => venue)),
      ...(agesMs.length > 0 && { stale: true, ageMs: Math.max(...agesMs) }),
      ...(unknown.length > 0 && { unknown: [...unknown] }),
      ...(notListed.length > 0 && { notListed }),
      ...(failing.length > 0 && {
        partial: missing.length > 0 || received.length < asked.length,
        sources: failing,
      }),
    },
    validUntilMs: Math.min(
      reading.validUntilMs,
      ...whole.map(({ asOfMs, isStale }) =>
        isStale ? context.nowMs + AGAIN_MS : asOfMs + SPOT_STALE_MS + 1,
      ),
      missing.length > 0 ? context.nowMs + AGAIN_MS : Infinity,
    ),
  };
}

/** Whether an entry such as `okx-spot:tickers` is about a source. */
function isOf(entry: FailingSource, source: string): boolean {
  return entry.source.split(':')[0] === source;
}

type WholePrice = SpotPrice &
  Required<Pick<SpotPrice, 'bidUsd' | 'askUsd' | 'change24hPct' | 'volume24hCoins'>>;

function isWhole(price: SpotPrice): price is WholePrice {
  const { bidUsd, askUsd, change24hPct, volume24hCoins } = price;
  return [bidUsd, askUsd, change24hPct, volume24hCoins].every((one) => one !== undefined);
}

/** Listed pairs of connected venues without enough data for a row: nothing is made up. */
function missingRows(
  context: Context,
  coins: readonly string[],
  received: readonly SpotVenueName[],
  whole: readonly WholePrice[],
  unpriced: ReturnType<typeof spotPrices>['unpriced'],
): readonly FailingSource[] {
  return received.flatMap(({ venue, source }) => {
    const rowless = coins.filter(
      (coin) =>
        spotCoins(context, source).has(coin) &&
        !whole.some((one) => one.venue === venue && one.coin === coin),
    );
    const worthless = rowless.filter((coin) =>
      unpriced.some((one) => one.venue === venue && one.coin === coin),
    );
    const unreported = rowless.filter((coin) => !worthless.includes(coin));
    return [
      ...(worthless.length > 0
        ? [missingCoins(venue, worthless, 'What the currency of these pairs is worth in USD is not known.')]
        : []),
      ...(unreported.length > 0
        ? [
            missingCoins(
              venue,
              unreported,
              `${venue} has not sent bid, ask, volume and change of these coins yet; ask again in a moment.`,
            ),
          ]
        : []),
    ];
  });
}

function printTick(price: WholePrice): Static<typeof SpotTick> {
  return {
    coin: price.coin,
    venue: price.venue,
    price: price.lastUsd,
    bid: price.bidUsd,
    ask: price.askUsd,
    volume24h: price.volume24hCoins,
    change24hPct: price.change24hPct,
    fetchedAt: price.receivedAtMs,
    quote: price.quote,
    rawPrice: price.rawPrice,
    ...(price.isStale && { stale: true }),
  };
}
