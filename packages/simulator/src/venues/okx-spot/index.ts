import { failure, success } from '../okx/envelope.ts';
import { simulateVenue } from '../run-wire.ts';
import type { SpotPair } from '../spot-pairs.ts';
import type { Question, Reply, WireLimit } from '../wire.ts';
import { publicSocket } from './socket.ts';
import { printTicker, spotPairs } from './tickers.ts';
import { tradeLimits, tradeRoutes } from './trades.ts';

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
    ...tradeRoutes,
  ],
  limits: [...LIMITS, ...tradeLimits],
  overLimit: () => ({
    status: 429,
    type: 'application/json',
    body: '{"code":"50011","msg":"Too Many Requests","data":[]}',
  }),
  notFound: { status: 404, type: 'application/json', body: '{"code":"404","msg":"Not Found","data":[]}' },
  sockets: [publicSocket],
});

function ofSpot({ market, query }: Question, print: (pair: SpotPair) => object): Reply {
  const type = query.get('instType');
  if (type === null || type === '') return failure('50014', 'Parameter instType can not be empty.', 400);
  return success(type === 'SPOT' ? spotPairs(market).map(print) : []);
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
