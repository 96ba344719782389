import {
  DAY_MS,
  dealerGex,
  type DealerGex,
  expiryLabel,
  type ExpirySkew,
  maxPainByExpiry,
  type OptionQuote,
  roundTo,
  skewByExpiry,
} from '@crosstape/core';
import type { LatestTopic } from '../../platform/bus.ts';
import type { Task } from '../../platform/jobs.ts';
import { optionsOfChain } from './option-chain.ts';

const USD_DECIMALS = 2;
const PRICE_DECIMALS = 6;
const FRACTION_DECIMALS = 6;
const COIN_DECIMALS = 8;

/** Inputs of the figures. */
export interface OptionsToFigure {
  readonly coin: string;
  /** Options of its chain. */
  readonly options: readonly OptionQuote[];
  /** Open interest of options on it that are not served, in coins; absent while unknown. */
  readonly otherOi?: number;
  /** When they were fetched. */
  readonly atMs: number;
  /** Absent while the venue has not sent it. */
  readonly spot?: number;
}

export interface GexFigures {
  /** Fetch time of their chain: while there is no spot price, the last good ones are kept. */
  readonly fetchedAtMs: number;
  readonly spot: number;
  readonly totalGex: number;
  readonly callWall: NonNullable<DealerGex['callWall']>;
  readonly putWall: NonNullable<DealerGex['putWall']>;
  readonly gammaFlip: number | null;
  readonly strikes: DealerGex['strikes'];
  readonly profile: DealerGex['profile'];
  /** Absent while the rest is unknown. */
  readonly oiCoveredPct?: number;
}

export interface SkewFigures {
  readonly smileByExpiry: Readonly<Record<string, ExpirySkew['smile']>>;
  readonly termStructure: readonly {
    readonly expiryMs: number;
    readonly expiryLabel: string;
    readonly dteDays: number;
    readonly atmIv: number;
    readonly rr25?: number;
    readonly bf25?: number;
    readonly maxPain?: number;
  }[];
}

/** Figures of a chain, computed once per fetch. */
export interface OptionFigures {
  readonly coin: string;
  readonly fetchedAtMs: number;
  /** Absent without a spot price for long, and where no call or no put has any exposure. */
  readonly gex?: GexFigures;
  readonly skew: SkewFigures;
}

/** The newest figures of a coin's options. */
export function optionFiguresTopic(coin: string): LatestTopic<OptionFigures> {
  return { name: `option-figures:${coin}`, keep: { kind: 'latest' } };
}

/** Makes figures on a worker; `worker.ts` exports the function. */
export const optionFiguresTask: Task<OptionsToFigure, OptionFigures> = { name: 'optionFigures' };

export function optionFigures({ coin, options, otherOi, atMs, spot }: OptionsToFigure): OptionFigures {
  const chain = optionsOfChain(options, coin, atMs);
  const gex = spot === undefined ? undefined : gexFigures(chain, otherOi, { spot, atMs });
  return { coin, fetchedAtMs: atMs, ...(gex && { gex }), skew: skewFigures(chain, atMs) };
}

function gexFigures(
  chain: readonly OptionQuote[],
  otherOi: number | undefined,
  at: { readonly spot: number; readonly atMs: number },
): GexFigures | undefined {
  const { total, strikes, callWall, putWall, flip, profile } = dealerGex(chain, at);
  if (!callWall || !putWall) return undefined;
  const usd = (value: number): number => roundTo(value, USD_DECIMALS);
  const covered = strikes.reduce((sum, { callOi, putOi }) => sum + callOi + putOi, 0);
  const chainOi = chain.reduce((sum, { openInterest }) => sum + openInterest, 0);
  return {
    fetchedAtMs: at.atMs,
    spot: at.spot,
    totalGex: usd(total),
    callWall: { strike: callWall.strike, gex: usd(callWall.gex) },
    putWall: { strike: putWall.strike, gex: usd(putWall.gex) },
    gammaFlip: flip === undefined ? null : roundTo(flip, PRICE_DECIMALS),
    strikes: strikes.map(({ strike, callOi, putOi, gex, callGex, putGex }) => ({
      strike,
      callOi: roundTo(callOi, COIN_DECIMALS),
      putOi: roundTo(putOi, COIN_DECIMALS),
      gex: usd(gex),
      callGex: usd(callGex),
      putGex: usd(putGex),
    })),
    profile: profile.map((point) => ({ spot: roundTo(point.spot, PRICE_DECIMALS), gex: usd(point.gex) })),
    ...(otherOi !== undefined && { oiCoveredPct: roundTo((100 * covered) / (chainOi + otherOi), 2) }),
  };
}

function skewFigures(chain: readonly OptionQuote[], atMs: number): SkewFigures {
  const fraction = (value: number): number => roundTo(value, FRACTION_DECIMALS);
  const skews = skewByExpiry(chain, atMs);
  const maxPains = maxPainByExpiry(chain);
  return {
    smileByExpiry: Object.fromEntries(
      skews.map(({ expiryMs, smile }) => [
        expiryLabel(expiryMs),
        smile.map(({ strike, iv, type, moneyness }) => ({
          strike,
          iv: fraction(iv),
          type,
          moneyness: fraction(moneyness),
        })),
      ]),
    ),
    // An expiry whose strikes are all on one side of the forward has a smile, but nothing at the money.
    termStructure: skews.flatMap(({ expiryMs, atmIv, rr25, bf25 }) => {
      if (atmIv === undefined) return [];
      const maxPain = maxPains.get(expiryMs);
      return [
        {
          expiryMs,
          expiryLabel: expiryLabel(expiryMs),
          dteDays: roundTo((expiryMs - atMs) / DAY_MS, 2),
          atmIv: fraction(atmIv),
          ...(rr25 !== undefined && { rr25: fraction(rr25) }),
          ...(bf25 !== undefined && { bf25: fraction(bf25) }),
          ...(maxPain !== undefined && { maxPain }),
        },
      ];
    }),
  };
}
