import { pairByCoin } from '@crosstape/core';
import { type Demand, type Following, snapshotTopic } from '../../topics.ts';
import { spotVenueNames } from '../spot/spot-venues.ts';
import { koreanSource, type Latest } from './flow-inputs.ts';

/** On-demand data that the followed coins need, pair by pair. */
export function flowDemands(coins: readonly string[], latest: Latest): readonly Demand[] {
  const wanted = new Set(coins);
  const spot = spotVenueNames.flatMap(({ source, byPair }): Demand[] => {
    const listed = latest(snapshotTopic(source, 'instruments'))?.rows ?? [];
    const keys = [...pairByCoin(listed, wanted).values()].map(({ symbol }) => symbol);
    return byPair.map((table) => ({ venue: source, table, keys }));
  });
  const korean = (latest(snapshotTopic(koreanSource, 'spotTickers'))?.rows ?? [])
    .filter(({ coin }) => wanted.has(coin))
    .map(({ symbol }) => symbol);
  const demands: readonly Demand[] = [...spot, { venue: koreanSource, table: 'spotBooks', keys: korean }];
  return demands.filter(({ keys = [] }) => keys.length > 0);
}

/** Feeds of best bids and asks, of these coins and of the currencies that their prices are converted with. */
export function quoteFollowings(coins: readonly string[]): readonly Following[] {
  const followed = [...new Set([...coins, 'USDT', 'USDC'])];
  return spotVenueNames.map(({ source }) => ({ venue: source, feed: 'quotes', coins: followed }));
}
