import type { VenueDeal, VenueMarket } from '../../market/venue-market.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { badTicker, type DydxMarket, marketsOf, printPrice, printSize } from './markets.ts';

/** What the indexer sends at most, over REST and after a subscription: about a thousand in captures [L]. */
const TRADES_MAX = 1000;
const LOOK_BACK_MS = 600_000;
const LOOK_BACKS_MAX = 24;
const BLOCK_MS = 1090;
const GENESIS_MS = Date.UTC(2023, 9, 26, 17);

/** {"id":"03f89a550000000200000002","side":"BUY","size":"0.0001","price":"89942","type":"LIMIT",…} [D] */
export interface WireTrade {
  readonly id: string;
  readonly side: 'BUY' | 'SELL';
  readonly size: string;
  readonly price: string;
  readonly type: 'LIMIT' | 'LIQUIDATED';
  readonly createdAt: string;
  readonly createdAtHeight: string;
}

/** https://docs.dydx.xyz/indexer-client/http#get-trades */
export const trades: WireRoute = {
  path: '/v4/trades/perpetualMarket/:market',
  answer({ market, params, query, nowMs }) {
    const ticker = params.market ?? '';
    const one = marketsOf(market).find((candidate) => candidate.ticker === ticker);
    if (!one) return badTicker(ticker, { param: 'ticker', location: 'params' });
    const limit = Math.min(TRADES_MAX, Number(query.get('limit') ?? TRADES_MAX));
    return new Reply({ trades: newestTrades(one, market, nowMs).slice(0, limit) });
  },
};

/** The newest first, as many as the venue tells at once. */
export function newestTrades(one: DydxMarket, market: VenueMarket, nowMs: number): readonly WireTrade[] {
  if (one.status !== 'ACTIVE') return [];
  const newest: WireTrade[] = [];
  for (let i = 0; i < LOOK_BACKS_MAX && newest.length < TRADES_MAX; i += 1) {
    const toMs = nowMs - i * LOOK_BACK_MS;
    const deals = market.deals(one.coin, toMs - LOOK_BACK_MS, toMs);
    newest.push(...deals.toReversed().map((deal) => printTrade(deal, one, 0)));
  }
  return newest.slice(0, TRADES_MAX);
}

export function printTrade(deal: VenueDeal, one: DydxMarket, skewMs: number): WireTrade {
  const height = heightAt(deal.ts);
  const place = (deal.id % 4096).toString(16).padStart(8, '0');
  return {
    id: `${height.toString(16).padStart(8, '0')}00000002${place}`,
    side: deal.side === 'buy' ? 'BUY' : 'SELL',
    size: printSize(one, deal.size),
    price: printPrice(one, deal.price),
    type: deal.isLiquidation ? 'LIQUIDATED' : 'LIMIT',
    createdAt: new Date(deal.ts + skewMs).toISOString(),
    createdAtHeight: String(height),
  };
}

export function heightAt(atMs: number): number {
  return Math.floor((atMs - GENESIS_MS) / BLOCK_MS);
}
