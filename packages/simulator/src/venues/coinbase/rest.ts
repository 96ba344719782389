import type { VenueMarket } from '../../market/venue-market.ts';
import { printPrice, printSize, spotMarketOf, tickOf } from '../spot-pairs.ts';
import { spotTrades } from '../spot-trades.ts';
import type { WireDeal } from '../trade-ledger.ts';
import type { VenueAnswer } from '../venue-simulator.ts';
import { wholeOf } from '../whole-number.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { answerCandles } from './candles.ts';
import { findProduct, type Product, printProduct, productsOf } from './products.ts';

const TRADES_MAX = 1000;

const NOT_FOUND = new Reply({ message: 'NotFound' }, 404);
const USER_AGENT_REQUIRED = new Reply({ message: 'User-Agent header is required.' }, 400);

export const restRoutes: readonly WireRoute[] = [
  route('/time', ({ nowMs }) => new Reply({ iso: isoOf(nowMs), epoch: nowMs / 1000 })),
  route('/products', ({ market }) => new Reply(productsOf(market).map(printProduct))),
  route('/products/stats', ({ market, nowMs }) => {
    const online = productsOf(market).filter(({ status }) => status === 'online');
    return new Reply(Object.fromEntries(online.map((one) => [one.id, printStats(one, market, nowMs)])));
  }),
  ofProduct('ticker', (product, { market, nowMs }) => printTicker(product, market, nowMs)),
  ofProduct('stats', (product, { market, nowMs }) => ({
    ...printDay(product, market, nowMs),
    volume_30day: printSize(30 * tickOf(market, product, nowMs).volume),
  })),
  route('/products/:id/trades', (question) => {
    const product = findProduct(question.market, question.params.id);
    return product ? answerTrades(product, question) : NOT_FOUND;
  }),
  route('/products/:id/candles', (question) => {
    const product = findProduct(question.market, question.params.id);
    return product ? answerCandles(product, question) : NOT_FOUND;
  }),
];

/**
 * Newest first: those older than the trade with the id `after`, or the newest, without those up to the id `before`. The
 * headers have the ids for the pages on both sides.
 * https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-trades [D]
 */
function answerTrades(product: Product, { market, query, trades }: Question): Reply {
  const [limit = TRADES_MAX, after, before = 0] = ['limit', 'after', 'before'].map((name) =>
    wholeOf(query, name),
  );
  if ([limit, after, before].includes(Number.NaN)) return new Reply({ message: 'Invalid cursor' }, 400);
  const traded = spotTrades(market, product.id, product);
  const count = Math.min(TRADES_MAX, Math.max(1, limit));
  const page = after === undefined ? trades.newest(traded, count) : trades.beforeId(traded, after, count);
  const deals = page.filter(({ id }) => id > before);
  const [oldest, newest] = [deals[0], deals.at(-1)];
  const headers = oldest && newest && { 'cb-before': String(newest.id), 'cb-after': String(oldest.id) };
  return new Reply(
    deals.toReversed().map((deal) => printDeal(deal, product)),
    200,
    headers,
  );
}

function route(path: string, answer: WireRoute['answer']): WireRoute {
  return {
    path,
    // Requests without a User-Agent are refused [K].
    answer: (question) => (question.headers['user-agent'] ? answer(question) : USER_AGENT_REQUIRED),
  };
}

function ofProduct(what: string, print: (product: Product, question: Question) => object): WireRoute {
  return route(`/products/:id/${what}`, (question): VenueAnswer | Reply => {
    const product = findProduct(question.market, question.params.id);
    return product ? new Reply(print(product, question)) : NOT_FOUND;
  });
}

/** https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker [D, M] */
function printTicker(product: Product, market: VenueMarket, nowMs: number): object {
  const { bid, ask, volume } = tickOf(market, product, nowMs);
  const last = spotMarketOf(market).lastDeal(product, nowMs);
  return {
    ask: printPrice(ask, product),
    bid: printPrice(bid, product),
    volume: printSize(volume),
    trade_id: last.id,
    price: printPrice(last.price, product),
    size: printSize(last.size),
    time: isoOf(last.ts),
    rfq_volume: '0.000000',
  };
}

function printDay(product: Product, market: VenueMarket, nowMs: number): Record<string, string> {
  const { before, last, volume } = tickOf(market, product, nowMs);
  return {
    open: printPrice(before, product),
    high: printPrice(Math.max(before, last), product),
    low: printPrice(Math.min(before, last), product),
    last: printPrice(last, product),
    volume: printSize(volume),
  };
}

/** Not documented; as public clients read it [M]. */
function printStats(product: Product, market: VenueMarket, nowMs: number): object {
  const { open, high, low, volume, last } = printDay(product, market, nowMs);
  return {
    stats_30day: { volume: printSize(30 * Number(volume)) },
    stats_24hour: { open, high, low, volume, last },
  };
}

/** The printed part of a trade. */
export type PrintedDeal = Pick<WireDeal, 'id' | 'order' | 'ts' | 'side' | 'price' | 'size'>;

/** `side` is the maker's [D]. */
export function printDeal(deal: PrintedDeal, product: Product): Readonly<Record<string, unknown>> {
  return {
    trade_id: deal.id,
    side: deal.side === 'buy' ? 'sell' : 'buy',
    size: printSize(deal.size),
    price: printPrice(deal.price, product),
    time: isoOf(deal.ts),
  };
}

/** To the microsecond, as the venue does: `2024-03-13T11:10:41.270099Z`. */
export function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000Z');
}
