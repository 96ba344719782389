import type { Tape } from '../market/tape.ts';
import type { VenueMarket } from '../market/venue-market.ts';
import { perMarket } from './per-market.ts';
import { type SpotPair, spotMarketOf } from './spot-pairs.ts';
import type { TradeMarket } from './trade-ledger.ts';

const tapesOf = perMarket(() => new Map<string, Tape>());

/** The trades of a pair under the venue's symbol. */
export function spotTrades(market: VenueMarket, symbol: string, pair: SpotPair): TradeMarket {
  const tapes = tapesOf(market);
  const tape = tapes.get(symbol) ?? spotMarketOf(market).tape(pair);
  tapes.set(symbol, tape);
  return { symbol, tape };
}
