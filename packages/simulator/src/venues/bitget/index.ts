import type { VenueMarket } from '../../market/venue-market.ts';
import { paidRates } from '../past-samples.ts';
import { simulateVenue } from '../run-wire.ts';
import { type Question, Reply, type WireLimit, type WireRoute } from '../wire.ts';
import { failure, success } from './envelope.ts';
import { answerCandles } from './klines.ts';
import { type Listing, listingsOf, printSize, PRODUCT_TYPES as LISTED_TYPES } from './listing.ts';
import { printContract, printCurrentRate, printFundingTime, printSymbolPrice, printTicker } from './rows.ts';
import { publicSocket } from './socket.ts';
import { answerTrades, TRADE_CALLS } from './trades.ts';

const PREFIX = '/api/v2/mix/market';
const CANDLES = 'candles';
const PAID = 'history-fund-rate';
const PAID_ROWS_MAX = 100;
/** How far back payments reach: ours. */
const PAID_MS = 90 * 86_400_000;
const PRODUCT_TYPES: readonly string[] = [
  'USDT-FUTURES',
  'COIN-FUTURES',
  'USDC-FUTURES',
  'SUSDT-FUTURES',
  'SCOIN-FUTURES',
  'SUSDC-FUTURES',
];
type PrintRow = (listing: Listing, market: VenueMarket, nowMs: number) => object;

/** A call that answers for one symbol, or for all where it need not be named. */
interface Call {
  readonly name: string;
  readonly needsSymbol: boolean;
  readonly ofUntraded: boolean;
  readonly printRow: PrintRow;
}

const CALLS: readonly Call[] = [
  { name: 'contracts', needsSymbol: false, ofUntraded: true, printRow: printContract },
  { name: 'tickers', needsSymbol: false, ofUntraded: false, printRow: printTicker },
  { name: 'ticker', needsSymbol: true, ofUntraded: false, printRow: printTicker },
  { name: 'current-fund-rate', needsSymbol: false, ofUntraded: false, printRow: printCurrentRate },
  { name: 'funding-time', needsSymbol: true, ofUntraded: false, printRow: printFundingTime },
  { name: 'symbol-price', needsSymbol: true, ofUntraded: false, printRow: printSymbolPrice },
];

const routes: readonly WireRoute[] = [
  ...CALLS.map(({ name, needsSymbol, ofUntraded, printRow }) =>
    route(name, (question) =>
      answerRows(question, needsSymbol, (listings) => {
        const shown = ofUntraded ? listings : listings.filter((listing) => listing.status === 'normal');
        return shown.map((listing) => printRow(listing, question.market, question.nowMs));
      }),
    ),
  ),
  route('open-interest', (question) =>
    answerRows(question, true, (listings) => ({
      openInterestList: listings.map((listing) => ({
        symbol: listing.symbol,
        size: printSize(
          listing.part * question.market.openInterest(listing.coin.name, question.nowMs),
          listing,
        ),
      })),
      ts: String(question.nowMs),
    })),
  ),
  ...TRADE_CALLS.map(({ name, read }) =>
    route(name, (question) => {
      const asked = askedListings(question, true);
      if (asked instanceof Reply) return asked;
      const [listing] = asked;
      return listing ? answerTrades(question, listing, read) : success(question, []);
    }),
  ),
  route(PAID, (question) => {
    const asked = askedListings(question, true);
    if (asked instanceof Reply) return asked;
    const [listing] = asked;
    return listing ? answerPaid(question, listing) : success(question, []);
  }),
  route(CANDLES, async (question) => {
    const asked = askedListings(question, true);
    if (asked instanceof Reply) return asked;
    const [listing] = asked;
    return listing ? answerCandles(question, listing) : success(question, []);
  }),
];

/** Each call 20 times a second per IP [C]. */
const limits: readonly WireLimit[] = [
  ...[...CALLS.map((call) => call.name), 'open-interest', PAID, CANDLES].map((name) => ({
    name,
    spanMs: 1000,
    max: 20,
  })),
  ...TRADE_CALLS.map(({ name, max }) => ({ name, spanMs: 1000, max })),
];

const TOO_MANY = '{"code":"429","msg":"Too Many Requests","data":null}';

/** Bitget's futures that settle in USDT and USDC: second version of the calls, third of the public socket. */
export const bitget = simulateVenue({
  shape: { id: 'bitget', share: 0.35, basisBps: 2.2, latencyMs: 90, listed: 0.9 },
  routes,
  limits,
  overLimit: () => ({ status: 429, type: 'application/json', body: TOO_MANY }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"code":"40404","msg":"Request URL NOT FOUND","data":null}',
  },
  sockets: [publicSocket],
});

function route(name: string, answer: WireRoute['answer']): WireRoute {
  return { path: `${PREFIX}/${name}`, costs: () => ({ [name]: 1 }), answer };
}

/** What was paid, newest first: {"symbol":"BTCUSDT","fundingRate":"-0.000024","fundingTime":"1761667200000"} [C] */
function answerPaid(question: Question, { symbol, coin }: Listing): Reply {
  const { market, nowMs, query } = question;
  const size = Number(query.get('pageSize') ?? 20);
  const page = Number(query.get('pageNo') ?? 1);
  if (!(size >= 1 && size <= PAID_ROWS_MAX)) return failure(question, '40020', 'Parameter pageSize error');
  if (!(page >= 1)) return failure(question, '40020', 'Parameter pageNo error');
  const span = { fromMs: nowMs - PAID_MS, toMs: nowMs, limit: size, skip: (page - 1) * size };
  return success(
    question,
    paidRates(market, coin.name, span).map(({ paidMs, rate }) => ({
      symbol,
      fundingRate: rate.toFixed(6),
      fundingTime: String(paidMs),
    })),
  );
}

function answerRows(
  question: Question,
  needsSymbol: boolean,
  print: (listings: readonly Listing[]) => unknown,
): Reply {
  const asked = askedListings(question, needsSymbol);
  return asked instanceof Reply ? asked : success(question, print(asked));
}

/** The contracts that a request names, or why it cannot be answered. */
function askedListings(question: Question, needsSymbol: boolean): readonly Listing[] | Reply {
  const productType = question.query.get('productType')?.toUpperCase() ?? '';
  if (productType === '') return failure(question, '40019', 'Parameter productType cannot be empty');
  if (!PRODUCT_TYPES.includes(productType)) return failure(question, '40020', 'Parameter productType error');
  const symbol = question.query.get('symbol') ?? '';
  if (symbol === '' && needsSymbol) return failure(question, '40019', 'Parameter symbol cannot be empty');
  // Contracts in coins and those of play money are not simulated.
  const listings = listingsOf(question.market).filter(({ quote }) => LISTED_TYPES[quote] === productType);
  if (symbol === '') return listings;
  const listing = listings.find((one) => one.symbol === symbol);
  if (!listing) return failure(question, '40034', `Parameter ${symbol} does not exist`);
  return [listing];
}
