import { type Call, limitsOf, routesOf } from '../okx/call.ts';
import { failure, success } from '../okx/envelope.ts';
import { klineCalls } from '../okx/klines.ts';
import { tradeCalls } from '../okx/trades.ts';
import { simulateVenue } from '../run-wire.ts';
import type { SpotPair } from '../spot-pairs.ts';
import type { Question, Reply } from '../wire.ts';
import { publicSocket } from './socket.ts';
import { printTicker, spotPairs } from './tickers.ts';
import { findTrades } from './trades.ts';

const CALLS: readonly Call[] = [
  {
    path: '/api/v5/market/tickers',
    max: 20,
    answer: (question) => ofSpot(question, (pair) => printTicker(pair, question.market, question.nowMs)),
  },
  {
    path: '/api/v5/public/instruments',
    max: 20,
    answer: (question) => ofSpot(question, printInstrument),
  },
  ...tradeCalls(findTrades),
  ...klineCalls(findTrades),
];

/** OKX's spot market. */
export const okxSpot = simulateVenue({
  shape: { id: 'okx-spot', share: 0.5, basisBps: 1.1, latencyMs: 60, listed: 0.9 },
  routes: routesOf(CALLS),
  limits: limitsOf(CALLS),
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
