import type { Capability } from '@crosstape/core';
import type { Static, TObject } from 'typebox';
import { scaleRate } from '../analytics/funding.ts';
import type { Point } from '../analytics/fold-points.ts';
import { type PerpVenueId, perpVenueIds } from '../analytics/perp-conventions.ts';
import type { Context } from './context.ts';
import { readFunding } from './endpoints/perps-funding.ts';
import { readOpenInterest } from './endpoints/perps-oi.ts';
import type { coinsMeta, Meta } from './schemas/envelope.ts';

/** Rates of different periods are told for so many hours. */
const RATE_HOURS = 8;

export interface PointsAsked {
  /** All have the capability. */
  readonly exchanges: readonly string[];
  /** Absent: what the resource behind it tells when it is not told which. */
  readonly coins?: readonly string[];
}

export interface PointsReading {
  readonly points: readonly Point[];
  readonly meta: Static<typeof Meta> & Static<TObject<typeof coinsMeta>>;
  readonly validUntilMs: number;
}

/** Something that can be told of each coin on each venue: who has it, and who tells it. */
export interface PointType {
  readonly capability: Capability;
  /** In words. */
  readonly what: string;
  readonly unit: 'USD' | 'RATE_8H';
  /** Whether a mean makes sense beside the sum. */
  readonly hasMean: boolean;
  read(asked: PointsAsked, context: Context): Promise<PointsReading>;
}

/** The types that are served, each by the function behind its own endpoint: there is no other way to the data. */
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
} as const satisfies Record<string, PointType>;

export type LivePointType = keyof typeof pointTypes;

function perpsOf({ exchanges, coins }: PointsAsked): { venues: PerpVenueId[]; coins?: readonly string[] } {
  return { venues: perpVenueIds.filter((id) => exchanges.includes(id)), ...(coins && { coins }) };
}

function pointOf(
  { coin, venue, fetchedAt }: { readonly coin: string; readonly venue: string; readonly fetchedAt: number },
  value: number,
): Point {
  return { coin, exchange: venue, value, byExchange: { [venue]: value }, fetchedAt };
}
