import { paidRates } from '../past-samples.ts';
import { simulateVenue } from '../run-wire.ts';
import { wholeOf } from '../whole-number.ts';
import { type Question, Reply, type WireLimit, type WireRoute } from '../wire.ts';
import { type Listing, listingsOf } from './listing.ts';
import { printContract, printStatistics, printTicker, type RowSource } from './rows.ts';
import { countPrinter } from './sizes.ts';
import { publicSocket } from './socket.ts';
import { printPast, readCandlesticks, readPast, tradeMarket } from './trades.ts';

const PREFIX = '/api/v4/futures/:settle';
/** Settlement currencies; only the first has contracts here. */
const SETTLED: readonly string[] = ['usdt', 'btc', 'usd1'];
const LIST_DEFAULT = 100;
const LIST_MAX = 1000;
const SECOND_MS = 1000;
const STATISTICS_SECONDS: Readonly<Record<string, number>> = {
  '5m': 300,
  '15m': 900,
  '30m': 1800,
  '1h': 3600,
  '4h': 14_400,
  '1d': 86_400,
};

const routes: readonly WireRoute[] = [
  route('contracts', '/contracts', (question, listings) => {
    const { query } = question;
    const limit = wholeOf(query, 'limit') ?? LIST_DEFAULT;
    const offset = wholeOf(query, 'offset') ?? 0;
    if (!(limit >= 1 && limit <= LIST_MAX)) return invalid('limit');
    if (Number.isNaN(offset)) return invalid('offset');
    const shown = listings.slice(offset, offset + limit);
    return new Reply(shown.map((listing) => printContract(listing, sourceOf(question))));
  }),
  route('contract', '/contracts/:contract', (question, listings) => {
    const found = find(listings, question.params['contract']);
    return found ? new Reply(printContract(found, sourceOf(question))) : UNKNOWN_CONTRACT;
  }),
  route('tickers', '/tickers', (question, listings) => {
    const traded = listings.filter((listing) => !listing.coin.isDelisted);
    const asked = question.query.get('contract');
    const shown = asked === null ? traded : traded.filter((listing) => listing.name === asked);
    if (asked !== null && shown.length === 0) return UNKNOWN_CONTRACT;
    return new Reply(shown.map((listing) => printTicker(listing, sourceOf(question))));
  }),
  route('contract_stats', '/contract_stats', (question, listings) => {
    const found = find(listings, question.query.get('contract') ?? '');
    if (!found) return UNKNOWN_CONTRACT;
    const stepSeconds = STATISTICS_SECONDS[question.query.get('interval') ?? '5m'];
    const limit = wholeOf(question.query, 'limit') ?? 30;
    if (stepSeconds === undefined) return invalid('interval');
    if (!(limit >= 1 && limit <= 100)) return invalid('limit');
    const nowSeconds = Math.floor(question.nowMs / SECOND_MS);
    const lastSeconds = nowSeconds - (nowSeconds % stepSeconds);
    const fromSeconds = wholeOf(question.query, 'from') ?? lastSeconds - (limit - 1) * stepSeconds;
    if (Number.isNaN(fromSeconds)) return invalid('from');
    const rows: object[] = [];
    const firstSeconds = Math.ceil(fromSeconds / stepSeconds) * stepSeconds;
    for (let at = firstSeconds; at <= lastSeconds && rows.length < limit; at += stepSeconds)
      rows.push(printStatistics(found, { ...sourceOf(question), nowMs: at * SECOND_MS }));
    return new Reply(rows);
  }),
  // What was paid, newest first: {"t":1543968000,"r":"0.000157"} [C]
  route('funding_rate', '/funding_rate', (question, listings) => {
    const found = find(listings, question.query.get('contract') ?? '');
    if (!found || found.coin.isDelisted) return UNKNOWN_CONTRACT;
    const limit = wholeOf(question.query, 'limit') ?? LIST_DEFAULT;
    if (!(limit >= 1 && limit <= LIST_MAX)) return invalid('limit');
    const nowSeconds = Math.floor(question.nowMs / SECOND_MS);
    const from = wholeOf(question.query, 'from') ?? 0;
    const to = wholeOf(question.query, 'to') ?? nowSeconds;
    if (Number.isNaN(from) || Number.isNaN(to)) return invalid('from');
    const span = { fromMs: from * SECOND_MS, toMs: Math.min(to, nowSeconds) * SECOND_MS, limit };
    const rates = paidRates(question.market, found.coin.name, span);
    return new Reply(rates.map(({ paidMs, rate }) => ({ t: paidMs / SECOND_MS, r: rate.toFixed(6) })));
  }),
  route('trades', '/trades', (question, listings) => {
    const found = find(listings, question.query.get('contract') ?? '');
    if (!found || found.coin.isDelisted) return UNKNOWN_CONTRACT;
    const deals = readPast(question, tradeMarket(question.market, found));
    if (typeof deals === 'string') return invalid(deals);
    const printCount = countPrinter(question.headers);
    return new Reply(deals.map((deal) => printPast(found, deal, printCount)));
  }),
  route('candlesticks', '/candlesticks', async (question, listings) => {
    const found = find(listings, question.query.get('contract') ?? '');
    if (!found || found.coin.isDelisted) return UNKNOWN_CONTRACT;
    const rows = await readCandlesticks(question, found, countPrinter(question.headers));
    return typeof rows === 'string' ? invalid(rows) : new Reply(rows);
  }),
];

/** 200 requests in 10 s on each call, per IP [C, M]. */
const limits: readonly WireLimit[] = [
  'contracts',
  'contract',
  'tickers',
  'contract_stats',
  'funding_rate',
  'trades',
  'candlesticks',
].map((name) => ({ name, spanMs: 10_000, max: 200 }));

const TOO_MANY = '{"label":"TOO_MANY_REQUESTS","message":"Request Rate limit Exceeded"}';

/** Gate's futures that settle in USDT: fourth version of the calls and of the socket. */
export const gate = simulateVenue({
  shape: { id: 'gate', share: 0.3, basisBps: 2.6, latencyMs: 140, listed: 0.95 },
  routes,
  limits,
  overLimit: () => ({ status: 429, type: 'application/json', body: TOO_MANY }),
  notFound: {
    status: 404,
    type: 'application/json',
    body: '{"label":"NOT_FOUND","message":"Request API not found"}',
  },
  sockets: [publicSocket],
});

/** {"label":"CONTRACT_NOT_FOUND","message":"…"}; labels [C]. */
const UNKNOWN_CONTRACT = new Reply({ label: 'CONTRACT_NOT_FOUND', message: 'CONTRACT_NOT_FOUND' }, 400);

function invalid(parameter: string): Reply {
  return new Reply({ label: 'INVALID_PARAM_VALUE', message: `invalid argument: ${parameter}` }, 400);
}

function route(
  name: string,
  path: string,
  answer: (question: Question, listings: readonly Listing[]) => Reply | Promise<Reply>,
): WireRoute {
  return {
    path: `${PREFIX}${path}`,
    costs: () => ({ [name]: 1 }),
    answer(question) {
      const settle = question.params['settle'] ?? '';
      if (!SETTLED.includes(settle)) return invalid('settle');
      return answer(question, settle === SETTLED[0] ? listingsOf(question.market) : []);
    },
  };
}

function sourceOf({ market, nowMs, headers }: Question): RowSource {
  return { market, nowMs, printCount: countPrinter(headers) };
}

function find(listings: readonly Listing[], name: string | undefined): Listing | undefined {
  return listings.find((listing) => listing.name === name);
}
