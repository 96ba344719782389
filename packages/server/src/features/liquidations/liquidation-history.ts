import { DAY_MS, HOUR_MS, roundTo } from '@crosstape/core';
import type { Static } from 'typebox';
import type { LiquidationHistory } from './history-schema.ts';
import type { HourOfLiquidations, Liquidated, VenueHour } from './hour-sums.ts';
import type { StoredHour } from './hour-table.ts';

const COINS_LISTED = 20;
const USD_DECIMALS = 2;
const SHARE_DECIMALS = 4;
/** Less missing time in an hour than this is an ordinary reconnect. */
const GAP_MIN_MS = 60_000;

type History = Static<typeof LiquidationHistory>;
type Point = History['points'][number];
type VenueRow = History['venues'][number];

interface Totals {
  longUsd: number;
  shortUsd: number;
  count: number;
}

interface VenueSum {
  readonly measured: Totals;
  readonly inferred: Totals;
  readonly sinceTs: number;
  connectedMs: number;
}

interface PointSum {
  readonly measured: Totals;
  readonly inferred: Totals;
  readonly byVenue: Map<string, [number, number]>;
  /** Of each recorded hour, how long each venue was connected. */
  readonly hours: ReadonlyMap<string, number>[];
  isUnconverted: boolean;
}

/** Adds up recorded hours by hour or UTC day, by venue and by coin. */
export class HistoryFold {
  readonly #stepMs: number;
  readonly #points = new Map<number, PointSum>();
  readonly #venues = new Map<string, VenueSum>();
  readonly #coins = new Map<string, [number, number]>();
  #firstTs: number | undefined;

  constructor(interval: History['interval']) {
    this.#stepMs = interval === '1d' ? DAY_MS : HOUR_MS;
  }

  /** Hours in ascending order. */
  add({ ts, hour }: StoredHour): void {
    this.#firstTs ??= ts;
    const start = Math.floor(ts / this.#stepMs) * this.#stepMs;
    let point = this.#points.get(start);
    if (!point) this.#points.set(start, (point = newPoint()));
    for (const [venue, one] of Object.entries(hour.venues)) {
      this.#addVenue(ts, venue, one);
      addVenueTo(point, venue, one);
    }
    point.hours.push(connectionsOf(hour));
    if (hour.unconverted) point.isUnconverted = true;
    for (const [coin, [long, short]] of Object.entries(hour.coins)) addPair(this.#coins, coin, long, short);
  }

  points(nowMs: number): readonly Point[] {
    const needed = [...this.#venues.keys()];
    return [...this.#points].map(([ts, { measured, inferred, byVenue, hours, isUnconverted }]) => ({
      ts,
      longUsd: inCents(measured.longUsd + inferred.longUsd),
      shortUsd: inCents(measured.shortUsd + inferred.shortUsd),
      measured: rounded(measured),
      inferred: rounded(inferred),
      byVenue: Object.fromEntries(
        [...byVenue].map(([venue, sum]): [string, [number, number]] => [
          venue,
          [inCents(sum[0]), inCents(sum[1])],
        ]),
      ),
      complete:
        ts + this.#stepMs <= nowMs &&
        hours.length * HOUR_MS === this.#stepMs &&
        hours.every((connected) =>
          needed.every((venue) => (connected.get(venue) ?? 0) > HOUR_MS - GAP_MIN_MS),
        ),
      ...(isUnconverted && { unconverted: true }),
    }));
  }

  venues(nowMs: number): readonly VenueRow[] {
    const elapsedMs = nowMs - (this.#firstTs ?? nowMs);
    return [...this.#venues]
      .map(([venue, { measured, inferred, sinceTs, connectedMs }]): VenueRow => {
        const [isMeasured, isInferred] = [measured.count > 0, inferred.count > 0];
        const one = isMeasured ? 'measured' : 'inferred';
        return {
          venue,
          longUsd: inCents(measured.longUsd + inferred.longUsd),
          shortUsd: inCents(measured.shortUsd + inferred.shortUsd),
          count: measured.count + inferred.count,
          method: isMeasured && isInferred ? 'both' : isMeasured || isInferred ? one : null,
          sinceTs,
          connectedShare: elapsedMs > 0 ? roundTo(Math.min(1, connectedMs / elapsedMs), SHARE_DECIMALS) : 0,
        };
      })
      .toSorted(byUsd);
  }

  coins(): History['coins'] {
    return [...this.#coins]
      .map(([coin, [long, short]]) => ({ coin, longUsd: inCents(long), shortUsd: inCents(short) }))
      .toSorted(byUsd)
      .slice(0, COINS_LISTED);
  }

  #addVenue(ts: number, venue: string, { measured, inferred, connectedMs }: VenueHour): void {
    let sum = this.#venues.get(venue);
    if (!sum) {
      sum = { measured: nothing(), inferred: nothing(), sinceTs: ts, connectedMs: 0 };
      this.#venues.set(venue, sum);
    }
    addTo(sum.measured, measured);
    addTo(sum.inferred, inferred);
    sum.connectedMs += connectedMs;
  }
}

function addVenueTo(point: PointSum, venue: string, { measured, inferred }: VenueHour): void {
  addTo(point.measured, measured);
  addTo(point.inferred, inferred);
  for (const one of [measured, inferred]) if (one) addPair(point.byVenue, venue, one[0], one[1]);
}

function addPair(sums: Map<string, [number, number]>, key: string, long: number, short: number): void {
  const sum = sums.get(key);
  if (!sum) {
    sums.set(key, [long, short]);
    return;
  }
  sum[0] += long;
  sum[1] += short;
}

function addTo(totals: Totals, added: Liquidated | undefined): void {
  if (!added) return;
  totals.longUsd += added[0];
  totals.shortUsd += added[1];
  totals.count += added[2];
}

function connectionsOf({ venues }: HourOfLiquidations): ReadonlyMap<string, number> {
  return new Map(Object.entries(venues).map(([venue, { connectedMs }]) => [venue, connectedMs]));
}

function newPoint(): PointSum {
  return {
    measured: nothing(),
    inferred: nothing(),
    byVenue: new Map(),
    hours: [],
    isUnconverted: false,
  };
}

function nothing(): Totals {
  return { longUsd: 0, shortUsd: 0, count: 0 };
}

function rounded({ longUsd, shortUsd, count }: Totals): Totals {
  return { longUsd: inCents(longUsd), shortUsd: inCents(shortUsd), count };
}

function inCents(usd: number): number {
  return roundTo(usd, USD_DECIMALS);
}

function byUsd(
  a: { readonly longUsd: number; readonly shortUsd: number },
  b: { readonly longUsd: number; readonly shortUsd: number },
): number {
  return b.longUsd + b.shortUsd - a.longUsd - a.shortUsd;
}
