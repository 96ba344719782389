import type { FailingSource } from '@crosstape/core';
import { type Static, type TObject, Type } from 'typebox';
import { agedReport } from './aged-report.ts';
import { quoteFollowings } from './flow-demand.ts';
import { type PriceFigures, priceFigures } from './flow-figures.ts';
import { type Dated, type FlowReport, flowTopic } from './flow-report.ts';
import { joinedSources, type PriceFailures, priceFailures } from './flow-sources.ts';
import { koreanSource, type Latest, listedPairs, readKorea, readSpots } from './flow-inputs.ts';
import type { KimchiPremium } from './kimchi-premium.ts';
import type { VenueSpreads } from './venue-spreads.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import { Failure } from '../../platform/errors.ts';
import { snapshotTopic } from '../../topics.ts';
import { findCoins, indexCoins } from '../markets/coins.ts';
import { coinsAmong } from '../markets/known-coin.ts';
import { type Explained, explainFlows } from './explain-flows.ts';
import { choice } from '../../http/parameter.ts';
import { wantSpotPairs } from '../spot/read-spot.ts';
import type { Meta } from '../../http/envelope.ts';
import type { flowsMeta } from './meta-schema.ts';
import type { Context } from '../context.ts';

const RETRY_AFTER_SECONDS = 5;
/** Figures from tables change every second. */
const REUSE_MS = 1_000;

/** The parameter of every endpoint about flows. */
export const explain = Type.Optional(
  choice(['1'], {
    description: 'Adds `meta.explain`: formulas, inputs and excluded inputs.',
    examples: ['1'],
  }),
);

/** Spot and Korean figures of a coin, followed or not. */
export interface PriceReading {
  readonly coin: string;
  readonly atMs: number;
  readonly figures: PriceFigures;
  readonly spreads?: Dated<VenueSpreads> | undefined;
  readonly kimchi?: Dated<KimchiPremium> | undefined;
  readonly failures: PriceFailures;
}

/** For a followed coin the last report; for any other the same, computed now. */
export function readPrices(context: Context, coin: string): PriceReading {
  const latest: Latest = (topic) => context.latest(topic);
  const isFollowed = context.resources.flowCoins.includes(coin);
  const report = isFollowed ? readReport(context, coin, latest) : undefined;
  if (report) {
    const { atMs, figures, parts, failures } = report;
    return { coin, atMs, figures, spreads: parts.spreads, kimchi: parts.kimchi, failures };
  }
  const { nowMs: atMs } = context;
  const spots = readSpots(latest, atMs);
  const figures = priceFigures({ coin, nowMs: atMs, spots, korea: readKorea(latest) });
  const { spreads, kimchi } = figures;
  return {
    coin,
    atMs,
    figures,
    spreads: spreads && { part: spreads, atMs },
    kimchi: typeof kimchi === 'object' ? { part: kimchi, atMs } : undefined,
    failures: priceFailures(coin, figures, latest, atMs),
  };
}

/** The newest report of a followed coin, as it is served now. */
export function readReport(context: Context, coin: string, latest: Latest): FlowReport | undefined {
  const report = latest(flowTopic(coin));
  const { primaryVenue } = context.resources;
  return report && agedReport(report, context.nowMs, { latest, primaryVenue });
}

/** The newest reports of followed coins, as far as there are any. */
export async function readReports(
  context: Context,
  coins: readonly string[],
): Promise<readonly FlowReport[]> {
  const topics = coins.map(flowTopic);
  const { bus } = context.resources;
  await context.waitUntil(() => topics.every((topic) => bus.latest(topic) !== undefined), topics);
  const latest: Latest = (topic) => context.latest(topic);
  return coins.flatMap((coin) => readReport(context, coin, latest) ?? []);
}

/** A price of any of these coins is waited for, but not for long. */
export async function waitForPrices(context: Context, coins: readonly string[]): Promise<void> {
  const { bus, flowCoins } = context.resources;
  const followed = coins.filter((coin) => flowCoins.includes(coin)).map(flowTopic);
  const spots = spotVenueNames.map(({ source }) => snapshotTopic(source, 'spotTickers'));
  if (followed.length > 0) {
    const hasSpreads = (): boolean => followed.some((topic) => bus.latest(topic)?.message.parts.spreads);
    await context.waitUntil(hasSpreads, followed);
  }
  if (followed.length === coins.length) return;
  await context.waitUntil(() => spots.some((topic) => bus.latest(topic) !== undefined), spots);
  for (const following of quoteFollowings(coins)) context.follow(following);
  await wantSpotPairs(context, coins);
}

/** Resolves coins: followed ones first, then those listed on any venue. */
export async function flowCoinsOf(
  context: Context,
  texts: readonly string[],
): Promise<ReturnType<typeof findCoins>> {
  const { bus, flowCoins, primaryVenue } = context.resources;
  const followed = findCoins(indexCoins(flowCoins), texts);
  if (followed.unknown.length === 0) return followed;
  const instruments = snapshotTopic(primaryVenue, 'instruments');
  await context.waitUntil(() => bus.latest(instruments) !== undefined, [instruments]);
  const latest: Latest = (topic) => context.latest(topic);
  const known = new Set([...flowCoins, ...(latest(instruments)?.rows ?? []).map(({ coin }) => coin)]);
  for (const { source } of spotVenueNames)
    for (const { coin } of listedPairs(latest, source)) known.add(coin);
  for (const { coin } of latest(snapshotTopic(koreanSource, 'spotTickers'))?.rows ?? []) known.add(coin);
  return coinsAmong(known, texts);
}

/** Default of the followed coins, which an operator may change. */
const flowCoinsByDefault = ['BTC', 'ETH', 'SOL'];

/** The coins of a list that are followed, and the rest of it. */
export async function followedCoins(
  context: Context,
  texts: readonly string[] | undefined,
): Promise<{ coins: readonly string[]; unknown: readonly string[]; notFollowed: readonly string[] }> {
  const { flowCoins } = context.resources;
  if (!texts) {
    const coins = flowCoinsByDefault.filter((coin) => flowCoins.includes(coin));
    return { coins, unknown: [], notFollowed: [] };
  }
  const asked = await flowCoinsOf(context, texts);
  const coins = asked.coins.filter((coin) => flowCoins.includes(coin));
  const notFollowed = asked.coins.filter((coin) => !flowCoins.includes(coin));
  if (coins.length === 0) throw notFollowing(notFollowed, flowCoins);
  return { coins, unknown: asked.unknown, notFollowed };
}

function notFollowing(coins: readonly string[], followed: readonly string[]): Failure {
  return new Failure(
    'not_found',
    `The flows of ${coins.join(', ')} are not followed, only those of ${followed.join(', ')}.`,
  );
}

export interface FlowsMeta {
  readonly context: Context;
  /** The sources of the answer. */
  readonly names: readonly string[];
  readonly fetchedAt: number;
  readonly failing: readonly (readonly FailingSource[])[];
  /** When the oldest of its parts was made; absent when all are of now. */
  readonly staleSinceMs?: number | undefined;
  readonly explained?: {
    readonly kind: Parameters<typeof explainFlows>[0];
    readonly coins: readonly Explained[];
  };
}

/** `meta` of an answer about flows. */
export function metaOfFlows({
  context,
  names,
  fetchedAt,
  failing,
  staleSinceMs,
  explained,
}: FlowsMeta): Static<typeof Meta> & Static<TObject<typeof flowsMeta>> {
  const sources = joinedSources(failing);
  return {
    fetchedAt,
    source: context.label([...new Set(names)]),
    ...(staleSinceMs !== undefined && {
      stale: true,
      // The inputs had that age already.
      ageMs: Math.max(0, context.nowMs - Math.min(staleSinceMs, fetchedAt)),
    }),
    partial: sources.length > 0,
    sources,
    ...(explained && { explain: explainFlows(explained.kind, explained.coins) }),
  };
}

export function reusableUntilMs({ nowMs }: Context): number {
  return nowMs + REUSE_MS;
}

/** Nothing can be served: why, and which sources are to blame. */
export function flowsUnavailable(
  context: Context,
  why: string,
  names: readonly string[],
  failing: readonly (readonly FailingSource[])[],
): Failure {
  const sources = joinedSources(failing);
  const reasons = sources.map(({ error }) => error ?? '').filter((error) => error !== '');
  return new Failure('upstream_unavailable', [why, ...reasons].join(' '), {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    meta: { source: context.label(names), sources },
  });
}
