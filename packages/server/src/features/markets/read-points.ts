import type { Capability } from '@crosstape/core';
import type { Static, TObject } from 'typebox';
import { scaleRate } from '../perps/funding.ts';
import type { Point } from './fold-points.ts';
import { perpVenueIds } from './venue-ids.ts';
import { Failure } from '../../platform/errors.ts';
import { readSpotTicks, SPOT_COINS_MAX, spotCoinsByDefault } from '../spot/endpoints/markets-spot.ts';
import { readFunding } from '../perps/endpoints/perps-funding.ts';
import { readOpenInterest } from '../perps/endpoints/perps-oi.ts';
import type { PerpQuery } from '../perps/perp-rows.ts';
import type { coinsMeta, Meta } from '../../http/envelope.ts';
import type { Context } from '../context.ts';

const RETRY_AFTER_SECONDS = 5;
/** Rates of different periods are scaled to this many hours. */
const RATE_HOURS = 8;

export interface PointsRequest {
  /** All have the capability. */
  readonly exchanges: readonly string[];
  /** Absent: the default coins of the resource behind it. */
  readonly coins?: readonly string[];
  /** The venues of a coin are folded into one: without `coins`, all of them return the same ones. */
  readonly isSum: boolean;
}

export interface PointsReading {
  readonly points: readonly Point[];
  readonly meta: Static<typeof Meta> & Static<TObject<typeof coinsMeta>>;
  readonly validUntilMs: number;
}

/** A value of each coin on each venue: the venues that have it, and its source. */
export interface PointType {
  readonly capability: Capability;
  /** Description. */
  readonly what: string;
  readonly unit: 'USD' | 'RATE_8H';
  /** Maximum coins per request, if limited. */
  readonly coinsMax?: number;
  /** Whether a mean is meaningful beside the sum. */
  readonly hasMean: boolean;
  read(asked: PointsRequest, context: Context): Promise<PointsReading>;
}

/** The served types, each with the function behind its own endpoint: there is no other path to the data. */
export const pointTypes = {
  OI_AGG: {
    capability: 'oi',
    what: 'open interest',
    unit: 'USD',
    hasMean: false,
    async read(asked, context) {
      const { data, ...rest } = await readOpenInterest(perpsOf(asked), context);
      return { points: data.map((row) => pointOf(row, row.oiUsd)), ...rest };
    },
  },
  FUNDING_AGG: {
    capability: 'funding',
    what: 'funding',
    unit: 'RATE_8H',
    hasMean: true,
    async read(asked, context) {
      const { data, ...rest } = await readFunding(perpsOf(asked), context);
      return { points: data.map((row) => pointOf(row, scaleRate(row.native ?? row, RATE_HOURS))), ...rest };
    },
  },
  SPOT: {
    capability: 'spot',
    what: 'spot prices',
    unit: 'USD',
    hasMean: true,
    coinsMax: SPOT_COINS_MAX,
    read: readSpot,
  },
} as const satisfies Record<string, PointType>;

export type LivePointType = keyof typeof pointTypes;

async function readSpot(
  { exchanges, coins = spotCoinsByDefault }: PointsRequest,
  context: Context,
): Promise<PointsReading> {
  const { data, ...rest } = await readSpotTicks({ coins, venues: exchanges }, context);
  const { sources = [] } = rest.meta;
  if (data.length === 0 && sources.length > 0) {
    const why = sources.map(({ error }) => error).join(' ');
    throw new Failure('upstream_unavailable', `No data available from ${exchanges.join(', ')}. ${why}`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      meta: { source: context.label(exchanges), sources },
    });
  }
  return { points: data.map((tick) => pointOf(tick, tick.price)), ...rest };
}

function perpsOf({ exchanges, coins, isSum }: PointsRequest): PerpQuery {
  return {
    venues: perpVenueIds.filter((id) => exchanges.includes(id)),
    isEveryCoin: isSum,
    ...(coins && { coins }),
  };
}

interface ServedRow {
  readonly coin: string;
  readonly venue: string;
  readonly fetchedAt: number;
  readonly stale?: boolean;
}

function pointOf({ coin, venue, fetchedAt, stale }: ServedRow, value: number): Point {
  const old = stale === true && { staleExchanges: [venue] };
  return { coin, exchange: venue, value, byExchange: { [venue]: value }, fetchedAt, ...old };
}
