import { DAY_MS, hashText, type OptionType, priceOf, roundTo, yearsToExpiry } from '@crosstape/core';
import { gaussOf, mix, uniformOf } from '../../market/noise.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { expiriesAt, type Expiry, type Tenor } from './expiries.ts';
import type { Series } from './series.ts';
import { type Strikes, strikesOf } from './strikes.ts';
import { Surface } from './surface.ts';

const YEAR_MS = 365 * DAY_MS;
const INDEX_YEARS = 30 / 365;
/** The index takes in the wings, which are above the volatility at the money. */
const INDEX_WINGS = 1.03;
/** Days of remembered spot prices. */
const SPOTS_MAX = 4_096;
/** Remembered lists of strikes, one per series, expiry and day. */
const LISTED_MAX = 512;
/** Share of a coin's open interest in one expiry of each tenor, once it has grown up. */
const TENOR_SHARE: Readonly<Record<Tenor, number>> = { day: 0.015, week: 0.045, month: 0.12, quarter: 0.2 };
/** Largest share of one option in its expiry's open interest, relative to an even share. */
const THICKEST = 1.9;
/** Strikes that are round by ten or five steps draw more. */
const ROUND = [
  { steps: 10, factor: 3 },
  { steps: 5, factor: 1.7 },
] as const;
/** Open interest is thickest this many standard deviations out of the money, as of its listing, … */
const HUMP = 0.8;
/** … one strike in this many has none, and as many are not traded today. */
const IDLE_SHARE = 0.12;
const UNTRADED_SHARE = 0.45;
/** Part of the open interest that changes hands in a day where it is most. */
const TURNOVER = 0.25;

/** An option as the venue sees it at a moment. */
export interface SimulatedOption {
  readonly series: Series;
  readonly expiry: Expiry;
  readonly strike: number;
  readonly type: OptionType;
  readonly forward: number;
  readonly index: number;
  /** Per year, as a fraction, with the venue's four decimals. */
  readonly iv: number;
  /** In dollars. */
  readonly priceUsd: number;
  /** In coins. */
  readonly openInterest: number;
  readonly volume24h: number;
}

/** The options of one expiry at a moment. */
export interface SimulatedChain {
  /** Ascending, a step apart. */
  readonly strikes: readonly number[];
  readonly step: number;
  readonly forward: number;
  /** Usual standard deviation of the logarithm of the forward up to the expiry. */
  readonly deviation: number;
  option(strike: number, type: OptionType): SimulatedOption;
}

/** The options of one market: like it a pure function of seed and time. */
export class OptionBook {
  readonly #market: VenueMarket;
  readonly #surfaces = new Map<string, Surface>();
  readonly #spots = new Map<string, number>();
  readonly #listed = new Map<string, Strikes>();

  constructor(market: VenueMarket) {
    this.#market = market;
  }

  index(coin: string, atMs: number): number {
    return this.#market.quote(coin, atMs).index;
  }

  /** Every option of a series that is listed at a moment, by expiry and strike. */
  options(series: Series, atMs: number): readonly SimulatedOption[] {
    return expiriesAt(atMs).flatMap((expiry) => {
      const chain = this.chain(series, expiry, atMs);
      return chain.strikes.flatMap((strike) => [chain.option(strike, 'C'), chain.option(strike, 'P')]);
    });
  }

  /** What the options on a coin imply for the 30 days after a moment, per year as a fraction. */
  volatilityIndex(coin: string, atMs: number): number {
    return INDEX_WINGS * this.#surface(coin).smile(INDEX_YEARS, atMs)(1);
  }

  /** The options of one expiry at a moment. */
  chain(series: Series, expiry: Expiry, atMs: number): SimulatedChain {
    const index = this.index(series.coin, atMs);
    const surface = this.#surface(series.coin);
    const years = yearsToExpiry(expiry.expiryMs, atMs) as number;
    const forward = roundTo(index * surface.forwardFactor(years, atMs), series.priceDecimals);
    const smile = surface.smile(years, atMs);
    const { listedAt, step, all } = this.#strikes(series, expiry, atMs);
    const lifeMs = expiry.expiryMs - expiry.listedMs;
    // Positions stay where they were opened, however spot moves on.
    const listedDeviation = surface.usual * Math.sqrt(lifeMs / YEAR_MS);
    const age = 1 - Math.exp((-3 * (atMs - expiry.listedMs)) / lifeMs);
    const coins = (series.openInterestUsd / index) * TENOR_SHARE[expiry.tenor] * age;
    const thickest = (coins * THICKEST) / (2 * all.length);
    const option = (strike: number, type: OptionType): SimulatedOption => {
      const iv = roundTo(smile(strike / forward), 4);
      const x = Math.log(strike / listedAt) / listedDeviation;
      const roundness = ROUND.find(({ steps }) => Math.round(strike / step) % steps === 0)?.factor ?? 1;
      const salt = mix(
        mix(this.#salt, hashText(series.prefix)),
        mix(hashText(`${strike}${type}`), expiry.expiryMs / DAY_MS),
      );
      const outside = type === 'C' ? x : -x;
      const interest = Math.exp(-((outside - HUMP) ** 2) / 2 + 0.6 * gaussOf(mix(salt, 1)));
      const isIdle = uniformOf(mix(salt, 2)) < IDLE_SHARE;
      const openInterest = isIdle ? 0 : toLots(thickest * interest * roundness, series.lot);
      return {
        series,
        expiry,
        strike,
        type,
        forward,
        index,
        iv,
        priceUsd: priceOf(type, { forward, strike, volatility: iv, years }),
        openInterest,
        volume24h: toLots(openInterest * TURNOVER * turnover(salt, atMs), series.lot),
      };
    };
    return { strikes: all, step, forward, deviation: surface.usual * Math.sqrt(years), option };
  }

  get #salt(): number {
    return mix(this.#market.market.seed, hashText('options'));
  }

  #surface(coin: string): Surface {
    let surface = this.#surfaces.get(coin);
    if (!surface) {
      const listed = this.#market.coins.find(({ name }) => name === coin);
      if (!listed) throw new RangeError(`no options on ${coin}`);
      surface = new Surface(mix(this.#salt, hashText(coin)), listed);
      this.#surfaces.set(coin, surface);
    }
    return surface;
  }

  /** They change at midnight. */
  #strikes(series: Series, expiry: Expiry, atMs: number): Strikes {
    const key = `${series.prefix} ${expiry.expiryMs} ${Math.floor(atMs / DAY_MS)}`;
    let strikes = this.#listed.get(key);
    if (!strikes) {
      if (this.#listed.size >= LISTED_MAX) this.#listed.clear();
      strikes = strikesOf(expiry, atMs, {
        coarseness: series.coarseness,
        spotAt: (spotMs) => this.#spotOfDay(series.coin, spotMs),
      });
      this.#listed.set(key, strikes);
    }
    return strikes;
  }

  #spotOfDay(coin: string, atMs: number): number {
    const key = `${coin} ${atMs}`;
    let spot = this.#spots.get(key);
    if (spot === undefined) {
      if (this.#spots.size >= SPOTS_MAX) this.#spots.clear();
      spot = this.index(coin, atMs);
      this.#spots.set(key, spot);
    }
    return spot;
  }
}

/** Over the last 24 hours: the turnovers of today and tomorrow, interpolated. */
function turnover(salt: number, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS);
  const part = atMs / DAY_MS - day;
  const of = (one: number): number =>
    Math.max(0, uniformOf(mix(salt, one)) - UNTRADED_SHARE) / (1 - UNTRADED_SHARE);
  return (1 - part) * of(day) + part * of(day + 1);
}

function toLots(coins: number, lot: number): number {
  return roundTo(Math.floor(coins / lot) * lot, 1);
}
