import type { Clock, FailingSource } from '@crosstape/core';
import type { Bus } from '../../platform/bus.ts';
import { wasSetBack } from '../../platform/set-back.ts';
import { healthTopic, snapshotTopic, type UsdRates, usdRatesTopic } from '../../topics.ts';
import { failingSource, healthOf } from '../../health/failing-source.ts';
import { type Latest, listedPairs, readSpots } from '../flows/flow-inputs.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import { pairPrices, SPOT_STALE_MS, usdRate, type VenueSpot } from './usdt-rate.ts';

/** The quote currencies of contracts besides the dollar. */
const CURRENCIES = ['USDT', 'USDC'] as const;
/** The spot venues whose pairs against the dollar make the rates. */
const RATE_VENUES: readonly string[] = ['coinbase', 'kraken'];
const CHECK_EVERY_MS = 1_000;
/** Answers are made again with each publication: a rate that moved waits for this long. */
const PUBLISH_EVERY_MS = 30_000;

export interface WatchUsdRatesOptions {
  readonly clock: Clock;
  readonly bus: Bus;
}

/**
 * Publishes the rates of stablecoins in dollars: at once when a rate appears, becomes stale or recovers, else every 30
 * s.
 */
export function watchUsdRates({ clock, bus }: WatchUsdRatesOptions): { stop(): void } {
  const latest: Latest = (topic) => bus.latest(topic)?.message;
  let publishedAtMs = Number.NEGATIVE_INFINITY;
  let known = '';
  const check = (): void => {
    const nowMs = clock.now();
    const rates = usdRatesAt(latest, nowMs);
    const state = stateOf(rates);
    const isDue = nowMs - publishedAtMs >= PUBLISH_EVERY_MS || wasSetBack(publishedAtMs, nowMs);
    if (state === known && !isDue) return;
    known = state;
    publishedAtMs = nowMs;
    bus.publish(usdRatesTopic, rates);
  };
  const timer = clock.every(CHECK_EVERY_MS, check);
  return { stop: () => timer.cancel() };
}

/** The rates by the newest prices, and which of their sources fail. */
function usdRatesAt(latest: Latest, nowMs: number): UsdRates {
  const spots = readSpots(latest, nowMs).filter(({ venue }) => RATE_VENUES.includes(venue));
  const rates = CURRENCIES.flatMap((currency) => {
    const rate = usdRate(currency, spots, nowMs);
    return rate ? [[currency, rate] as const] : [];
  });
  const failing = CURRENCIES.map(
    (currency) => [currency, failingSources(currency, spots, latest, nowMs)] as const,
  );
  return { atMs: nowMs, rates: Object.fromEntries(rates), failing: Object.fromEntries(failing) };
}

/** Changes that are published at once. */
function stateOf({ rates, failing }: UsdRates): string {
  const sources = Object.values(failing).flat();
  return JSON.stringify([
    Object.entries(rates).map(([currency, { isStale }]) => [currency, isStale]),
    sources.map(({ source, status, error }) => [source, status, error]),
  ]);
}

/** The sources of a rate without a fresh price. A venue that does not list the pair is not a source. */
function failingSources(
  currency: string,
  spots: readonly VenueSpot[],
  latest: Latest,
  nowMs: number,
): readonly FailingSource[] {
  return spotVenueNames.flatMap(({ venue, source }) => {
    if (!RATE_VENUES.includes(venue)) return [];
    const isPair = (pair: { readonly coin: string; readonly quote?: string }): boolean =>
      pair.coin === currency && pair.quote === 'USD';
    const listed = listedPairs(latest, source);
    if (listed.length > 0 && !listed.some(isPair)) return [];
    const spot = spots.find((one) => one.venue === venue);
    const asOfMs = spot && pairPrices(spot, spot.tickers.rows.findIndex(isPair))?.asOfMs;
    if (asOfMs !== undefined && nowMs - asOfMs <= SPOT_STALE_MS) return [];
    const polledMs = latest(snapshotTopic(source, 'spotTickers'))?.fetchedAtMs;
    const sinceMs = asOfMs ?? polledMs;
    const health = healthOf(latest(healthTopic(source)), 'spotTickers');
    const ageMs = sinceMs === undefined ? undefined : nowMs - sinceMs;
    return failingSource({ venue: source, words: `${currency}/USD rate`, health, ageMs });
  });
}
