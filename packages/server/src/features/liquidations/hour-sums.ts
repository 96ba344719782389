import { type ConnectedSpan, HOUR_MS, type Liquidation, roundTo } from '@crosstape/core';
import { joinSpans } from './join-spans.ts';

/** Coins of one hour that are kept; those beyond it count for their venue only. */
const COINS_MAX = 1_000;
const USD_DECIMALS = 2;

/** Dollars of longs, dollars of shorts, number of liquidations. */
export type Liquidated = readonly [longUsd: number, shortUsd: number, count: number];

export interface VenueHour {
  /** How long its feed was connected within the hour. */
  readonly connectedMs: number;
  /** Reported by the venue; absent if none were. */
  readonly measured?: Liquidated;
  /** Inferred from its tape; absent if none were. */
  readonly inferred?: Liquidated;
}

/** The liquidations of one hour. */
export interface HourOfLiquidations {
  readonly venues: Readonly<Record<string, VenueHour>>;
  readonly coins: Readonly<Record<string, readonly [longUsd: number, shortUsd: number]>>;
  /** The rate of a quote currency was unknown for some: these count each unit as one dollar. */
  readonly unconverted?: true;
}

type Sum = [longUsd: number, shortUsd: number, count: number];

/** Start of the hour that a time is in. */
export function hourOf(ts: number): number {
  return Math.floor(ts / HOUR_MS) * HOUR_MS;
}

/** Adds up the liquidations of one hour. */
export class HourSums {
  readonly #venues = new Map<string, { readonly measured: Sum; readonly inferred: Sum }>();
  readonly #coins = new Map<string, [number, number]>();
  #isUnconverted = false;

  add({ venue, coin, side, notionalUsd, inferred, isUnconverted }: Liquidation): void {
    let known = this.#venues.get(venue);
    if (!known) this.#venues.set(venue, (known = { measured: [0, 0, 0], inferred: [0, 0, 0] }));
    const sum = inferred ? known.inferred : known.measured;
    const at = side === 'sell' ? 0 : 1;
    sum[at] += notionalUsd;
    sum[2] += 1;
    if (isUnconverted) this.#isUnconverted = true;
    const ofCoin = this.#coins.get(coin);
    if (ofCoin) ofCoin[at] += notionalUsd;
    else if (this.#coins.size < COINS_MAX)
      this.#coins.set(coin, at === 0 ? [notionalUsd, 0] : [0, notionalUsd]);
  }

  /** With how long each venue was connected. */
  hour(connectedMs: ReadonlyMap<string, number>): HourOfLiquidations {
    const ids = new Set([...this.#venues.keys(), ...connectedMs.keys()]);
    const venues = [...ids].toSorted().map((venue): [string, VenueHour] => {
      const { measured, inferred } = this.#venues.get(venue) ?? {};
      return [
        venue,
        {
          connectedMs: connectedMs.get(venue) ?? 0,
          ...(measured?.[2] && { measured: rounded(measured) }),
          ...(inferred?.[2] && { inferred: rounded(inferred) }),
        },
      ];
    });
    const coins = [...this.#coins]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([coin, [long, short]]) => [coin, [inCents(long), inCents(short)]] as const);
    return {
      venues: Object.fromEntries(venues),
      coins: Object.fromEntries(coins),
      ...(this.#isUnconverted && { unconverted: true }),
    };
  }
}

/** How long each venue was connected within `fromMs <= t < toMs`; venues that were not are left out. */
export function connectedWithin(
  spans: readonly ConnectedSpan[],
  fromMs: number,
  toMs: number,
): ReadonlyMap<string, number> {
  const byVenue = new Map<string, ConnectedSpan[]>();
  for (const span of spans) {
    const clipped = { ...span, from: Math.max(span.from, fromMs), to: Math.min(span.to, toMs) };
    if (clipped.from < clipped.to) byVenue.set(span.venue, [...(byVenue.get(span.venue) ?? []), clipped]);
  }
  return new Map(
    [...byVenue].map(([venue, own]) => [
      venue,
      joinSpans(own).reduce((ms, { from, to }) => ms + to - from, 0),
    ]),
  );
}

function rounded([longUsd, shortUsd, count]: Sum): Liquidated {
  return [inCents(longUsd), inCents(shortUsd), count];
}

function inCents(usd: number): number {
  return roundTo(usd, USD_DECIMALS);
}
