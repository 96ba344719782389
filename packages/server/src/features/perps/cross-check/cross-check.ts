import type { CheckedField, Suspect } from '../../../topics.ts';
import { FigureHistory, medianOf, middleOf, weightedMedianOf } from './figure-history.ts';

/** Figures of one field by venue and coin; funding per hour. */
export type VenueFigures = ReadonlyMap<string, ReadonlyMap<string, number>>;
export type Figures = Readonly<Record<CheckedField, VenueFigures>>;

/** A figure is compared with the median of at least this many other venues: one of them may be wrong. */
const OTHERS_MIN = 3;
/** The usual level of a venue is that of at least this many coins. */
const COINS_MIN = 5;
/** Tracked histories; further coins are compared by rules that need none. */
const HISTORIES_MAX = 20_000;
/** Checks between two samples of a history. */
const LEARN_EVERY = 10;
/** Further than this many standard deviations from its own history … */
const SIGMAS = 8;
/** … and than this factor: a figure that hardly varies may still move. */
const LEAST = { openInterest: Math.log(1.5), mark: Math.log(1.03) } as const;
/** Without a history: this far from the venue's own level over all coins. Open interest of venues differs by more. */
const FRESH_FACTOR = 5;
/** Independent of history: marks of the same coin, and the open interest of a venue against its own level. */
const FACTOR_MAX = { openInterest: 100, mark: 1.5 } as const;
/** Coins needed to relate a venue's rates to the others'. */
const RATES_MIN = 10;
/** Rates of a venue against the median of the others: usual, and without a history. */
const SLOPE_SIGMAS = 4;
const SLOPE_LEAST = 0.45;
const SLOPE_MIN = -0.5;
const SLOPE_MAX = 5;
/** A rate per hour that is this far from the others is wrong or an emergency. */
const RATE_FAR = 0.005;

type RatioField = Exclude<CheckedField, 'funding'>;

/**
 * Compares the figures of the same coin between venues: each with the median of the others. Learns the usual deviation
 * of each figure, and lists outliers. Removes nothing.
 */
export class CrossCheck {
  readonly #histories = new Map<string, FigureHistory>();
  readonly #learnEvery: number;
  #checks = 0;
  #learns = true;
  /** Suspects of the previous check. */
  #foundBefore: ReadonlySet<string> = new Set();

  constructor(learnEvery = LEARN_EVERY) {
    this.#learnEvery = learnEvery;
  }

  /**
   * Figures that are suspect in this check and the previous one: tables are fetched at different moments, so a single
   * deviation may be temporary. Learns from them by default.
   */
  check(figures: Figures, { learns = true } = {}): readonly Suspect[] {
    this.#checks += 1;
    this.#learns = learns;
    const found = [
      ...this.#checkRatios('openInterest', figures.openInterest),
      ...this.#checkFunding(figures.funding),
      ...this.#checkRatios('mark', figures.mark),
    ];
    const before = this.#foundBefore;
    this.#foundBefore = new Set(found.map(nameOf));
    return found.filter((one) => before.has(nameOf(one)));
  }

  #checkRatios(field: RatioField, venues: VenueFigures): readonly Suspect[] {
    const medians = mediansOfOthers(venues, (value) => value > 0);
    const suspects: Suspect[] = [];
    for (const [venue, coins] of venues) {
      const places = new Map<string, number>();
      for (const [coin, value] of coins) {
        const median = medians.get(venue)?.get(coin);
        if (value < 0) suspects.push({ venue, coin, field, value, median: median ?? 0, reason: 'negative' });
        else if (value > 0 && median !== undefined) places.set(coin, Math.log(value / median));
      }
      const level = places.size >= COINS_MIN ? medianOf([...places.values()]) : undefined;
      for (const [coin, place] of places) {
        const value = coins.get(coin) ?? 0;
        const history = this.#history(`${field} ${venue} ${coin}`);
        const reason = ratioReason(field, place, field === 'mark' ? 0 : level, history);
        this.#learn(history, place, value, reason !== undefined);
        const median = medians.get(venue)?.get(coin) ?? 0;
        if (reason !== undefined) suspects.push({ venue, coin, field, value, median, reason });
      }
    }
    return suspects;
  }

  /** Rates cross zero and differ by coin: the baseline is how a venue's rates relate to the others' over all coins. */
  #checkFunding(venues: VenueFigures): readonly Suspect[] {
    const medians = mediansOfOthers(venues, () => true);
    const suspects: Suspect[] = [];
    for (const [venue, coins] of venues) {
      const pairs = [...coins].flatMap(([coin, rate]) => {
        const median = medians.get(venue)?.get(coin);
        return median === undefined ? [] : [{ coin, rate, median }];
      });
      const slope = slopeOf(pairs);
      const history = this.#history(`funding ${venue}`);
      const reason = slope === undefined ? undefined : slopeReason(slope, history);
      const sum = pairs.reduce((total, { rate }) => total + rate, 0);
      if (slope !== undefined) this.#learn(history, slope, sum, reason !== undefined);
      for (const { coin, rate, median } of pairs) {
        const isFar = Math.abs(rate - median) > RATE_FAR;
        const why = reason ?? (isFar ? `more than ${RATE_FAR * 100} % per hour from the others` : undefined);
        if (why !== undefined)
          suspects.push({ venue, coin, field: 'funding', value: rate, median, reason: why });
      }
    }
    return suspects;
  }

  #history(name: string): FigureHistory | undefined {
    const known = this.#histories.get(name);
    if (known || this.#histories.size >= HISTORIES_MAX) return known;
    const made = new FigureHistory();
    this.#histories.set(name, made);
    return made;
  }

  /** Histories take turns, so that no check computes all of them. */
  #learn(history: FigureHistory | undefined, place: number, value: number, isUnusual: boolean): void {
    if (!history || !this.#learns) return;
    history.turn ??= this.#histories.size % this.#learnEvery;
    if (this.#checks % this.#learnEvery === history.turn) history.learn(place, value, isUnusual);
  }
}

function nameOf({ field, venue, coin }: Suspect): string {
  return `${field} ${venue} ${coin}`;
}

function ratioReason(
  field: RatioField,
  place: number,
  level: number | undefined,
  history: FigureHistory | undefined,
): string | undefined {
  const is = (): string => `${timesText(Math.exp(place))} the median of the other venues`;
  const off = Math.abs(place - (level ?? 0));
  if (off > Math.log(FACTOR_MAX[field]))
    return level ? `${is()}, other coins ${timesText(Math.exp(level))}` : is();
  if (history?.isFar(place, SIGMAS, LEAST[field]))
    return `${is()}, usually ${timesText(Math.exp(history.median))}`;
  if (!history?.isKnown && level !== undefined && off > Math.log(FRESH_FACTOR))
    return `${is()}, other coins ${timesText(Math.exp(level))}`;
  return history?.isStale ? 'unchanged for longer than usual' : undefined;
}

function slopeReason(slope: number, history: FigureHistory | undefined): string | undefined {
  const is = `rates of this venue are ${timesText(slope)} the median of the others`;
  if (history?.isFar(slope, SLOPE_SIGMAS, SLOPE_LEAST)) return `${is}, usually ${timesText(history.median)}`;
  if (!history?.isKnown && (slope < SLOPE_MIN || slope > SLOPE_MAX)) return is;
  return history?.isStale ? 'all rates of this venue unchanged for longer than usual' : undefined;
}

/** How many times the others' median the rates of a venue are, over all coins; `undefined` for few coins. */
function slopeOf(pairs: readonly { readonly rate: number; readonly median: number }[]): number | undefined {
  const compared = pairs.filter(({ median }) => median !== 0);
  if (compared.length < RATES_MIN) return undefined;
  return weightedMedianOf(compared.map(({ rate, median }) => [rate / median, Math.abs(median)]));
}

/** For each venue and coin the median of the other venues, if there are enough. */
function mediansOfOthers(
  venues: VenueFigures,
  isCompared: (value: number) => boolean,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const byCoin = new Map<string, { readonly venue: string; readonly value: number }[]>();
  for (const [venue, coins] of venues)
    for (const [coin, value] of coins) {
      if (!isCompared(value)) continue;
      const values = byCoin.get(coin) ?? [];
      values.push({ venue, value });
      byCoin.set(coin, values);
    }
  const medians = new Map([...venues.keys()].map((venue) => [venue, new Map<string, number>()]));
  for (const [coin, values] of byCoin) {
    values.sort((a, b) => a.value - b.value);
    for (const [venue, own] of medians) {
      const others = values.filter((one) => one.venue !== venue).map(({ value }) => value);
      if (others.length >= OTHERS_MIN) own.set(coin, middleOf(others));
    }
  }
  return medians;
}

/** `2.1 times` */
function timesText(factor: number): string {
  return `${Number(factor.toPrecision(2))} times`;
}
