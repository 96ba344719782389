import { coinUnitsOf, notionalUsdOf, type Trade, unitsAt } from '@crosstape/core';
import type { TopicName } from '../../gateway/gateway-channel.ts';
import type { SourceGroups } from '../../health/feed-state.ts';
import type { Bus, LatestTopic } from '../../platform/bus.ts';
import { Failure } from '../../platform/errors.ts';
import { type RecordedMarket, recordedMarketsTopic } from '../../topics.ts';
import type { TapeCoverage } from '../tape/tape-coverage.ts';
import type { TapeReader } from '../tape/tape-reader.ts';
import { usdRateNow } from '../rates/usd-rate-now.ts';
import type { MarketReader } from './market-reader.ts';

/** The tape of a coin of the primary venue or of a market, as subscribers follow it. */
export interface FollowedTape {
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  /** Its name on the tape: a coin, or the symbol of a market. */
  readonly coin: string;
  /** A trade of `tape.topicOf(coin)`, which is in the market's own unit, in coins. */
  readonly inCoins: (trade: Trade) => Trade;
  /** Set for another venue than the primary. */
  readonly market?: RecordedMarket;
}

export interface TapeHolder {
  readonly bus: Bus;
  readonly tape: TapeReader;
  readonly coverage: TapeCoverage;
  /** The tapes of other venues; absent where only the primary's is recorded. */
  readonly markets?: MarketReader | undefined;
}

/**
 * Markets that were recorded before, or will be once their history is created, of venues whose recording has not begun:
 * they can be subscribed to, and deliver nothing yet.
 */
export const awaitedMarketsTopic: LatestTopic<readonly RecordedMarket[]> = {
  name: 'awaited-markets',
  keep: { kind: 'latest' },
};

/** Markets that can be followed: those that are recorded now, and those whose venue is about to be. */
export function followableMarkets(bus: Bus): readonly RecordedMarket[] {
  const messageOf = (topic: typeof recordedMarketsTopic) => bus.latest(topic)?.message ?? [];
  return [...messageOf(recordedMarketsTopic), ...messageOf(awaitedMarketsTopic)];
}

/** One of them, by its id. */
export function followableMarket(bus: Bus, id: string): RecordedMarket | undefined {
  return followableMarkets(bus).find((market) => market.id === id);
}

/** The tape behind a topic. Throws a `Failure` when its market is no longer recorded. */
export function followedTape(
  { bus, tape, coverage, markets }: TapeHolder,
  { symbol, market: id }: TopicName,
): FollowedTape {
  if (id === undefined) return { tape, coverage, coin: symbol, inCoins: (trade) => trade };
  const market = followableMarket(bus, id);
  if (!markets || !market) throw new Failure('not_found', `Market ${id} is no longer recorded.`);
  return { ...markets.open(market), coin: market.symbol, market, inCoins: tradesInCoins(bus, market) };
}

/**
 * Converts the trades of a market's topic: coin, price and size are the primary venue's. The quote currency of prices is
 * not converted; `notionalUsd` is at the rate of now.
 */
function tradesInCoins(bus: Bus, market: RecordedMarket): (trade: Trade) => Trade {
  const newest = coinUnitsOf(market);
  const { coin, quote, unitsBefore } = market;
  return (trade) => {
    const units = unitsBefore ? coinUnitsOf(unitsAt(market, trade.ts)) : newest;
    const price = units.price(trade.price);
    const size = units.size(trade.size);
    return { ...trade, coin, price, size, notionalUsd: notionalUsdOf(price * usdRateNow(bus, quote), size) };
  };
}

/** The feed of a topic's trades. */
export function tradeSources(
  { market: id }: TopicName,
  { bus, primaryVenue }: { readonly bus: Bus; readonly primaryVenue: string },
): SourceGroups {
  const market = id === undefined ? undefined : followableMarket(bus, id);
  return market
    ? [[{ publisher: market.publisher, gives: 'market-trades' }]]
    : [[{ publisher: primaryVenue, gives: 'trades' }]];
}

/** The feeds of all recorded markets' trades, or of one coin's. */
export function allTradeSources(
  coin: string | undefined,
  { bus, primaryVenue }: { readonly bus: Bus; readonly primaryVenue: string },
): SourceGroups {
  const markets = bus.latest(recordedMarketsTopic)?.message ?? [];
  const wanted = markets.filter((market) => coin === undefined || market.coin === coin);
  const publishers = [...new Set(wanted.map(({ publisher }) => publisher))].toSorted();
  const others = publishers.map((publisher) => ({ publisher, gives: 'market-trades' }));
  return [[{ publisher: primaryVenue, gives: 'trades' }, ...others]];
}
