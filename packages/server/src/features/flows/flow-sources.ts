import type { FailingSource, TableName } from '@crosstape/core';
import { asOfMs, freshMsOf, healthTopic, snapshotTopic } from '../../topics.ts';
import { failingSource, healthOf } from '../../health/failing-source.ts';
import type { SourceRef } from '../../health/feed-state.ts';
import { failingRateSources } from '../rates/quote-worth.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import { fxSources } from '../rates/usd-krw.ts';
import type { FlowFigures, PriceFigures } from './flow-figures.ts';
import { etfAssets, etfSource, koreanSource, type Latest, listedPairs } from './flow-inputs.ts';
import { proxyVenue } from './etf-proxy.ts';

/** An input of a figure: a table, or trades, of one publisher. */
interface FlowSource extends SourceRef {
  readonly gives: TableName | 'trades';
  readonly words: string;
}

export const spotSources: readonly FlowSource[] = spotVenueNames.map(({ source }) => ({
  publisher: source,
  gives: 'spotTickers',
  words: 'spot prices',
}));

export const koreanSources: readonly FlowSource[] = [
  { publisher: koreanSource, gives: 'spotTickers', words: 'spot prices' },
  { publisher: koreanSource, gives: 'spotBooks', words: 'spot book' },
];

export const fxRateSources: readonly FlowSource[] = fxSources.map((publisher) => ({
  publisher,
  gives: 'exchangeRates',
  words: 'exchange rate',
}));

export const proxyTapeSources: readonly FlowSource[] = [
  { publisher: proxyVenue.source, gives: 'trades', words: 'trades' },
];

export function etfSources(coin: string): readonly FlowSource[] {
  const asset = etfAssets[coin];
  return asset ? [{ publisher: etfSource, gives: `${asset}EtfFlows`, words: `${asset} ETF flows` }] : [];
}

/** The failing sources, by what they supply. */
export interface PriceFailures {
  readonly spot: readonly FailingSource[];
  readonly korea: readonly FailingSource[];
}

export interface FlowFailures extends PriceFailures {
  readonly proxyTape: readonly FailingSource[];
  readonly etf: readonly FailingSource[];
  readonly primaryTape: readonly FailingSource[];
}

export function priceFailures(
  coin: string,
  figures: PriceFigures,
  latest: Latest,
  nowMs: number,
): PriceFailures {
  return {
    spot: joinedSources([
      failingOf(spotSources, latest, nowMs),
      oldPrices(coin, figures, nowMs),
      failingRateSources(latest, currenciesOf(figures), nowMs),
      missingPrices(coin, figures, latest),
    ]),
    korea: failingOf([...koreanSources, ...fxRateSources], latest, nowMs),
  };
}

/** The currencies that prices were converted from, or could not be. The Korean premium needs the rate of USDT, too. */
function currenciesOf({ prices, unpriced }: PriceFigures): ReadonlySet<string> {
  return new Set(['USDT', ...[...prices, ...unpriced].map(({ quote }) => quote)]);
}

export function flowFailures(figures: FlowFigures, primaryVenue: string, latest: Latest): FlowFailures {
  const { coin, atMs } = figures;
  const primaryTape: readonly FlowSource[] = [{ publisher: primaryVenue, gives: 'trades', words: 'trades' }];
  return {
    ...priceFailures(coin, figures, latest, atMs),
    proxyTape: failingOf(proxyTapeSources, latest, atMs),
    etf: failingOf(etfSources(coin), latest, atMs),
    primaryTape: failingOf(primaryTape, latest, atMs),
  };
}

/** The failing ones among the sources. */
function failingOf(sources: readonly FlowSource[], latest: Latest, nowMs: number): readonly FailingSource[] {
  return sources.flatMap((source) => failure(source, latest, nowMs) ?? []);
}

function failure(
  { publisher, gives, words }: FlowSource,
  latest: Latest,
  nowMs: number,
): FailingSource | undefined {
  const health = healthOf(latest(healthTopic(publisher)), gives);
  const isOk = health === undefined || health.status === 'ok';
  if (gives === 'trades') {
    if (health && isOk) return undefined;
    const { lastGoodMs } = health ?? {};
    const ageMs = lastGoodMs === undefined ? undefined : Math.max(0, nowMs - lastGoodMs);
    return failingSource({ venue: publisher, words, health, ageMs });
  }
  const table = latest(snapshotTopic(publisher, gives));
  if (table && isOk && nowMs - asOfMs(table) <= freshMsOf(table)) return undefined;
  const ageMs = table && Math.max(0, nowMs - asOfMs(table));
  return failingSource({ venue: publisher, words, health, ageMs });
}

/** Data missing from a venue whose source is healthy: current prices, or a conversion rate. */
function oldPrices(
  coin: string,
  { prices, unpriced, usdtRate }: Pick<PriceFigures, 'prices' | 'unpriced' | 'usdtRate'>,
  nowMs: number,
): readonly FailingSource[] {
  const stale = prices
    .filter(({ isStale }) => isStale)
    .map(({ venue, quote, asOfMs: pricedAtMs }): FailingSource => {
      const ageMs = Math.max(0, nowMs - pricedAtMs);
      const error =
        quote === 'USDT' && usdtRate?.isStale
          ? 'The newest rate of USDT is old.'
          : `The newest price of ${coin} on ${venue} is old.`;
      return { source: sourceOf(venue), status: 'stale', ageMs, error, coins: [coin] };
    });
  const unknown = unpriced.map(
    ({ venue, quote }): FailingSource => ({
      source: sourceOf(venue),
      status: 'stale',
      ageMs: null,
      error: `No USD rate is known for ${quote}.`,
      coins: [coin],
    }),
  );
  return [...stale, ...unknown];
}

/** Venues that list a coin and have not sent its price: those that serve pairs one by one, when first requested. */
function missingPrices(
  coin: string,
  { prices, unpriced }: Pick<PriceFigures, 'prices' | 'unpriced'>,
  latest: Latest,
): readonly FailingSource[] {
  const reported = new Set([...prices, ...unpriced].map(({ venue }) => venue));
  return spotVenueNames
    .filter(({ venue, source }) => !reported.has(venue) && isListed(latest, source, coin))
    .map(({ venue, source }): FailingSource => {
      const error = `${venue} has not sent prices of some listed coins yet; retry in a moment.`;
      return { source, status: 'stale', ageMs: null, error, coins: [coin] };
    });
}

/** Whether a spot venue lists a coin, as far as it is connected. */
function isListed(latest: Latest, source: string, coin: string): boolean {
  return listedPairs(latest, source).some((pair) => pair.coin === coin);
}

function sourceOf(venue: string): string {
  return spotVenueNames.find((name) => name.venue === venue)?.source ?? venue;
}

/** Unique sources. For one that fails as a whole, the affected coins are not listed. */
export function joinedSources(lists: readonly (readonly FailingSource[])[]): FailingSource[] {
  const all = lists.flat();
  const whole = new Map(all.filter(({ coins }) => !coins).map((entry) => [entry.source, entry]));
  const publishers = new Set([...whole.keys()].map(publisherOf));
  const some = new Map<string, FailingSource>();
  for (const entry of all) {
    if (!entry.coins || publishers.has(publisherOf(entry.source))) continue;
    // Never sent is different from old.
    const key = `${entry.source} ${entry.ageMs === null}`;
    const coins = new Set([...(some.get(key)?.coins ?? []), ...entry.coins]);
    some.set(key, { ...entry, coins: [...coins] });
  }
  return [...whole.values(), ...some.values()];
}

function publisherOf(source: string): string {
  return source.split(':')[0] as string;
}
