import { marketIdOf } from '@crosstape/core';
import { venueOf } from '../../store/market-key.ts';
import type { ChosenTape } from '../market-tape/chosen-tape.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import type { TickTable } from '../tape/tick-table.ts';

/** Chunks of a market and day, at most: one for every ten seconds. */
const CHUNKS_MAX = 10_000;

/** A market whose days can become files. */
export interface LakeMarket extends Pick<ChosenTape, 'coverage' | 'secondary'> {
  readonly id: string;
  /** The first part of its id. */
  readonly venue: string;
  readonly symbol: string;
  readonly coin: string;
  readonly quote: string;
  readonly ticks: TickTable;
}

/** Every market with recorded trades. */
export async function lakeMarkets(
  reader: MarketReader,
  primaryVenue: string,
): Promise<readonly LakeMarket[]> {
  const { ticks, coverage } = reader.primary;
  const primary = (await ticks.coins()).map(
    (coin): LakeMarket => ({
      id: marketIdOf({ venue: primaryVenue, kind: 'perp', symbol: coin }),
      venue: primaryVenue,
      symbol: coin,
      coin,
      quote: 'USDC',
      ticks,
      coverage,
    }),
  );
  const others = (await reader.list()).map((market): LakeMarket => {
    const recorded = reader.open(market);
    const { id, symbol, coin, quote } = market;
    return { id, venue: venueOf(id), symbol, coin, quote, ...recorded, secondary: { ...recorded, market } };
  });
  return [...primary, ...others];
}

/** Recorded trades of a market in a range, from the names of its sealed chunks: enough to order markets by. */
export async function tradesIn({ ticks, symbol }: LakeMarket, from: number, to: number): Promise<number> {
  const names = await ticks.names(symbol, from, to, CHUNKS_MAX);
  return names.reduce((sum, { trades }) => sum + trades, 0);
}
