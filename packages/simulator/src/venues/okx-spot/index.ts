import type { VenueMarket } from '../../market/venue-market.ts';
import { failure, success } from '../okx/envelope.ts';
import { simulateVenue } from '../run-wire.ts';
import { pairsOf, printPrice, printSize, type SpotPair, tickOf } from '../spot-pairs.ts';
import type { Question, Reply, WireLimit } from '../wire.ts';

/** Each call 20 times in 2 s per IP [D]. */
const LIMITS: readonly WireLimit[] = ['tickers', 'instruments'].map((name) => ({
  name,
  spanMs: 2000,
  max: 20,
}));

/** OKX's spot market. */
export const okxSpot = simulateVenue({
  shape: { id: 'okx-spot', share: 0.5, basisBps: 1.1, latencyMs: 60, listed: 0.9 },
  routes: [
    {
      path: '/api/v5/market/tickers',
      costs: () => ({ tickers: 1 }),
      answer: (question) => ofSpot(question, (pair) => printTicker(pair, question.market, question.nowMs)),
    },
    {
      path: '/api/v5/public/instruments',
      costs: () => ({ instruments: 1 }),
      answer: (question) => ofSpot(question, printInstrument),
    },
  ],
  limits: LIMITS,
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"code":"50011","msg":"Too Many Requests","data":[]}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"code":"404","msg":"Not Found","data":[]}' },
  sockets: [],
});

function ofSpot({ market, query }: Question, print: (pair: SpotPair) => object): Reply {
  const type = query.get('instType');
  if (type === null || type === '') return failure('50014', 'Parameter instType can not be empty.', 400);
  return success(type === 'SPOT' ? pairsOf(market, ['USDT', 'USDC'], [['ETH', 'BTC', 5]]).map(print) : []);
}

/** https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers [D] */
function printTicker(pair: SpotPair, market: VenueMarket, nowMs: number): object {
  const { bid, ask, last, before, midnight, volume } = tickOf(market, pair, nowMs);
  const price = (value: number): string => printPrice(value, pair);
  return {
    instType: 'SPOT',
    instId: `${pair.base}-${pair.quote}`,
    last: price(last),
    lastSz: '0.0012',
    askPx: price(ask),
    askSz: printSize(volume / 2e5),
    bidPx: price(bid),
    bidSz: printSize(volume / 1e5),
    open24h: price(before),
    high24h: price(Math.max(last, before)),
    low24h: price(Math.min(last, before)),
    volCcy24h: printSize((volume * (last + before)) / 2),
    vol24h: printSize(volume),
    ts: String(nowMs),
    sodUtc0: price(midnight),
    sodUtc8: price(midnight),
  };
}

/** https://www.okx.com/docs-v5/en/#public-data-rest-api-get-instruments [D], as far as clients read it */
function printInstrument({ base, quote, priceDecimals }: SpotPair): object {
  return {
    instType: 'SPOT',
    instId: `${base}-${quote}`,
    uly: '',
    instFamily: '',
    baseCcy: base,
    quoteCcy: quote,
    settleCcy: '',
    ctVal: '',
    ctMult: '',
    ctValCcy: '',
    optType: '',
    stk: '',
    listTime: '1548133413000',
    expTime: '',
    lever: '10',
    tickSz: (10 ** -priceDecimals).toFixed(priceDecimals),
    lotSz: '0.00000001',
    minSz: '0.00001',
    ctType: '',
    state: 'live',
  };
}
