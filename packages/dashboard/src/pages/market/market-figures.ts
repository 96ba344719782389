import type { AnswerOf, Schemas } from '@crosstape/client';
import { isAggregate } from '../../format/aggregates.ts';
import { weightedMean } from '../../format/funding-rates.ts';
import { contractVenues, perpVenues, venueName } from '../../format/venues.ts';
import { fullHours } from '../../replay/full-hours.ts';
import { sampleNames } from './indicator-names.ts';
import { idTitle } from './market-choice.ts';

type PerpVenue = (typeof perpVenues)[number];
type OiVenue = (typeof contractVenues)[number];
type OiRow = Pick<AnswerOf<'/perps/oi'>['data'][number], 'venue' | 'oiUsd'>;
type FundingRow = Pick<
  AnswerOf<'/perps/funding'>['data'][number],
  'venue' | 'rate' | 'periodHours' | 'native' | 'nextFundingTs'
>;
type Hour = Pick<
  Schemas['Candle'],
  'ts' | 'open' | 'close' | 'volume' | 'notionalUsd' | 'complete' | 'origin'
>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_HOURS = 24;
const PAST_DAYS = 7;
export const PRIMARY: PerpVenue = perpVenues[0];

/** The prefix of an id: a venue, one with `-spot`, or an aggregate. */
function prefixOf(id: string): string {
  return id.slice(0, id.indexOf(':'));
}

/**
 * Venues whose funding and open interest apply to a market: its own, all of them for several markets; none for spot.
 */
export function perpVenuesOf({ id }: { readonly id: string }): readonly PerpVenue[] {
  const prefix = prefixOf(id);
  if (prefix === 'perp' || prefix === 'all') return perpVenues;
  return perpVenues.filter((venue) => venue === prefix);
}

/** The venue whose recorded funding a chart shows; none for several markets. */
export function fundingVenueOf(market: { readonly id: string }): PerpVenue | undefined {
  return isAggregate(market.id) ? undefined : perpVenuesOf(market)[0];
}

/** The same for open interest: some venues have none on record. */
export function oiVenueOf(market: { readonly id: string }): OiVenue | undefined {
  const venue = fundingVenueOf(market);
  return contractVenues.find((one) => one === venue);
}

/** Why an indicator is not drawn for a market; `undefined`: it is. */
export function whyNotDrawn(indicator: string, market: { readonly id: string }): string | undefined {
  if (!sampleNames.includes(indicator)) return undefined;
  if (perpVenuesOf(market).length === 0) return 'not drawn: spot markets have none';
  const venue = fundingVenueOf(market);
  if (venue === undefined) return undefined;
  return indicator === 'oi' && oiVenueOf(market) === undefined
    ? `not drawn: ${venueName(venue)} reports no contracts`
    : undefined;
}

/** The recorded samples of a venue up to now, from a whole day on, so that the query stays the same for a day. */
export function recentSamples<Venue extends string>(coin: string, venue: Venue, nowMs: number) {
  if (venue === PRIMARY) return { coin };
  const sinceMs = Math.max(0, (Math.floor(nowMs / DAY_MS) - PAST_DAYS) * DAY_MS);
  return { coin, venue, interval: '10m', sinceMs } as const;
}

const members = { perp: 'perpetuals', spot: 'spot pairs', all: 'markets' } as const;

/** The title of a market's figures: `BTC perpetual on Binance`, `BTC on 14 markets`. */
export function figuresTitle(
  { id, coin }: { readonly id: string; readonly coin: string },
  recorded: readonly Pick<Schemas['RecordedMarket'], 'kind'>[] | undefined,
): string {
  const prefix = prefixOf(id);
  if (isAggregate(id)) {
    if (!recorded) return idTitle(id);
    const count = recorded.filter(({ kind }) => prefix === 'all' || kind === prefix).length;
    return `${coin} on ${count} ${members[prefix as keyof typeof members]}`;
  }
  const isSpot = prefix.endsWith('-spot');
  return `${coin} ${isSpot ? 'spot' : 'perpetual'} on ${venueName(prefix.replace(/-spot$/, ''))}`;
}

/** Open interest of all rows in dollars; `undefined` if there are none. */
export function totalUsd(rows: readonly OiRow[] | undefined): number | undefined {
  return rows?.length ? rows.reduce((sum, { oiUsd }) => sum + oiUsd, 0) : undefined;
}

/** Contracts now against the sample of a day before the newest one, in percent. */
export function oiChangePct(
  points: readonly { readonly t: number; readonly v: number }[] = [],
  contracts: number | undefined,
): number | undefined {
  const newestMs = points.at(-1)?.t ?? 0;
  const before = points.findLast(({ t }) => t <= newestMs - DAY_MS);
  return before && contracts !== undefined ? (contracts / before.v - 1) * 100 : undefined;
}

/** Funding per hour: of several venues their mean by open interest. */
export function hourlyRate(
  rates: readonly FundingRow[] | undefined,
  weights: readonly OiRow[] | undefined,
): number | undefined {
  const [only, ...others] = rates ?? [];
  if (only && others.length === 0) return only.rate / only.periodHours;
  return weightedMean(
    new Map(rates?.map(({ venue, rate, periodHours }) => [venue, rate / periodHours])),
    new Map(weights?.map(({ venue, oiUsd }) => [venue, oiUsd])),
  );
}

/** When funding is paid next. The answer may be older than the payment that it names. */
export function nextPayment(row: FundingRow | undefined, nowMs: number): number | undefined {
  if (!row?.nextFundingTs) return undefined;
  const { nextFundingTs: ts, native, periodHours } = row;
  const everyMs = (native?.periodHours ?? periodHours) * HOUR_MS;
  return ts > nowMs ? ts : ts + (Math.floor((nowMs - ts) / everyMs) + 1) * everyMs;
}

export interface DayFigures {
  /** Price at its beginning. */
  readonly open: number;
  /** Volume in coins, and price × size. */
  readonly coins: number;
  readonly notional: number;
  /** Whether no trade is missing, and every market was recorded or its venue's own candles are there. */
  readonly isWhole: boolean;
}

/** Of the last 24 full hours; `undefined` if one is missing. `markets` are those of an aggregate. */
export function dayOf(
  hours: readonly Hour[] | undefined,
  askedMs: number | undefined,
  markets: readonly { readonly since: number }[] = [],
): DayFigures | undefined {
  const full = fullHours(hours ?? [], askedMs ?? 0).slice(-DAY_HOURS);
  const [first] = full;
  if (!first || full.length < DAY_HOURS) return undefined;
  const allSince = Math.max(...markets.map(({ since }) => since));
  return {
    open: first.open,
    coins: full.reduce((sum, { volume }) => sum + volume, 0),
    notional: full.reduce((sum, { notionalUsd, volume, close }) => sum + (notionalUsd ?? volume * close), 0),
    isWhole: full.every(
      ({ ts, complete, origin }) => complete !== false && (origin === 'venue' || ts >= allSince),
    ),
  };
}
