import { DAY_MS, MINUTE_MS } from '@crosstape/core';
import type { VenueMarket } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { printPrice, printSize, tickOf } from '../spot-pairs.ts';
import type { Question, Reply } from '../wire.ts';
import { answerBars } from './bars.ts';
import { failure, success } from './envelope.ts';
import { findPairs, krakenPairs, type Pair } from './pairs.ts';
import { publicSocket } from './socket.ts';
import { printPast, readPast, tradeMarket } from './trades.ts';

/** Kraken's spot market. One request a second is considered safe, with some burst [M, K]. */
export const krakenSpot = simulateVenue({
  shape: { id: 'kraken-spot', share: 0.12, basisBps: 1.4, latencyMs: 80, listed: 0.8 },
  routes: [
    { path: '/0/public/Time', answer: ({ nowMs }) => success({ unixtime: Math.floor(nowMs / 1000) }) },
    { path: '/0/public/AssetPairs', answer: answerPairs },
    { path: '/0/public/Ticker', answer: answerTicker },
    { path: '/0/public/OHLC', answer: answerBars },
    { path: '/0/public/Trades', answer: answerTrades },
  ],
  limits: [
    { name: 'requests', spanMs: MINUTE_MS, max: 60 },
    { name: 'burst', spanMs: 10_000, max: 15 },
  ],
  overLimit: () => ({
    status: 200,
    type: 'application/json',
    body: '{"error":["EGeneral:Too many requests"]}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"error":["EGeneral:Unknown method"]}' },
  sockets: [publicSocket],
});

/** https://docs.kraken.com/api/docs/rest-api/get-tradable-asset-pairs [D] */
function answerPairs({ market }: Question): Reply {
  const printed = krakenPairs(market).map((pair) => [
    pair.key,
    {
      altname: pair.altname,
      wsname: pair.wsname,
      aclass_base: 'currency',
      base: pair.baseAsset,
      aclass_quote: 'currency',
      quote: pair.quoteAsset,
      lot: 'unit',
      cost_decimals: 5,
      pair_decimals: pair.priceDecimals,
      lot_decimals: 8,
      lot_multiplier: 1,
      leverage_buy: [],
      leverage_sell: [],
      fees: [[0, 0.4]],
      fees_maker: [[0, 0.25]],
      fee_volume_currency: 'ZUSD',
      margin_call: 80,
      margin_stop: 40,
      ordermin: '0.00005',
      costmin: '0.5',
      tick_size: (10 ** -pair.priceDecimals).toFixed(pair.priceDecimals),
      status: pair.status,
    },
  ]);
  return success(Object.fromEntries(printed));
}

function answerTicker({ market, query, nowMs }: Question): Reply {
  const pairs = findPairs(market, query.get('pair'));
  if (!pairs) return failure('EQuery:Unknown asset pair');
  return success(Object.fromEntries(pairs.map((pair) => [pair.key, printTicker(pair, market, nowMs)])));
}

/** https://docs.kraken.com/api/docs/rest-api/get-ticker-information [D] */
function printTicker(pair: Pair, market: VenueMarket, nowMs: number): object {
  const { bid, ask, last, before, midnight, volume } = tickOf(market, pair, nowMs);
  const price = (value: number): string => printPrice(value, pair);
  const today = volume * ((nowMs % DAY_MS) / DAY_MS);
  return {
    a: [price(ask), '1', '1.000'],
    b: [price(bid), '1', '1.000'],
    c: [price(last), '0.00009443'],
    v: [printSize(today), printSize(volume)],
    p: [price((last + midnight) / 2), price((last + before) / 2)],
    t: [35, 3276],
    l: [price(Math.min(last, midnight)), price(Math.min(last, before))],
    h: [price(Math.max(last, midnight)), price(Math.max(last, before))],
    o: price(midnight),
  };
}

function answerTrades(question: Question): Reply {
  const { market, query } = question;
  const [pair] = findPairs(market, query.get('pair') ?? 'none') ?? [];
  if (!pair) return failure('EQuery:Unknown asset pair');
  const past = readPast(question, tradeMarket(market, pair));
  if (!past) return failure('EGeneral:Invalid arguments');
  return success({ [pair.key]: past.deals.map((deal) => printPast(pair, deal)), last: past.last });
}
