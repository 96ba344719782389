import { hashText } from '@crosstape/core';
import { mix, SmoothNoise, uniformOf } from '../../market/noise.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { simulateVenue } from '../run-wire.ts';
import { pairsOf, type SpotPair, spotMarketOf, tickOf } from '../spot-pairs.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';

const LEVELS_MAX = 30;
const PRICE_FIGURES = 6;
const SIZE_DECIMALS = 8;
const PRESSURE = { longestMs: 3_600_000, octaves: 3, roughness: 0.6 };
const UNKNOWN = new Reply({ error: { name: 404, message: 'Code not found' } }, 404);

/** Upbit's market in won: 10 requests a second per IP and group of calls [D]. */
export const upbit = simulateVenue({
  shape: { id: 'upbit', share: 0.25, basisBps: 3, latencyMs: 90, listed: 0.6 },
  routes: [
    grouped('market', '/v1/market/all', ({ market }) => new Reply(listed(market).map(printMarket))),
    grouped('ticker', '/v1/ticker/all', answerAll),
    grouped('ticker', '/v1/ticker', (question) => ofMarkets(question, printTicker)),
    grouped('orderbook', '/v1/orderbook', (question) => ofMarkets(question, printBook)),
  ],
  limits: ['market', 'ticker', 'orderbook'].map((name) => ({ name, spanMs: 1000, max: 10 })),
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"name":"too_many_requests"}',
  }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"error":{"name":404,"message":"no Route matched"}}',
  },
  sockets: [],
});

function grouped(group: string, path: string, answer: WireRoute['answer']): WireRoute {
  return { path, costs: () => ({ [group]: 1 }), answer };
}

function listed(market: VenueMarket): readonly SpotPair[] {
  return pairsOf(
    market,
    ['KRW'],
    [
      ['USDT', 'KRW', 1],
      ['ETH', 'BTC', 5],
    ],
  );
}

function nameOf({ base, quote }: SpotPair): string {
  return `${quote}-${base}`;
}

function printMarket(pair: SpotPair): object {
  return { market: nameOf(pair), korean_name: pair.base, english_name: pair.base };
}

function answerAll({ market, query, nowMs }: Question): Reply {
  const quotes = (query.get('quote_currencies') ?? '').split(',');
  const pairs = listed(market).filter(({ quote }) => quotes.includes(quote));
  return new Reply(pairs.map((pair) => printTicker(pair, market, nowMs)));
}

type Print = (pair: SpotPair, market: VenueMarket, nowMs: number) => object;

/** A list with an unknown market is answered with nothing at all [D]. */
function ofMarkets({ market, query, nowMs }: Question, print: Print): Reply {
  const pairs = listed(market);
  const asked = (query.get('markets') ?? '')
    .split(',')
    .map((name) => pairs.find((pair) => nameOf(pair) === name));
  const known = asked.filter((pair) => pair !== undefined);
  return known.length === asked.length ? new Reply(known.map((pair) => print(pair, market, nowMs))) : UNKNOWN;
}

/** https://docs.upbit.com/kr/reference/list-quote-tickers [D] */
function printTicker(pair: SpotPair, market: VenueMarket, nowMs: number): object {
  const { last, before, midnight, volume } = tickOf(market, pair, nowMs);
  const [now, open] = [inFigures(last), inFigures(midnight)];
  const [high, low] = [Math.max(now, open), Math.min(now, open)];
  const kst = dateTime(nowMs + 9 * 3_600_000);
  const utc = dateTime(nowMs);
  return {
    market: nameOf(pair),
    trade_date: utc.date,
    trade_time: utc.time,
    trade_date_kst: kst.date,
    trade_time_kst: kst.time,
    trade_timestamp: nowMs - 37,
    opening_price: open,
    high_price: high,
    low_price: low,
    trade_price: now,
    prev_closing_price: open,
    change: now > open ? 'RISE' : now < open ? 'FALL' : 'EVEN',
    change_price: Math.abs(now - open),
    change_rate: Math.abs(now / open - 1),
    signed_change_price: now - open,
    signed_change_rate: now / open - 1,
    trade_volume: 0.02543652,
    acc_trade_price: (volume * last) / 2,
    acc_trade_price_24h: (volume * (last + before)) / 2,
    acc_trade_volume: inSize(volume / 2),
    acc_trade_volume_24h: inSize(volume),
    highest_52_week_price: high * 2,
    highest_52_week_date: '2026-07-14',
    lowest_52_week_price: low / 2,
    lowest_52_week_date: '2026-03-05',
    timestamp: nowMs,
  };
}

/** https://docs.upbit.com/kr/reference/list-orderbooks [D] */
function printBook(pair: SpotPair, market: VenueMarket, nowMs: number): object {
  const spot = spotMarketOf(market);
  const { bid, ask } = spot.quote(pair, nowMs);
  const salt = mix(market.market.seed, hashText(`upbit book ${pair.base}`));
  const tilt = Math.tanh(0.5 * new SmoothNoise(salt, PRESSURE).at(nowMs));
  const usual = spot.volume24h(pair.base, nowMs) / 4000;
  const sizeAt = (level: number, side: 1 | -1): number => {
    const hash = mix(mix(salt, side * (level + 1)), Math.floor(nowMs / 1000));
    return inSize(usual * (0.2 + uniformOf(hash)) * (1 + side * tilt));
  };
  const units = Array.from({ length: LEVELS_MAX }, (_, level) => ({
    ask_price: inFigures(ask * (1 + 0.0002 * level)),
    bid_price: inFigures(bid * (1 - 0.0002 * level)),
    ask_size: sizeAt(level, -1),
    bid_size: sizeAt(level, 1),
  }));
  return {
    market: nameOf(pair),
    timestamp: nowMs,
    total_ask_size: inSize(units.reduce((sum, unit) => sum + unit.ask_size, 0)),
    total_bid_size: inSize(units.reduce((sum, unit) => sum + unit.bid_size, 0)),
    orderbook_units: units,
    level: 0,
  };
}

function inFigures(price: number): number {
  return Number(price.toPrecision(PRICE_FIGURES));
}

function inSize(size: number): number {
  return Number(size.toFixed(SIZE_DECIMALS));
}

function dateTime(atMs: number): { readonly date: string; readonly time: string } {
  const text = new Date(atMs).toISOString().replaceAll(/[-:]/g, '');
  return { date: text.slice(0, 8), time: text.slice(9, 15) };
}
