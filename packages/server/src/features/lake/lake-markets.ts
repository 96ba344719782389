import { firstTickAt, marketIdOf } from '@crosstape/core';
import { symbolOf, venueOf } from '../../store/market-key.ts';
import type { ChosenTape } from '../market-tape/chosen-tape.ts';
import type { MarketReader } from '../market-tape/market-reader.ts';
import type { StoredMarket } from '../market-tape/market-table.ts';
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
  const coins = await reader.primary.ticks.coins();
  const others = await reader.list();
  return [
    ...coins.map((coin) => primaryMarket(reader, primaryVenue, coin)),
    ...others.map((market) => otherMarket(reader, market)),
  ];
}

/** The market with an id, as `lakeMarkets` has it, without a search of the whole tape. */
export async function lakeMarketOf(
  reader: MarketReader,
  primaryVenue: string,
  id: string,
): Promise<LakeMarket | undefined> {
  if (venueOf(id) === primaryVenue) return primaryMarket(reader, primaryVenue, symbolOf(id));
  const market = (await reader.list()).find((one) => one.id === id);
  return market && otherMarket(reader, market);
}

function primaryMarket({ primary }: MarketReader, primaryVenue: string, coin: string): LakeMarket {
  const { ticks, coverage } = primary;
  const id = marketIdOf({ venue: primaryVenue, kind: 'perp', symbol: coin });
  return { id, venue: primaryVenue, symbol: coin, coin, quote: 'USDC', ticks, coverage };
}

function otherMarket(reader: MarketReader, market: StoredMarket): LakeMarket {
  const recorded = reader.open(market);
  const { id, symbol, coin, quote } = market;
  return { id, venue: venueOf(id), symbol, coin, quote, ...recorded, secondary: { ...recorded, market } };
}

/** Recorded trades of a market in a range of whole hours: of sealed chunks from their names, and of the unsealed ones. */
export async function tradesIn({ ticks, symbol }: LakeMarket, from: number, to: number): Promise<number> {
  const names = await ticks.names(symbol, from, to, CHUNKS_MAX);
  const sealed = names.reduce((sum, { trades }) => sum + trades, 0);
  const [newest] = await ticks.newestNames(symbol, 1);
  if (newest && newest.endTs >= to) return sealed;
  const tail = await ticks.tail(symbol);
  return tail.reduce(
    (sum, { columns }) => sum + firstTickAt(columns, to) - firstTickAt(columns, from),
    sealed,
  );
}
