import {
  type CoinMatch,
  createCoinMatcher,
  HOUR_MS,
  type PositioningPeriod,
  priceInUnit,
  sizeInUnit,
} from '@crosstape/core';
import { type Known, primaryVenue } from '@crosstape/venues';
import type { Finding } from './finding.ts';

/** The newest tables of a venue. */
export interface VenueFigures {
  readonly venue: string;
  readonly known: Known;
}

/** Share of rows that must be plausible: a few outliers are normal. */
const SANE_SHARE_MIN = 0.95;
/** Venues differ more in open interest and funding than in prices. */
const LOOSE_SHARE_MIN = 0.9;
/** Venues never differ by this much in the price of a coin; a wrong unit differs by far more. */
const PRICE_APART_MAX = 0.05;
/** Open interest lies within this factor of the median venue's; contracts mistaken for coins are a thousand times off. */
const HELD_TIMES_MAX = 300;
/** Open interest in dollars equals that in coins at another venue's price, within this. */
const HELD_APART_MAX = 0.1;
/** Fractions per 8 hours: the largest plausible funding rate, and the largest plausible difference between venues. */
const RATE_8H_MAX = 0.03;
const RATE_APART_MAX = 0.01;
const PERIOD_MS: Readonly<Record<PositioningPeriod, number>> = {
  '15m': HOUR_MS / 4,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
};
/** Coins with less open interest than this on the primary venue, in dollars, are not compared: theirs varies too much. */
const HELD_MIN_USD = 1_000_000;
const EXAMPLES_MAX = 5;

interface Row {
  readonly symbol: string;
  /** Why it is implausible. */
  readonly fault?: string | undefined;
}

/** One finding for a figure of a venue: enough rows must be plausible; those that are not are named. */
function verdict(figure: string, claim: string, rows: readonly Row[], shareMin: number): readonly Finding[] {
  if (rows.length === 0) return [];
  const odd = rows.filter(({ fault }) => fault !== undefined);
  const share = 1 - odd.length / rows.length;
  const examples = odd.slice(0, EXAMPLES_MAX).map(({ symbol, fault }) => `${symbol} ${fault}`);
  const more = odd.length > EXAMPLES_MAX ? ` and ${odd.length - EXAMPLES_MAX} more` : '';
  const detail = `${(100 * share).toFixed(1)} % of ${rows.length} ${claim}`;
  return [
    {
      what: figure,
      verdict: share >= shareMin ? 'ok' : 'fail',
      detail: examples.length > 0 ? `${detail}; not ${examples.join(', ')}${more}` : detail,
    },
  ];
}

/** Compares the figures of every venue with the others': units, size, rates, ages. */
export function judgeFigures(tables: readonly VenueFigures[], nowMs: number): readonly Finding[] {
  const primary = tables.find(({ venue }) => venue === primaryVenue.id)?.known;
  const marks = new Map((primary?.prices ?? []).map(({ coin, mark }) => [coin, mark]));
  const matcher = createCoinMatcher(marks.keys());
  const match: Match = (base) => matcher.match(base);
  const medians = medianHeld(tables, match);
  const rates = new Map((primary?.funding ?? []).map((row) => [row.coin, rate8h(row)]));
  const big = new Set(
    (primary?.openInterest ?? []).flatMap(({ coin, value = 0 }) => (value >= HELD_MIN_USD ? coin : [])),
  );
  return tables.flatMap(({ venue, known }) => [
    ...verdict(`${venue} prices`, `near ${primaryVenue.id}`, pricesOf(known, marks, match), SANE_SHARE_MIN),
    ...verdict(
      `${venue} open interest`,
      'of the size of other venues, the same in dollars and coins',
      heldOf(known, { marks, medians, big, match }),
      LOOSE_SHARE_MIN,
    ),
    ...verdict(
      `${venue} funding`,
      `near ${primaryVenue.id}, next payment in time`,
      fundingOf(known, { rates, match, nowMs }),
      LOOSE_SHARE_MIN,
    ),
    ...verdict(`${venue} positioning`, 'consistent and recent', positioningOf(known, nowMs), SANE_SHARE_MIN),
  ]);
}

type Match = (base: string) => CoinMatch;

function pricesOf(known: Known, marks: ReadonlyMap<string, number>, match: Match): readonly Row[] {
  const { prices = [], spotTickers = [] } = known;
  const all = [
    ...prices.map(({ coin, symbol, mark }) => ({ coin, symbol, price: mark })),
    ...spotTickers
      .filter(({ quote }) => quote.startsWith('USD'))
      .map(({ coin, symbol, last }) => ({ coin, symbol, price: last })),
  ];
  return all.flatMap(({ coin: base, symbol, price }) => {
    const { coin, unit } = match(base);
    const mark = marks.get(coin);
    if (mark === undefined) return [];
    const times = priceInUnit(price, unit) / mark;
    return [
      { symbol, fault: isApart(times, PRICE_APART_MAX) ? `is ${times.toPrecision(3)} times it` : undefined },
    ];
  });
}

/** The median venue's open interest in each coin, in dollars. */
function medianHeld(tables: readonly VenueFigures[], match: Match): ReadonlyMap<string, number> {
  const held = new Map<string, number[]>();
  for (const { known } of tables) {
    const byCoin = new Map<string, number>();
    for (const { coin: base, value = 0 } of known.openInterest ?? []) {
      const { coin } = match(base);
      byCoin.set(coin, (byCoin.get(coin) ?? 0) + value);
    }
    for (const [coin, usd] of byCoin) held.set(coin, [...(held.get(coin) ?? []), usd]);
  }
  const medians = new Map<string, number>();
  for (const [coin, amounts] of held) {
    const sorted = amounts.toSorted((a, b) => a - b);
    if (sorted.length > 1) medians.set(coin, sorted[sorted.length >> 1] ?? 0);
  }
  return medians;
}

interface HeldAgainst {
  readonly marks: ReadonlyMap<string, number>;
  readonly medians: ReadonlyMap<string, number>;
  readonly big: ReadonlySet<string>;
  readonly match: Match;
}

function heldOf(known: Known, { marks, medians, big, match }: HeldAgainst): readonly Row[] {
  const rows = known.openInterest ?? [];
  // The largest contract of a coin represents it.
  const seen = new Set<string>();
  return rows
    .flatMap((row) => (row.value === undefined ? [] : [{ ...row, value: row.value }]))
    .toSorted((a, b) => b.value - a.value)
    .flatMap(({ coin: base, symbol, coins, value }) => {
      const { coin, unit } = match(base);
      const mark = marks.get(coin);
      const median = medians.get(coin);
      if (mark === undefined || median === undefined || !big.has(coin) || seen.has(coin)) return [];
      seen.add(coin);
      const times = value / median;
      const inCoins = (sizeInUnit(coins, unit) * mark) / value;
      if (!(times < HELD_TIMES_MAX && times > 1 / HELD_TIMES_MAX))
        return [{ symbol, fault: `holds ${times.toPrecision(2)} times the median venue` }];
      const fault = isApart(inCoins, HELD_APART_MAX)
        ? `holds ${inCoins.toPrecision(3)} times as much in coins as in dollars`
        : undefined;
      return [{ symbol, fault }];
    });
}

interface FundingAgainst {
  readonly rates: ReadonlyMap<string, number>;
  readonly match: Match;
  readonly nowMs: number;
}

function fundingOf(known: Known, { rates, match, nowMs }: FundingAgainst): readonly Row[] {
  return (known.funding ?? []).map((row) => {
    const { coin: base, symbol, periodHours, nextFundingMs } = row;
    const rate = rate8h(row);
    const theirs = rates.get(match(base).coin) ?? rate;
    const dueMs = nextFundingMs === undefined ? 0 : nextFundingMs - nowMs;
    if (Math.abs(rate) > RATE_8H_MAX) return { symbol, fault: `pays ${rate} in 8 h` };
    if (Math.abs(rate - theirs) > RATE_APART_MAX)
      return { symbol, fault: `pays ${rate}, not ${theirs} in 8 h` };
    if (!(dueMs > -60_000 && dueMs <= (periodHours + 1) * HOUR_MS))
      return { symbol, fault: `pays in ${(dueMs / HOUR_MS).toFixed(1)} h, every ${periodHours}` };
    return { symbol };
  });
}

function positioningOf(known: Known, nowMs: number): readonly Row[] {
  return (known.positioning ?? []).map(({ symbol, period, longFraction, longShortRatio, asOfMs }) => {
    const ratio = longFraction / (1 - longFraction);
    const periods = (nowMs - asOfMs) / PERIOD_MS[period];
    const name = `${symbol} ${period}`;
    if (isApart(longShortRatio / ratio, PRICE_APART_MAX))
      return { symbol: name, fault: `has ${longShortRatio} long to short, by its share ${ratio.toFixed(4)}` };
    return { symbol: name, fault: periods > 3 ? `is ${periods.toFixed(1)} periods old` : undefined };
  });
}

function rate8h({ rate, periodHours }: { readonly rate: number; readonly periodHours: number }): number {
  return (rate * 8) / periodHours;
}

function isApart(ratio: number, max: number): boolean {
  return !(Math.abs(Math.log(ratio)) <= max);
}
