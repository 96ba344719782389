import type { OptionQuote } from '../records.ts';
import { nearestCrossing } from './gamma-flip.ts';
import { GammaProfile, type Spot } from './gamma-profile.ts';

/** Exposure in dollars per move of 1 %, open interest in coins. */
export interface StrikeGex {
  readonly strike: number;
  readonly callOi: number;
  readonly putOi: number;
  /** Of calls and puts together. */
  readonly gex: number;
  readonly callGex: number;
  /** Never above zero. */
  readonly putGex: number;
}

export interface Wall {
  readonly strike: number;
  /** Of that side alone. */
  readonly gex: number;
}

export interface DealerGex {
  readonly total: number;
  /** Ascending. */
  readonly strikes: readonly StrikeGex[];
  /** The strike with the largest exposure of calls; absent where no call has any. */
  readonly callWall?: Wall;
  readonly putWall?: Wall;
  /** The spot price nearest to the current one at which the total crosses zero. */
  readonly flip?: number;
  /** The total at other spot prices, ascending. */
  readonly profile: readonly ProfilePoint[];
}

export interface ProfilePoint {
  readonly spot: number;
  readonly gex: number;
}

/** The profile reaches from 0.7 to 1.3 times spot in steps of 1 %. */
const PROFILE_PERCENT = 30;

/** Dealer exposure by strike and in total, and where its sign changes. */
export function dealerGex(options: readonly OptionQuote[], at: Spot): DealerGex {
  const profile = new GammaProfile(options, at);
  const strikes = byStrike(profile);
  const callWall = largest(strikes, ({ callGex }) => callGex);
  const putWall = largest(strikes, ({ putGex }) => putGex);
  const crossing = nearestCrossing((times) => profile.total(times));
  return {
    total: profile.total(1),
    strikes,
    ...(callWall && { callWall }),
    ...(putWall && { putWall }),
    ...(crossing !== undefined && { flip: crossing * at.spot }),
    profile: Array.from({ length: 2 * PROFILE_PERCENT + 1 }, (_, i) => {
      const times = 1 + (i - PROFILE_PERCENT) / 100;
      return { spot: at.spot * times, gex: profile.total(times) };
    }),
  };
}

function byStrike(profile: GammaProfile): readonly StrikeGex[] {
  const sums = new Map<number, { -readonly [Field in keyof StrikeGex]: number }>();
  for (const [i, { strike, type, openInterest }] of profile.options.entries()) {
    let sum = sums.get(strike);
    if (!sum) sums.set(strike, (sum = { strike, callOi: 0, putOi: 0, gex: 0, callGex: 0, putGex: 0 }));
    const gex = profile.at(i);
    sum[type === 'C' ? 'callOi' : 'putOi'] += openInterest;
    sum[type === 'C' ? 'callGex' : 'putGex'] += gex;
    sum.gex += gex;
  }
  return [...sums.values()].toSorted((a, b) => a.strike - b.strike);
}

/** The lowest strike among those with the largest absolute exposure. */
function largest(strikes: readonly StrikeGex[], sideOf: (row: StrikeGex) => number): Wall | undefined {
  let wall: Wall | undefined;
  for (const row of strikes) {
    const gex = sideOf(row);
    if (Math.abs(gex) > Math.abs(wall?.gex ?? 0)) wall = { strike: row.strike, gex };
  }
  return wall;
}
