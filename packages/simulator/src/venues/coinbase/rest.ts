import type { SpotDeal } from '../../market/spot-market.ts';
import type { VenueMarket } from '../../market/venue-market.ts';
import { printPrice, printSize, spotMarketOf, tickOf } from '../spot-pairs.ts';
import type { VenueAnswer } from '../venue-simulator.ts';
import { type Question, Reply, type WireRoute } from '../wire.ts';
import { findProduct, type Product, printProduct, productsOf } from './products.ts';

const TRADES_MAX = 1000;
/** How far back the list of trades goes. */
const TRADES_BACK_MS = 600_000;

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
  ofProduct('trades', (product, { market, nowMs, query }) => {
    const limit = Math.min(TRADES_MAX, Number(query.get('limit') ?? TRADES_MAX));
    const { base, quote } = product;
    const deals = spotMarketOf(market).deals(base, quote, nowMs - TRADES_BACK_MS, nowMs);
    return deals
      .slice(-limit)
      .toReversed()
      .map((deal) => printDeal(deal, product, 0));
  }),
];

function route(path: string, answer: WireRoute['answer']): WireRoute {
  return {
    path,
    // Whoever does not say what he is, is not served [K].
    answer: (question) => (question.headers['user-agent'] ? answer(question) : USER_AGENT_REQUIRED),
  };
}

function ofProduct(what: string, print: (product: Product, question: Question) => object): WireRoute {
  return route(`/products/:id/${what}`, (question): VenueAnswer | Reply => {
    const product = findProduct(question.market, question.params.id);
    return product ? new Reply(print(product, question)) : new Reply({ message: 'NotFound' }, 404);
  });
}

/** https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker [D, M] */
function printTicker(product: Product, market: VenueMarket, nowMs: number): object {
  const { base, quote } = product;
  const { bid, ask, volume } = tickOf(market, product, nowMs);
  const last = spotMarketOf(market).lastDeal(base, quote, nowMs);
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

/** `side` is the maker's [D]. */
export function printDeal(
  deal: SpotDeal,
  product: Product,
  skewMs: number,
): Readonly<Record<string, unknown>> {
  return {
    trade_id: deal.id,
    side: deal.side === 'buy' ? 'sell' : 'buy',
    size: printSize(deal.size),
    price: printPrice(deal.price, product),
    time: isoOf(deal.ts + skewMs),
  };
}

/** To the microsecond, as the venue does: `2024-03-13T11:10:41.270099Z`. */
export function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000Z');
}
