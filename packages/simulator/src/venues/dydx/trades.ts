import type { VenueMarket } from '../../market/venue-market.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { Reply, type WireRoute } from '../wire.ts';
import { badTicker, type DydxMarket, marketsOf, printPrice, printSize } from './markets.ts';

/** Maximum that the indexer sends, over REST and after a subscription: about a thousand in captures [L]. */
export const TRADES_MAX = 1000;
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
  answer({ market, params, query, trades: pages }) {
    const ticker = params.market ?? '';
    const one = marketsOf(market).find((candidate) => candidate.ticker === ticker);
    if (!one) return badTicker(ticker, { param: 'ticker', location: 'params' });
    if (one.status !== 'ACTIVE') return new Reply({ trades: [] });
    const limit = Math.min(TRADES_MAX, Number(query.get('limit') ?? TRADES_MAX));
    const deals = pages.newest(tradeMarket(market, one), limit, beforeMs(query));
    return new Reply({ trades: deals.toReversed().map((deal) => printTrade(deal, one)) });
  },
};

/** Trades are of no later block than was requested by its height or time. */
function beforeMs(query: URLSearchParams): number {
  const height = query.get('createdBeforeOrAtHeight');
  const time = query.get('createdBeforeOrAt');
  return Math.min(
    height === null ? Number.POSITIVE_INFINITY : GENESIS_MS + (Number(height) + 1) * BLOCK_MS,
    time === null ? Number.POSITIVE_INFINITY : Date.parse(time) + 1,
  );
}

export function tradeMarket(market: VenueMarket, { ticker, coin }: DydxMarket): TradeMarket {
  return { symbol: ticker, tape: market.tape({ symbol: ticker, coin }) };
}

export function printTrade(deal: WireDeal, one: DydxMarket): WireTrade {
  const height = heightAt(deal.ts);
  const place = (deal.number % 2 ** 32).toString(16).padStart(8, '0');
  return {
    id: `${height.toString(16).padStart(8, '0')}00000002${place}`,
    side: deal.side === 'buy' ? 'BUY' : 'SELL',
    size: printSize(one, deal.size),
    price: printPrice(one, deal.price),
    type: deal.isLiquidation ? 'LIQUIDATED' : 'LIMIT',
    createdAt: new Date(deal.ts).toISOString(),
    createdAtHeight: String(height),
  };
}

export function heightAt(atMs: number): number {
  return Math.floor((atMs - GENESIS_MS) / BLOCK_MS);
}
