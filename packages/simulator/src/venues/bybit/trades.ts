import { mix } from '../../market/noise.ts';
import type { TapeDeal } from '../../market/tape.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import type { TradeMarket, WireDeal } from '../trade-ledger.ts';
import { type Question, Reply, type Session, type TradeFrame, type WireRoute } from '../wire.ts';
import { type Contract, contractsOf } from './contracts.ts';
import { categoryOf, limitOf, success, unknownSymbol } from './envelope.ts';

export const TRADE_TOPIC = 'publicTrade.';
/** Per message [D]. */
const MESSAGE_MAX = 1024;
const LIMITS = { defaults: 500, max: 1000 };

/** How a market's trades are printed. */
export interface BybitTrades {
  readonly market: TradeMarket;
  readonly price: (deal: TapeDeal) => string;
  readonly size: (deal: TapeDeal) => string;
  readonly id: (deal: WireDeal) => string;
  /** Only contracts include the direction of the price. */
  readonly hasDirection: boolean;
}

export function contractTrades(market: VenueMarket, contract: Contract): BybitTrades {
  const { symbol, coin, part, quoteCoin, contractType, priceDecimals, sizeDecimals } = contract;
  // Forced orders happen on the larger contract of a coin.
  const isMain = quoteCoin === 'USDT' && contractType === 'LinearPerpetual';
  return {
    market: { symbol, tape: market.tape({ symbol, coin, part, takes: () => isMain }) },
    price: ({ price }) => price.toFixed(priceDecimals),
    size: ({ size }) => Math.max(size, 10 ** -sizeDecimals).toFixed(sizeDecimals),
    id: uuidOf,
    hasDirection: true,
  };
}

/** A UUID made of the trade's number, which cannot be counted. */
function uuidOf({ number }: WireDeal): string {
  const word = (part: number): string =>
    (mix(mix(number | 0, Math.floor(number / 2 ** 32)), part) >>> 0).toString(16).padStart(8, '0');
  const [a, b, c, d] = [word(1), word(2), word(3), word(4)];
  return `${a}-${b.slice(0, 4)}-5${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/**
 * {"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT",
 *  "S":"Buy","v":"0.001","p":"16578.50","L":"PlusTick","i":"20f43950-…","BT":false,"RPI":false,"seq":1783284617}]}
 * https://bybit-exchange.github.io/docs/v5/websocket/public/trade [D]
 */
export function follow(session: Session, printed: BybitTrades): void {
  const topic = `${TRADE_TOPIC}${printed.market.symbol}`;
  let lastPrice = 0;
  const printRow = (deal: WireDeal): object => {
    const price = printed.price(deal);
    const L = Number(price) >= lastPrice ? 'PlusTick' : 'MinusTick';
    lastPrice = Number(price);
    return {
      T: deal.ts,
      s: printed.market.symbol,
      S: sideOf(deal),
      v: printed.size(deal),
      p: price,
      ...(printed.hasDirection && { L }),
      i: printed.id(deal),
      BT: false,
      RPI: false,
      seq: deal.order,
    };
  };
  const print = (deals: readonly WireDeal[]): readonly TradeFrame[] => {
    const frames: TradeFrame[] = [];
    for (let from = 0; from < deals.length; from += MESSAGE_MAX) {
      const carried = deals.slice(from, from + MESSAGE_MAX);
      const data = carried.map(printRow);
      const text = JSON.stringify({ topic, type: 'snapshot', ts: session.nowMs(), data });
      frames.push({ text, deals: carried });
    }
    return frames;
  };
  session.follow(topic, { market: printed.market, print });
}

function sideOf({ side }: WireDeal): 'Buy' | 'Sell' {
  return side === 'buy' ? 'Buy' : 'Sell';
}

export const recentTrades: WireRoute = recentTradesRoute('linear', LIMITS, ({ market, nowMs }, symbol) => {
  const contract = contractsOf(market, nowMs).find(
    (one) => one.symbol === symbol && one.status === 'Trading',
  );
  return contract && contractTrades(market, contract);
});

/** The newest trades, newest first; older ones cannot be requested. https://bybit-exchange.github.io/docs/v5/market/recent-trade [D] */
export function recentTradesRoute(
  served: 'linear' | 'spot',
  limits: { readonly defaults: number; readonly max: number },
  find: (question: Question, symbol: string) => BybitTrades | undefined,
): WireRoute {
  return {
    path: '/v5/market/recent-trade',
    answer(question) {
      const asked = categoryOf(question);
      if (asked instanceof Reply) return asked;
      const limit = limitOf(question, limits.defaults, limits.max);
      if (limit instanceof Reply) return limit;
      const { query, nowMs, trades } = question;
      const printed = asked.category === served ? find(question, query.get('symbol') ?? '') : undefined;
      if (!printed) return unknownSymbol(nowMs);
      const newest = trades.newest(printed.market, limit).toReversed();
      const list = newest.map((deal) => printRecent(printed, deal));
      return success({ category: served, list }, nowMs);
    },
  };
}

function printRecent(printed: BybitTrades, deal: WireDeal): object {
  return {
    execId: printed.id(deal),
    symbol: printed.market.symbol,
    price: printed.price(deal),
    size: printed.size(deal),
    side: sideOf(deal),
    time: String(deal.ts),
    isBlockTrade: false,
    isRPITrade: false,
    seq: String(deal.order),
  };
}
