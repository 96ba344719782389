import type { VenueMarket } from '../../market/venue-market.ts';
import { categoryOf, NOT_FOUND, success, TOO_FREQUENT } from '../bybit/envelope.ts';
import { klinesRoute } from '../bybit/klines.ts';
import { type BybitTrades, recentTradesRoute } from '../bybit/trades.ts';
import { simulateVenue } from '../run-wire.ts';
import { printPrice, printSize, spotMarketOf, type SpotPair, tickOf } from '../spot-pairs.ts';
import { type Question, Reply } from '../wire.ts';
import { pairTrades, spotPairs, spotSocket } from './socket.ts';

/** Bybit's spot market: 600 requests in 5 s per IP [D]. */
export const bybitSpot = simulateVenue({
  shape: { id: 'bybit-spot', share: 0.45, basisBps: 1.2, latencyMs: 60, listed: 0.9 },
  routes: [
    {
      path: '/v5/market/tickers',
      answer: (question) => ofSpot(question, (pair) => printTicker(pair, question.market, question.nowMs)),
    },
    recentTradesRoute('spot', { defaults: 60, max: 60 }, findTrades),
    klinesRoute('spot', findTrades),
    {
      path: '/v5/market/instruments-info',
      answer: (question) => ofSpot(question, (pair) => printInstrument(pair, question.market)),
    },
  ],
  limits: [{ name: 'requests', spanMs: 5000, max: 600 }],
  overLimit: () => TOO_FREQUENT,
  notFound: NOT_FOUND,
  sockets: [spotSocket],
});

function findTrades({ market }: Question, symbol: string): BybitTrades | undefined {
  const pair = spotPairs(market).find(({ base, quote }) => base + quote === symbol);
  return pair && pairTrades(market, pair);
}

function ofSpot(question: Question, print: (pair: SpotPair) => object): Reply {
  const asked = categoryOf(question);
  if (asked instanceof Reply) return asked;
  const pairs = asked.category === 'spot' ? spotPairs(question.market) : [];
  return success({ category: asked.category, list: pairs.map(print) }, question.nowMs);
}

/** https://bybit-exchange.github.io/docs/v5/market/tickers [D] */
function printTicker(pair: SpotPair, market: VenueMarket, nowMs: number): object {
  const { bid, ask, last, before, volume } = tickOf(market, pair, nowMs);
  const price = (value: number): string => printPrice(value, pair);
  return {
    symbol: pair.base + pair.quote,
    bid1Price: price(bid),
    bid1Size: printSize(volume / 1e5),
    ask1Price: price(ask),
    ask1Size: printSize(volume / 2e5),
    lastPrice: price(last),
    prevPrice24h: price(before),
    price24hPcnt: (last / before - 1).toFixed(4),
    highPrice24h: price(Math.max(last, before)),
    lowPrice24h: price(Math.min(last, before)),
    turnover24h: printSize((volume * (last + before)) / 2),
    volume24h: printSize(volume),
    usdIndexPrice: '',
  };
}

/** https://bybit-exchange.github.io/docs/v5/market/instrument [D], as far as clients read it */
function printInstrument({ base, quote, priceDecimals }: SpotPair, market: VenueMarket): object {
  const lotDecimals = spotMarketOf(market).sizeDecimals(base);
  return {
    symbol: base + quote,
    baseCoin: base,
    quoteCoin: quote,
    innovation: '0',
    status: 'Trading',
    marginTrading: 'none',
    stTag: '0',
    lotSizeFilter: {
      basePrecision: (10 ** -lotDecimals).toFixed(lotDecimals),
      quotePrecision: '0.00000001',
      minOrderQty: '0.00001',
      maxOrderQty: '9000000000',
      minOrderAmt: '5',
      maxOrderAmt: '4000000',
    },
    priceFilter: { tickSize: (10 ** -priceDecimals).toFixed(priceDecimals) },
    riskParameters: { priceLimitRatioX: '0.01', priceLimitRatioY: '0.02' },
  };
}
